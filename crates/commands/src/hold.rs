//! How long a large change may hold SQLite's only writer, while all other changes wait.

use std::time::Duration;

use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::Effect;

const MAX_HOLD: Duration = Duration::from_secs(2);
/// How many new records a transaction writes in a second, and how many changed ones, whose history holds two images. `cargo xtask bench
/// --imports` measured 32,000 and 9,000 to 14,000 on two cores of a virtual machine; both fall to a half where all cores are busy.
const CREATED_PER_SECOND: f64 = 20_000.0;
const CHANGED_PER_SECOND: f64 = 8_000.0;

/// Checks that writing these effects does not take too long. `what` is the operation, and `advice` says what to do instead.
pub(crate) fn refuse_long(effects: &[Effect], what: &str, advice: &str) -> Result<(), Refusal> {
    if hold(effects) <= MAX_HOLD {
        return Ok(());
    }
    let (count, max) = (effects.len(), MAX_HOLD.as_secs());
    Err(Refusal::LimitReached(format!(
        "{what} would write {count} records, and block all other changes for more than {max} seconds. {advice}"
    )))
}

/// How long a simulation of these effects may take by that measure, of the 250 ms that it has on SQLite: it also reads what they mean for
/// people, stores them and undoes them.
const MAX_SIMULATED: Duration = Duration::from_millis(60);

/// Whether a changeset can probably hold these effects.
pub(crate) fn fits_simulation(effects: &[Effect]) -> bool {
    hold(effects) <= MAX_SIMULATED
}

/// About how long the effects hold SQLite's writer. A deletion has one image, as a creation.
fn hold(effects: &[Effect]) -> Duration {
    let is_change = |effect: &&Effect| effect.before.is_some() && effect.after.is_some();
    let (changed, other): (Vec<&Effect>, Vec<&Effect>) = effects.iter().partition(is_change);
    let seconds = |effects: Vec<&Effect>, rate: f64| Duration::from_secs(effects.len() as u64).div_f64(rate);
    seconds(other, CREATED_PER_SECOND) + seconds(changed, CHANGED_PER_SECOND)
}
