//! What fuzzing kept, read again in every run of the tests: `fuzz/corpus/TARGET`, a file for each input.

use fitness_sources::fuzzing;
use std::fs;
use std::path::Path;

/// Feeds a target's corpus to what the target checks.
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
fn no_fit_file_breaks_its_reader() {
    replay("fit", fuzzing::fit);
}

#[test]
fn no_archive_leads_out_or_on_for_ever() {
    replay("zip", fuzzing::zip);
}

#[test]
fn no_track_breaks_its_reader() {
    replay("tracks", fuzzing::tracks);
}

#[test]
fn no_account_export_breaks_its_reader() {
    replay("export_json", fuzzing::export_json);
}
