//! No file, request or model reply deserializes into a `Consent`.
use fitness_store::Consent;

fn main() {
    let _parsed: Consent = serde_json::from_str("{}").unwrap();
}
