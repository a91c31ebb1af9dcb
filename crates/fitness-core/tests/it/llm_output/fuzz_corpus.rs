//! Replays the fuzz corpus in `fuzz/corpus/llm_output`, one file per input.

use fitness_core::llm_output::fuzzing::contract;
use std::path::Path;

#[test]
fn fuzz_corpus_inputs_never_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/llm_output");
    let mut inputs: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "{} inputs", inputs.len());
    for input in inputs {
        let bytes = std::fs::read(&input).unwrap();
        let outcome = std::panic::catch_unwind(|| contract(&bytes));
        assert!(outcome.is_ok(), "{} fails; see above", input.display());
    }
}
