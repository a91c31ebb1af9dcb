//! Random secrets that are shown once and stored only as a hash.

use fitness_core::domain::content_hash::ContentHash;
use secrecy::{ExposeSecret, SecretString};
use std::fmt::Write;

/// A new random secret: 32 bytes in hexadecimal. `Debug` output is redacted, and only the hash is
/// stored.
#[derive(Debug)]
pub struct Token(SecretString);

impl Token {
    #[must_use]
    pub fn random() -> Self {
        Self(random_hex::<32>().into())
    }

    /// The secret itself, to show to its owner once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    pub(crate) fn hash(&self) -> String {
        hash(self.reveal())
    }
}

/// Random bytes in hexadecimal, for ids and secrets.
pub(crate) fn random_hex<const BYTES: usize>() -> String {
    rand::random::<[u8; BYTES]>().iter().fold(String::with_capacity(2 * BYTES), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

/// The stored hash of a secret. A fast hash is enough for 32 random bytes.
pub(crate) fn hash(secret: &str) -> String {
    ContentHash::hash_bytes(secret.as_bytes()).to_string()
}
