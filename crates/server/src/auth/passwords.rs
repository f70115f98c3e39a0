//! Passwords: argon2id in a bounded pool, so that sign-ins cannot use up the server's threads or memory.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use axum::http::header;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use fieldhouse_api::Code;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::background;
use crate::clock::Clock;
use crate::failure::Failure;

/// The cost of a hash: 19 MiB, two passes, one lane, the minimum that OWASP recommends for argon2id.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// How many sign-ins may run or wait, for each that may run: as many as it completes in a few seconds.
const TURNS: usize = 64;

/// Creates and checks password hashes, a few at a time.
#[derive(Clone)]
pub struct Passwords {
    permits: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    /// A hash to check for unknown users, so that their sign-in takes as long as others.
    decoy: Arc<str>,
}

impl Passwords {
    /// Runs hashes on half of the processors at a time, so that a flood of sign-ins leaves the others to other requests.
    pub fn new(clock: &Clock) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let base64 = |bytes: [u8; 32], length| STANDARD_NO_PAD.encode(&bytes[..length]);
        let (salt, output) = (base64(clock.random(), 16), base64(clock.random(), 32));
        let decoy = format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${output}");
        let at_once = processors.div_ceil(2);
        let (permits, turns) = (Semaphore::new(at_once), Semaphore::new(at_once * TURNS));
        Self { permits: Arc::new(permits), turns: Arc::new(turns), decoy: decoy.into() }
    }

    /// Waits for a turn. Refused if too many callers wait already.
    pub fn turn(&self) -> Result<Turn, Failure> {
        let busy = |_| Failure::of(Code::Overloaded).header(header::RETRY_AFTER, "2");
        let place = self.turns.clone().try_acquire_owned().map_err(busy)?;
        Ok(Turn { passwords: self.clone(), _place: place })
    }
}

/// A turn to create or check a hash.
pub struct Turn {
    passwords: Passwords,
    _place: OwnedSemaphorePermit,
}

impl Turn {
    /// The hash of a password, in PHC string format.
    pub async fn hash(&self, password: SecretString, salt: [u8; 16]) -> Result<String, Failure> {
        self.bounded(move || hash(password.expose_secret().as_bytes(), &salt)).await?
    }

    /// Whether a password matches a hash. Without a hash the same work is done, and the result is false.
    pub async fn verify(&self, password: SecretString, expected: Option<String>) -> Result<bool, Failure> {
        let decoy = self.passwords.decoy.clone();
        self.bounded(move || {
            let known = expected.is_some();
            let text = expected.as_deref().unwrap_or(&decoy);
            let right = PasswordHash::new(text).is_ok_and(|expected| {
                argon2().is_ok_and(|argon2| {
                    argon2.verify_password(password.expose_secret().as_bytes(), &expected).is_ok()
                })
            });
            right && known
        })
        .await
    }

    async fn bounded<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let permit = self
            .passwords
            .permits
            .clone()
            .acquire_owned()
            .await
            .map_err(|error| Failure::internal(error.to_string()))?;
        background::run(move || {
            let done = work();
            drop(permit);
            done
        })
        .await
    }
}

fn argon2() -> Result<Argon2<'static>, argon2::Error> {
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(MEMORY_KIB, PASSES, LANES, None)?))
}

fn hash(password: &[u8], salt: &[u8; 16]) -> Result<String, Failure> {
    let internal = |error: String| Failure::internal(error);
    let argon2 = argon2().map_err(|error| internal(error.to_string()))?;
    let hash = argon2.hash_password_with_salt(password, salt).map_err(|error| internal(error.to_string()))?;
    Ok(hash.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_is_refused_with_retry_after() {
        let passwords = Passwords::new(&Clock::system());
        let turns: Vec<Turn> = std::iter::from_fn(|| passwords.turn().ok()).collect();
        assert!(turns.len() >= TURNS);
        assert_eq!(passwords.turn().err().map(|failure| failure.code()), Some(Code::Overloaded));
        drop(turns);
        assert!(passwords.turn().is_ok());
    }
}
