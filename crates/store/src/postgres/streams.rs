//! Streams: rows from a portal, batch by batch, on separate connections.

use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_postgres::IsolationLevel;

use super::connection::Pool;
use super::{Postgres, params, read_rows};
use crate::engine::stream::{BATCH, Message, Part, STALL_TIME, Sink};
use crate::error::{Error, Result};

/// How many streams are read at once. They have a pool of their own, because a slow consumer holds a connection for a long time.
pub(super) const CONNECTIONS: usize = 4;

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
    let mut connection = pool.get().await?;
    let mut statements = Vec::with_capacity(parts.len());
    // Collected first: what reads the rows of a part cannot be borrowed while the statement is prepared.
    let queries: Vec<_> = parts.iter().map(|part| part.query).collect();
    for query in queries {
        statements.push(connection.prepared(query).await?);
    }
    let snapshot =
        connection.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
    let tx = snapshot.start().await?;
    let max = i32::try_from(BATCH).map_err(|error| Error::Internal(error.to_string()))?;
    for (Part { query, values, mut each }, statement) in parts.into_iter().zip(&statements) {
        let portal = tx.bind(statement, &params(&values)).await?;
        loop {
            let rows = tx.query_portal(&portal, max).await?;
            let is_last = rows.len() < BATCH;
            let read: Result<Vec<T>> = read_rows(query, &rows, &mut each);
            drop(rows);
            match timeout(STALL_TIME, messages.send(Message::Rows(read?))).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return Ok(false),
            }
            if is_last {
                break;
            }
        }
    }
    tx.commit().await?;
    Ok(true)
}
