//! What fuzzing kept, read again in every run of the tests: `fuzz/corpus/contract`, a file for each input.

use fitness_core::llm_output::fuzzing::contract;
use std::path::Path;

#[test]
fn fuzz_corpus_inputs_never_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/contract");
    let mut inputs: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "{} inputs", inputs.len());
    for input in inputs {
        let bytes = std::fs::read(&input).unwrap();
        let outcome = std::panic::catch_unwind(|| contract(&bytes));
        assert!(outcome.is_ok(), "{} fails; see above", input.display());
    }
}
