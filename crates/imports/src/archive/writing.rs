//! Writing an archive, record by record, so that few of them are in memory.

use std::io::{self, Write};

use fieldhouse_domain::record::Record as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{ArchiveCounts, Entry, FORMAT, Heading, VERSION};

/// Writes an archive to a buffer, which can be taken out at any time.
#[derive(Debug)]
pub struct Writer {
    out: GzEncoder<Vec<u8>>,
    digest: Sha256,
    counts: ArchiveCounts,
}

impl Writer {
    /// Starts an archive.
    pub fn new(heading: &Heading) -> io::Result<Self> {
        let out = GzEncoder::new(Vec::new(), Compression::default());
        let mut writer = Self { out, digest: Sha256::new(), counts: ArchiveCounts::default() };
        let first = First { format: FORMAT, version: VERSION, heading };
        writer.line(&first)?;
        Ok(writer)
    }

    /// Adds a record.
    pub fn add(&mut self, entry: &Entry) -> io::Result<()> {
        self.counts.add(entry);
        self.line(&line_of(entry))
    }

    /// Takes the bytes that are ready.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.out.get_mut())
    }

    /// The number of bytes that are ready.
    pub fn ready(&self) -> usize {
        self.out.get_ref().len()
    }

    /// Ends the archive and returns the remaining bytes.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        let last = json!({"end": self.counts, "sha256": hex(self.digest.clone().finalize())});
        self.line(&last)?;
        self.out.finish()
    }

    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.digest.update(&line);
        self.out.write_all(&line)
    }
}

/// The first line.
#[derive(Serialize)]
struct First<'a> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    heading: &'a Heading,
}

/// A line: the kind of record with the record's fields, and the person of a member.
fn line_of(entry: &Entry) -> Value {
    let line = |kind: &str, image: Map<String, Value>| json!({kind: image});
    match entry {
        Entry::Member(member, person) => json!({"member": member.image(), "user": person}),
        Entry::Season(season) => line("season", season.image()),
        Entry::Division(division) => line("division", division.image()),
        Entry::Team(team) => line("team", team.image()),
        Entry::Venue(venue) => line("venue", venue.image()),
        Entry::Game(game) => line("game", game.image()),
        Entry::Staff(staff) => line("staff", staff.image()),
    }
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
