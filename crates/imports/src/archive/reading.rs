//! Reading an archive. A file that is damaged, incomplete or of a newer version is refused as a whole.

use std::io::{BufRead, BufReader, Read};

use fieldhouse_domain::divisions::{Division, NewDivision};
use fieldhouse_domain::games::{Game, NewGame};
use fieldhouse_domain::ids::TeamId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::record::{Body, Properties, Record, read_json};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::seasons::{NewSeason, Season};
use fieldhouse_domain::second_person::Actor;
use fieldhouse_domain::staff::{self, NewStaff, Staff};
use fieldhouse_domain::teams::{NewTeam, Team};
use fieldhouse_domain::venues::{NewVenue, Venue};
use fieldhouse_domain::{Moment, Refusal};
use flate2::read::GzDecoder;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use utoipa::openapi::{RefOr, Schema};

use super::checks::Checks;
use super::writing::hex;
use super::{Archive, ArchiveCounts, Entry, FORMAT, Heading, MAX_RECORDS, Person, VERSION};

/// The maximum length of a line. The longest record has a hundred names of fields.
const MAX_LINE: u64 = 1 << 20;

/// Why an archive cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadArchive {
    /// The file is something else.
    #[error(
        "the file is not an archive of an organization. Use a file that `fieldhouse export organization` wrote"
    )]
    NotAnArchive,
    /// A newer program wrote it.
    #[error(
        "the archive has the version {0}, and this program reads versions up to {VERSION}. Update Fieldhouse"
    )]
    Newer(u32),
    /// The end is missing.
    #[error("the archive is incomplete: its end is missing. Copy or export it again")]
    Incomplete,
    /// The content was changed, or cannot be unpacked.
    #[error("the archive is damaged: {0}. Copy or export it again")]
    Damaged(String),
    /// A record is invalid.
    #[error("line {line} of the archive is invalid: {reason}")]
    Invalid {
        /// The line of the unpacked file, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// There are too many records.
    #[error("the archive has more than {MAX_RECORDS} records, the maximum")]
    TooLarge,
}

/// The first line, with what tells whether the rest of it can be read.
#[derive(Deserialize)]
struct First {
    format: String,
    version: u32,
}

/// The last line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    end: ArchiveCounts,
    sha256: String,
}

/// Reads an archive.
pub fn read(packed: impl Read) -> Result<Archive, BadArchive> {
    let mut lines = Lines { from: BufReader::new(GzDecoder::new(packed)), line: Vec::new(), number: 0 };
    if !matches!(lines.next(), Ok(true)) {
        return Err(BadArchive::NotAnArchive);
    }
    let heading = heading(&lines.line)?;
    let mut digest = Sha256::new();
    let mut entries = Vec::new();
    let (mut counts, mut checks) = (ArchiveCounts::default(), Checks::default());
    loop {
        digest.update(&lines.line);
        if !lines.next()? {
            return Err(BadArchive::Incomplete);
        }
        let invalid = |reason: String| BadArchive::Invalid { line: lines.number, reason };
        let object: Map<String, Value> =
            serde_json::from_slice(&lines.line).map_err(|error| invalid(error.to_string()))?;
        if object.contains_key("end") {
            let last: Last =
                serde_json::from_slice(&lines.line).map_err(|error| invalid(error.to_string()))?;
            if last.sha256 != hex(digest.finalize()) || last.end != counts {
                return Err(BadArchive::Damaged("its digest does not match its content".to_owned()));
            }
            return if lines.next()? {
                Err(BadArchive::Damaged("there is something after its end".to_owned()))
            } else {
                Ok(Archive { heading, entries, counts })
            };
        }
        if counts.all() == MAX_RECORDS {
            return Err(BadArchive::TooLarge);
        }
        let entry = entry(object).map_err(|refusal| invalid(explained(&refusal)))?;
        checks.add(&entry).map_err(|refusal| invalid(explained(&refusal)))?;
        counts.add(&entry);
        entries.push(entry);
    }
}

struct Lines<R> {
    from: R,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line. Returns false at the end of the file.
    fn next(&mut self) -> Result<bool, BadArchive> {
        self.line.clear();
        self.number += 1;
        let mut limited = (&mut self.from).take(MAX_LINE);
        let count = limited.read_until(b'\n', &mut self.line).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => BadArchive::Incomplete,
            _ => BadArchive::Damaged("it cannot be unpacked".to_owned()),
        })?;
        match self.line.last() {
            None => Ok(false),
            Some(b'\n') => Ok(true),
            Some(_) if count as u64 == MAX_LINE => {
                Err(BadArchive::Damaged(format!("line {} is too long", self.number)))
            }
            Some(_) => Err(BadArchive::Incomplete),
        }
    }
}

fn heading(line: &[u8]) -> Result<Heading, BadArchive> {
    let first: First = serde_json::from_slice(line).map_err(|_| BadArchive::NotAnArchive)?;
    match first {
        First { format, .. } if format != FORMAT => Err(BadArchive::NotAnArchive),
        First { version, .. } if version > VERSION => Err(BadArchive::Newer(version)),
        _ => serde_json::from_slice(line)
            .map_err(|error| BadArchive::Invalid { line: 1, reason: error.to_string() }),
    }
}

fn entry(mut object: Map<String, Value>) -> Result<Entry, Refusal> {
    let person = object.remove("user");
    let mut members = object.into_iter();
    let (Some((kind, Value::Object(image))), None) = (members.next(), members.next()) else {
        return Err(Refusal::State("it is not one record".to_owned()));
    };
    if (kind == "member") != person.is_some() {
        return Err(Refusal::State("only a member has a user".to_owned()));
    }
    Ok(match kind.as_str() {
        "member" => {
            let person: Person = serde_json::from_value(person.unwrap_or_default())
                .map_err(|error| Refusal::State(format!("user: {error}")))?;
            Entry::Member(restored(Member::new(&nowhere(), person.id, Role::Viewer), &image)?, person)
        }
        "season" => Entry::Season(created(&image, |new: NewSeason| Season::create(&nowhere(), new))?),
        "division" => Entry::Division(created(&image, |new: NewDivision| Division::create(&nowhere(), new))?),
        "team" => Entry::Team(created(&image, |new: NewTeam| Team::create(&nowhere(), new))?),
        "venue" => Entry::Venue(created(&image, |new: NewVenue| Venue::create(&nowhere(), new))?),
        "game" => Entry::Game(created(&image, |new: NewGame| Game::create(&nowhere(), new))?),
        "staff" => Entry::Staff(staff(&image)?),
        other => return Err(Refusal::State(format!("\"{other}\" is not a kind of record"))),
    })
}

fn staff(image: &Map<String, Value>) -> Result<Staff, Refusal> {
    let new: NewStaff = body(image)?;
    let actor = Actor { user: None, role: Role::Owner, role_given_by: None };
    let moment = nowhere();
    restored(staff::propose(&moment, actor, moment.id::<TeamId>(), &new)?, image)
}

/// A moment for fields that are replaced by those of the archive.
fn nowhere() -> Moment {
    Moment::new(Timestamp::UNIX_EPOCH, 0)
}

/// A record with all fields of the archive, checked by the rules of creating one.
fn created<R: Record, N: Body>(
    image: &Map<String, Value>,
    create: impl FnOnce(N) -> R,
) -> Result<R, Refusal> {
    restored(create(body(image)?), image)
}

/// The body that creates a record.
fn body<N: Body>(image: &Map<String, Value>) -> Result<N, Refusal> {
    let mut own = image.clone();
    if let RefOr::T(Schema::Object(schema)) = Properties::of::<N>() {
        own.retain(|field, _| schema.properties.contains_key(field));
    }
    read_json(&Value::Object(own), Vec::new())
}

/// A record with the fields of the archive. A field that was added after the archive was written is null; one that cannot be null is missing.
fn restored<R: Record>(mut record: R, image: &Map<String, Value>) -> Result<R, Refusal> {
    for field in R::FIELDS.iter().filter(|field| !image.contains_key(**field)) {
        let missing = |_| Refusal::State(format!("{field} is missing"));
        record.set(field, &Value::Null).map_err(missing)?;
    }
    for (field, value) in image {
        record.set(field, value)?;
    }
    Ok(record)
}

fn explained(refusal: &Refusal) -> String {
    let Refusal::Invalid(errors) = refusal else { return refusal.to_string() };
    let errors: Vec<_> = errors
        .iter()
        .map(|error| format!("{} {}", error.pointer.trim_start_matches('/'), error.message))
        .collect();
    errors.join("; ")
}
