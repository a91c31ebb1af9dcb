//! Signatures of thinking blocks, valid only for the model that produced them.

use sha2::{Digest as _, Sha256};

pub(super) fn sign(model: &str, thought: &str) -> String {
    let mut hash = Sha256::new();
    for part in ["only the fake knows this", model, thought] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
