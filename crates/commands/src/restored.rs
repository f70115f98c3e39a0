//! Restoring deleted records: what an undo does for every kind.

use fieldhouse_domain::Moment;
use fieldhouse_domain::record::Record;

/// A record as it was before it was deleted, in its next version. The deletion counts as a version too.
pub(crate) fn restored<R: Record>(moment: &Moment, was: &R) -> R {
    let mut record = was.clone();
    record.set_version(was.version() + 2, moment.now());
    record
}
