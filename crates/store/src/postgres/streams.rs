//! Streams: rows from a portal, batch by batch, on separate connections.

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::Postgres;
use super::connection::{Pool, Pooled};
use super::messages::{Piece, Response};
use super::read::BEGIN;
use crate::engine::stream::{BATCH, Message, Part, STALL_TIME, Sink};
use crate::error::{Error, Result};

/// How many streams are read at once. They have a pool of their own, because a slow consumer holds a connection for a long time.
pub(super) const CONNECTIONS: usize = 4;
/// The portal that the rows of a part come from.
const PORTAL: &str = "rows";

impl Postgres {
    pub(crate) fn stream<T: Send + 'static>(&self, parts: Vec<Part<T>>, sink: Sink<T>) {
        let pool = self.streams.clone();
        tokio::spawn(async move {
            let messages = sink.messages;
            let ended = tokio::select! {
                () = messages.closed() => return,
                ended = read(&pool, parts, &messages) => ended,
            };
            let last = match ended {
                Ok(true) => Message::End,
                Ok(false) => return,
                Err(error) => Message::Failed(error),
            };
            let _ = timeout(STALL_TIME, messages.send(last)).await;
        });
    }
}

/// Reads and sends all rows. Returns whether the consumer took all of them.
async fn read<T>(pool: &Pool, parts: Vec<Part<T>>, messages: &mpsc::Sender<Message<T>>) -> Result<bool> {
    let connection = pool.get().await?;
    let mut statements = Vec::with_capacity(parts.len());
    // Collected first: what reads the rows of a part cannot be borrowed while the statement is prepared.
    let queries: Vec<_> = parts.iter().map(|part| part.query).collect();
    for query in queries {
        statements.push(connection.prepared(query).await?);
    }
    let max = i32::try_from(BATCH).map_err(|error| Error::Internal(error.to_string()))?;
    let mut snapshot = Snapshot(Some(connection));
    let mut piece = Piece::new();
    piece.control(BEGIN)?;
    for (Part { query, values, mut each }, statement) in parts.into_iter().zip(&statements) {
        piece.bind(PORTAL, statement, &values)?;
        loop {
            let slot = piece.rows_of(PORTAL, statement, max)?;
            let response = snapshot.send(piece).await?;
            piece = Piece::new();
            let (rows, has_more) = (response.rows(&slot)?, response.has_more(&slot)?);
            let read: Result<Vec<T>> = rows.read(query, &mut each);
            drop((rows, response));
            match timeout(STALL_TIME, messages.send(Message::Rows(read?))).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return Ok(false),
            }
            if !has_more {
                break;
            }
        }
        piece.close(PORTAL)?;
    }
    piece.control("COMMIT")?;
    snapshot.send(piece).await?;
    snapshot.0.take();
    Ok(true)
}

/// An open transaction of a stream. If it is dropped before its end, its connection returns to the pool, whose next user waits for what the server
/// is running: there are never more sessions than streams may have.
struct Snapshot(Option<Pooled>);

impl Snapshot {
    async fn send(&self, piece: Piece) -> Result<Response> {
        let connection = self.0.as_ref().ok_or_else(|| Error::Internal("the stream has ended".to_owned()))?;
        Ok(connection.send(piece).response().await?)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let Some(connection) = self.0.take() else { return };
        if connection.send_unawaited("ROLLBACK").is_err() {
            drop(Pooled::take(connection));
        }
    }
}
