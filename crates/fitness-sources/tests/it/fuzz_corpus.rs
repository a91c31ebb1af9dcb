//! Replays the fuzz corpus in `fuzz/corpus/TARGET`, one file per input.

use fitness_sources::fuzzing;
use std::fs;
use std::path::Path;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "{target} has {} inputs", inputs.len());
    for input in inputs {
        let bytes = fs::read(&input).unwrap();
        let outcome = std::panic::catch_unwind(|| check(&bytes));
        assert!(outcome.is_ok(), "{} fails; see above", input.display());
    }
}

#[test]
fn fit_corpus_never_panics() {
    replay("fit", fuzzing::fit);
}

#[test]
fn zip_corpus_never_panics() {
    replay("zip", fuzzing::zip);
}

#[test]
fn tracks_corpus_never_panics() {
    replay("tracks", fuzzing::tracks);
}

#[test]
fn export_json_corpus_never_panics() {
    replay("export_json", fuzzing::export_json);
}
