//! Messages of PostgreSQL's protocol, version 3: pieces that are sent, and the responses to them.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{
    COMMAND_COMPLETE_TAG, DATA_ROW_TAG, EMPTY_QUERY_RESPONSE_TAG, ERROR_RESPONSE_TAG, Field, Header, Message,
    PARAMETER_DESCRIPTION_TAG, PORTAL_SUSPENDED_TAG, ROW_DESCRIPTION_TAG,
};
use postgres_protocol::message::frontend::{self, BindError};
use tokio_postgres::types::{Kind, ToSql as _, Type};

use super::failure::{Failure, Sent};
use super::{PLAN_EACH_TIME, PLAN_ONCE};
use crate::error::Result;
use crate::query::{Query, Running};
use crate::row::{Row, Source};
use crate::value::Value;

/// Values and columns are sent in PostgreSQL's binary format.
const BINARY: [i16; 1] = [1];
/// How many bytes most pieces need at most.
const USUAL_SIZE: usize = 512;
/// The number of bytes of a message's tag and length.
const HEADER_SIZE: usize = 5;

/// A statement that a connection has prepared.
#[derive(Clone, Debug)]
pub(super) struct Statement(Arc<Prepared>);

#[derive(Debug)]
struct Prepared {
    name: String,
    parameters: Vec<Type>,
    columns: Arc<[Column]>,
}

/// A column that a statement returns.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Type,
}

/// Statements that are sent together. If no transaction is open, PostgreSQL runs them in one of their own, which fails as a whole.
pub(super) struct Piece {
    bytes: BytesMut,
    /// How many results it has.
    parts: usize,
    is_ended: bool,
    /// The statements in it, for the tests that observe them.
    running: Vec<Running>,
}

/// Where a response has the result of a prepared statement.
pub(super) struct Slot {
    part: usize,
    statement: Statement,
}

impl Default for Piece {
    fn default() -> Self {
        Self::new()
    }
}

impl Piece {
    pub(super) fn new() -> Self {
        let bytes = BytesMut::with_capacity(USUAL_SIZE);
        Self { bytes, parts: 0, is_ended: false, running: Vec::new() }
    }

    /// SQL of one or more statements without parameters, which is sent alone.
    pub(super) fn simple(sql: &str) -> Sent<Self> {
        let mut piece = Self::new();
        frontend::query(sql, &mut piece.bytes).map_err(Failure::malformed)?;
        Ok(Self { is_ended: true, ..piece })
    }

    /// Prepares a statement and asks what it takes and returns.
    pub(super) fn prepare(name: &str, sql: &str) -> Sent<Self> {
        let mut piece = Self::new();
        frontend::parse(name, sql, [], &mut piece.bytes).map_err(Failure::malformed)?;
        frontend::describe(b'S', name, &mut piece.bytes).map_err(Failure::malformed)?;
        Ok(piece)
    }

    /// Adds a statement without parameters, such as BEGIN.
    pub(super) fn control(&mut self, sql: &'static str) -> Sent<()> {
        self.running.push(Running::begin(sql));
        frontend::parse("", sql, [], &mut self.bytes).map_err(Failure::malformed)?;
        bind("", "", &[], &[], &mut self.bytes)?;
        self.execute("", 0)?;
        Ok(())
    }

    /// Adds a prepared statement.
    pub(super) fn run(&mut self, statement: &Statement, values: &[Value<'_>]) -> Sent<Slot> {
        self.bind("", statement, values)?;
        self.rows_of("", statement, 0)
    }

    /// Adds a portal, from which rows are read in batches while its transaction is open.
    pub(super) fn bind(&mut self, portal: &str, statement: &Statement, values: &[Value<'_>]) -> Sent<()> {
        let Prepared { name, parameters, .. } = &*statement.0;
        bind(portal, name, parameters, values, &mut self.bytes)
    }

    /// Closes a portal, so that its name can be used again.
    pub(super) fn close(&mut self, portal: &str) -> Sent<()> {
        frontend::close(b'P', portal, &mut self.bytes).map_err(Failure::malformed)
    }

    /// Adds the next rows of a portal, at most `max` if it is not 0.
    pub(super) fn rows_of(&mut self, portal: &str, statement: &Statement, max: i32) -> Sent<Slot> {
        Ok(Slot { part: self.execute(portal, max)?, statement: statement.clone() })
    }

    fn execute(&mut self, portal: &str, max: i32) -> Sent<usize> {
        frontend::execute(portal, max, &mut self.bytes).map_err(Failure::malformed)?;
        self.parts += 1;
        Ok(self.parts - 1)
    }

    /// Adds a query. One that is planned each time has a plan for its values, and the next one does not.
    pub(super) fn query(
        &mut self,
        query: &'static Query,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Sent<Slot> {
        self.running.push(Running::begin(query.name));
        if !query.planned_each_time {
            return self.run(statement, values);
        }
        PLAN_EACH_TIME.iter().try_for_each(|sql| self.control(sql))?;
        let slot = self.run(statement, values)?;
        PLAN_ONCE.iter().try_for_each(|sql| self.control(sql))?;
        Ok(slot)
    }

    /// What is sent, with its end, for which the server responds.
    pub(super) fn finish(mut self) -> (BytesMut, Vec<Running>) {
        if !self.is_ended {
            frontend::sync(&mut self.bytes);
        }
        (self.bytes, self.running)
    }
}

fn bind(portal: &str, name: &str, kinds: &[Type], values: &[Value<'_>], to: &mut BytesMut) -> Sent<()> {
    if kinds.len() != values.len() {
        let counts = format!("expected {} parameters but got {}", kinds.len(), values.len());
        return Err(Failure::Internal(counts));
    }
    let each = kinds.iter().zip(values);
    let write = |(kind, value): (&Type, &Value<'_>), to: &mut BytesMut| {
        let is_null = value.to_sql(kind, to)?;
        Ok(if matches!(is_null, tokio_postgres::types::IsNull::Yes) { IsNull::Yes } else { IsNull::No })
    };
    frontend::bind(portal, name, BINARY, each, write, BINARY, to).map_err(|error| match error {
        BindError::Conversion(error) => Failure::Internal(format!("a value does not fit: {error}")),
        BindError::Serialization(error) => Failure::Internal(error.to_string()),
    })
}

/// The tag and the length of the message at the beginning of `bytes`. `None` if it has not arrived completely.
pub(super) fn first(bytes: &[u8]) -> Sent<Option<(u8, usize)>> {
    let Some(header) = Header::parse(bytes).map_err(Failure::malformed)? else { return Ok(None) };
    let length = usize::try_from(header.len()).map_err(|_| Failure::misunderstood("a negative length"))? + 1;
    Ok((bytes.len() >= length).then_some((header.tag(), length)))
}

/// The message at the beginning of `bytes`.
fn parse(bytes: &[u8]) -> Sent<Message> {
    let message = Message::parse(&mut BytesMut::from(bytes)).map_err(Failure::malformed)?;
    message.ok_or_else(|| Failure::misunderstood("half a message"))
}

/// The error that the messages in `bytes` begin with.
pub(super) fn error_in(bytes: &[u8]) -> Option<Failure> {
    let mut rest = bytes;
    while let Ok(Some((tag, length))) = first(rest) {
        if tag == ERROR_RESPONSE_TAG {
            return refused(rest).ok();
        }
        rest = &rest[length..];
    }
    None
}

/// The error at the beginning of `bytes`.
pub(super) fn refused(bytes: &[u8]) -> Sent<Failure> {
    match parse(bytes)? {
        Message::ErrorResponse(body) => Ok(Failure::refused(&body)),
        _ => Err(Failure::misunderstood("another message than an error")),
    }
}

/// The response to a piece.
#[derive(Debug)]
pub(super) struct Response {
    bytes: Bytes,
    parts: Vec<Part>,
}

/// The messages about one statement of a piece, without those that end it.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: usize,
    end: usize,
    /// How many rows it changed or returned.
    count: u64,
    /// Whether its portal has more rows.
    has_more: bool,
}

impl Response {
    /// Reads where the parts of a response are. Fails if the server refused one of its statements.
    pub(super) fn of(bytes: Bytes) -> Sent<Self> {
        let mut parts = Vec::with_capacity(2);
        let (mut start, mut at) = (0, 0);
        while let Some((tag, length)) = first(&bytes[at..])? {
            let next = at + length;
            match tag {
                ERROR_RESPONSE_TAG => return Err(refused(&bytes[at..])?),
                COMMAND_COMPLETE_TAG | EMPTY_QUERY_RESPONSE_TAG | PORTAL_SUSPENDED_TAG => {
                    let count =
                        if tag == COMMAND_COMPLETE_TAG { count(&bytes[at + HEADER_SIZE..next]) } else { 0 };
                    parts.push(Part { start, end: at, count, has_more: tag == PORTAL_SUSPENDED_TAG });
                    start = next;
                }
                _ => {}
            }
            at = next;
        }
        Ok(Self { bytes, parts })
    }

    fn part(&self, slot: &Slot) -> Sent<Part> {
        let missing = || Failure::misunderstood("fewer results than statements");
        self.parts.get(slot.part).copied().ok_or_else(missing)
    }

    /// The rows of a statement.
    pub(super) fn rows(&self, slot: &Slot) -> Sent<Rows> {
        let Part { start, end, .. } = self.part(slot)?;
        Ok(Rows { messages: self.bytes.slice(start..end), columns: slot.statement.0.columns.clone() })
    }

    /// How many rows a statement changed.
    pub(super) fn changed(&self, slot: &Slot) -> Sent<u64> {
        Ok(self.part(slot)?.count)
    }

    /// Whether the portal of a statement has more rows.
    pub(super) fn has_more(&self, slot: &Slot) -> Sent<bool> {
        Ok(self.part(slot)?.has_more)
    }

    /// The statement that [`Piece::prepare`] has prepared.
    pub(super) fn prepared(&self, name: String) -> Sent<Statement> {
        let (mut parameters, mut columns): (Vec<u32>, Vec<(String, u32)>) = (Vec::new(), Vec::new());
        let mut rest = &self.bytes[..];
        while let Some((tag, length)) = first(rest)? {
            if tag == PARAMETER_DESCRIPTION_TAG || tag == ROW_DESCRIPTION_TAG {
                let described = match parse(rest)? {
                    Message::ParameterDescription(body) => {
                        body.parameters().collect().map(|all| parameters = all)
                    }
                    Message::RowDescription(body) => {
                        let column = |field: Field<'_>| Ok((field.name().to_owned(), field.type_oid()));
                        body.fields().map(column).collect().map(|all| columns = all)
                    }
                    _ => Ok(()),
                };
                described.map_err(Failure::malformed)?;
            }
            rest = &rest[length..];
        }
        let known = |oid: u32| {
            let unknown = || Failure::Internal(format!("a parameter has a type with the number {oid}"));
            Type::from_oid(oid).ok_or_else(unknown)
        };
        let parameters = parameters.into_iter().map(known).collect::<Sent<Vec<_>>>()?;
        let column = |(name, oid)| Column { name, kind: Type::from_oid(oid).unwrap_or_else(|| unknown(oid)) };
        let columns = columns.into_iter().map(column).collect();
        Ok(Statement(Arc::new(Prepared { name, parameters, columns })))
    }
}

/// A type that a database has defined itself. Nothing is read as such a type.
fn unknown(oid: u32) -> Type {
    Type::new(format!("with the number {oid}"), oid, Kind::Simple, String::new())
}

/// The number of rows at the end of a command's tag, such as `INSERT 0 5`.
fn count(tag: &[u8]) -> u64 {
    let words = tag.strip_suffix(&[0]).unwrap_or(tag).rsplit(|byte| *byte == b' ').next();
    words.and_then(|word| std::str::from_utf8(word).ok()?.parse().ok()).unwrap_or(0)
}

/// Rows as the server has sent them.
#[derive(Debug)]
pub(crate) struct Rows {
    messages: Bytes,
    columns: Arc<[Column]>,
}

impl Rows {
    /// Reads the rows, each where it is.
    pub(crate) fn read<T>(
        &self,
        query: &'static Query,
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut read = Vec::new();
        let mut cells = Vec::with_capacity(self.columns.len());
        let mut rest = &self.messages[..];
        while let Some((tag, length)) = first(rest)? {
            if tag == DATA_ROW_TAG {
                cells.clear();
                split(&rest[HEADER_SIZE..length], &mut cells)?;
                if cells.len() != self.columns.len() {
                    return Err(Failure::misunderstood("another number of columns").into());
                }
                let source = Source::Postgres { cells: &cells, columns: &self.columns };
                read.push(each(&mut Row::new(source, query))?);
            }
            rest = &rest[length..];
        }
        Ok(read)
    }
}

/// Splits the body of a row into its columns. `None` is null.
fn split<'a>(body: &'a [u8], cells: &mut Vec<Option<&'a [u8]>>) -> Sent<()> {
    let half = || Failure::misunderstood("half a row");
    let (_, mut rest) = body.split_first_chunk::<2>().ok_or_else(half)?;
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        // A negative length is null.
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            cells.push(None);
            rest = after;
            continue;
        };
        let (cell, after) = after.split_at_checked(length).ok_or_else(half)?;
        cells.push(Some(cell));
        rest = after;
    }
    Ok(())
}
