//! Secrets that are handed out once and kept only as a hash.

use fitness_core::domain::content_hash::ContentHash;
use secrecy::{ExposeSecret, SecretString};
use std::fmt::Write;

/// A fresh random secret: 32 bytes in hexadecimal. It cannot be printed by accident, and what is stored of
/// it is its hash.
#[derive(Debug)]
pub struct Token(SecretString);

impl Token {
    /// A fresh one.
    #[must_use]
    pub fn random() -> Self {
        Self(random_hex::<32>().into())
    }

    /// The secret itself, to be shown to its owner once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    pub(crate) fn hash(&self) -> String {
        hash(self.reveal())
    }
}

/// So many random bytes in hexadecimal: a name or a secret that nobody else has.
pub(crate) fn random_hex<const BYTES: usize>() -> String {
    rand::random::<[u8; BYTES]>().iter().fold(String::with_capacity(2 * BYTES), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

/// What is stored of a secret. A fast hash suffices: there is nothing to guess in 32 random bytes.
pub(crate) fn hash(secret: &str) -> String {
    ContentHash::hash_bytes(secret.as_bytes()).to_string()
}
