//! What the operations of a changeset do in the end: one effect for each record, with what caused it; and the hash by which an approval
//! names it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::effects::{AnyRecord, Effect, Kind};
use crate::ledger::Trace;
use crate::record::enumeration;

enumeration! {
    /// Why a changeset has an effect.
    EffectCause {
        /// An operation is about the record.
        Operation "operation",
        /// The record is deleted together with a record that it refers to.
        Cascade "cascade",
        /// It follows from another effect by a rule.
        Derived "derived",
    }
}

/// An effect as it was applied, in the order of writing.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The effect.
    pub effect: Effect,
    /// Which operation applied it, from 0.
    pub operation: usize,
    /// Whether a rule added it.
    pub derived: bool,
}

/// What happens to a record in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// The record before and after.
    pub effect: Effect,
    /// The first operation that touched it, from 0.
    pub operation: usize,
    /// Why.
    pub cause: EffectCause,
}

/// What happens to each record in the end, in the order of the first effects, without records that end as they began. Effects of which
/// the ledger keeps no images (sessions, keys) are not compared: they follow from others, and nothing restores them.
pub fn fold(applied: Vec<Applied>) -> Vec<Net> {
    let mut nets: Vec<Net> = Vec::new();
    let mut by_record: BTreeMap<(&'static str, Uuid), usize> = BTreeMap::new();
    for Applied { effect, operation, derived } in applied {
        let Some(record) = effect.record().filter(|_| effect.trace() == Trace::Images) else { continue };
        let key = (record.kind().name(), record.uuid());
        if let Some(at) = by_record.get(&key) {
            nets[*at].effect.after = effect.after;
            continue;
        }
        by_record.insert(key, nets.len());
        let cause = match (derived, &effect.after) {
            (false, _) => EffectCause::Operation,
            (true, None) => EffectCause::Cascade,
            (true, Some(_)) => EffectCause::Derived,
        };
        nets.push(Net { effect, operation, cause });
    }
    nets.retain(|net| match (&net.effect.before, &net.effect.after) {
        (None, None) => false,
        (Some(before), Some(after)) => !after.changed(before).is_empty(),
        _ => true,
    });
    nets
}

/// A record that was read or written, and the version that it had. `None` if it did not exist.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct Pin {
    /// What was looked at: a kind of record, or a question such as `games_nearby`.
    pub of: String,
    /// The id of the record.
    pub id: String,
    /// The version, or a digest of the result. `None` if there was none.
    pub seen: Option<String>,
}

/// The pins of the records that were read and written. What the changeset itself creates is pinned as absent.
pub fn pins(read: &BTreeMap<(Kind, Uuid), Option<i64>>, nets: &[Net]) -> BTreeSet<Pin> {
    let created: BTreeSet<(&str, Uuid)> = nets
        .iter()
        .filter(|net| net.effect.before.is_none())
        .filter_map(|net| net.effect.after.as_ref())
        .map(|record| (record.kind().name(), record.uuid()))
        .collect();
    let pin = |kind: Kind, id: Uuid, version: Option<i64>| Pin {
        of: kind.name().to_owned(),
        id: kind.written_id(id),
        seen: version.map(|version| version.to_string()),
    };
    let read = read
        .iter()
        .filter(|((kind, id), _)| !created.contains(&(kind.name(), *id)))
        .map(|((kind, id), version)| pin(*kind, *id, *version));
    let written = nets.iter().filter_map(|net| {
        let record = net.effect.record()?;
        Some(pin(record.kind(), record.uuid(), net.effect.before.as_ref().map(AnyRecord::version)))
    });
    // A record that was read after a change of the changeset itself has the version before, from its effect.
    let mut pins: BTreeMap<(String, String), Pin> = BTreeMap::new();
    for pin in read.chain(written) {
        pins.insert((pin.of.clone(), pin.id.clone()), pin);
    }
    pins.into_values().collect()
}

/// The lasting fields of an effect, which of the others are set, and where it comes from: a JSON object.
fn lasting(net: &Net) -> String {
    let fields = |record: &Option<AnyRecord>| record.as_ref().map_or("null".to_owned(), AnyRecord::compared);
    let record = json!(net.effect.record().map(|record| (record.kind().name(), record.id())));
    let (before, after, cause) = (fields(&net.effect.before), fields(&net.effect.after), json!(net.cause));
    let operation = net.operation;
    format!(
        r#"{{"record":{record},"before":{before},"after":{after},"cause":{cause},"operation":{operation}}}"#
    )
}

/// Digests of effects that no one can guess without the salt, because effects may be about children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// Of all of them, in their order.
    pub whole: String,
    /// Of each one alone.
    pub each: Vec<String>,
}

impl Digests {
    /// The digests of effects.
    pub fn of(salt: &[u8; 16], nets: &[Net]) -> Self {
        let start = Sha256::new_with_prefix(salt);
        let mut whole = start.clone();
        let each = nets.iter().map(|net| {
            let text = lasting(net);
            let mut own = start.clone();
            for digest in [&mut whole, &mut own] {
                digest.update(&text);
                digest.update([0]);
            }
            hex(&own.finalize())
        });
        let each = each.collect();
        Self { whole: hex(&whole.finalize()), each }
    }
}

/// The digest of effects, without those of each one.
pub fn effect_digest(salt: &[u8; 16], nets: &[Net]) -> String {
    let mut digest = Sha256::new_with_prefix(salt);
    for net in nets {
        digest.update(lasting(net));
        digest.update([0]);
    }
    hex(&digest.finalize())
}

/// The hash of a simulation: over its effects, and everything else that a reviewer sees.
pub fn simulation_hash(
    salt: &[u8; 16],
    effect_digest: &str,
    pins: &BTreeSet<Pin>,
    shown: &[&Json],
) -> String {
    let mut digest = Sha256::new_with_prefix(salt);
    digest.update(effect_digest);
    digest.update(crate::record::image_of(&pins).to_string());
    for part in shown {
        digest.update([0]);
        digest.update(part.to_string());
    }
    hex(&digest.finalize())
}

/// A digest of a string: of a file, or of what a query found.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The patch (RFC 6902) that turns a record into what it becomes, in its flat fields without bookkeeping.
pub fn patch(before: &Map<String, Json>, after: &Map<String, Json>) -> Json {
    let (before, after) = (Json::Object(before.clone()), Json::Object(after.clone()));
    crate::record::image_of(&json_patch::diff(&before, &after))
}

/// The pins that are different, by their records, for a reader.
pub fn moved(seen: &BTreeSet<Pin>, now: &BTreeSet<Pin>) -> Vec<Json> {
    let differs = seen.symmetric_difference(now).map(|pin| json!({"of": pin.of, "id": pin.id}));
    let mut moved: Vec<Json> = Vec::new();
    for pin in differs {
        if !moved.contains(&pin) {
            moved.push(pin);
        }
    }
    moved
}

/// A random number for the ids of one operation, so that the ids of an operation do not depend on how many ids others create.
pub fn randomness(seed: &[u8; 16], operation: usize) -> u128 {
    let mut digest = Sha256::new_with_prefix(seed);
    digest.update(u64::try_from(operation).unwrap_or(u64::MAX).to_be_bytes());
    let bytes: [u8; 32] = digest.finalize().into();
    Uuid::from_slice(&bytes[..16]).map_or(0, |uuid| uuid.as_u128())
}

#[cfg(test)]
mod tests;
