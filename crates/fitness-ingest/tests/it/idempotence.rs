//! Imports are idempotent: repeated, shuffled, partitioned, concurrent. Guarantee 7.

use crate::fixtures::{clock, demo_export, recompute_from_scratch, reimport};
use fitness_ingest::{ImportRequest, StopSignal, import};
use fitness_store::on_both_databases;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::path::PathBuf;

/// Deterministic random partitions of the demo's files, with duplicates.
fn random_partitions(cases: usize) -> Vec<Vec<Vec<PathBuf>>> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let files = demo_export().files.clone();
    let shuffled = proptest::strategy::Just(files).prop_shuffle();
    let strategy = (shuffled, 1..6_usize, 0..10_usize).prop_map(|(mut files, parts, again)| {
        files.extend_from_within(..again);
        files.chunks(files.len().div_ceil(parts)).map(<[PathBuf]>::to_vec).collect::<Vec<_>>()
    });
    (0..cases).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

on_both_databases! {
    async fn importing_again_changes_nothing(db) {
        let ann = db.user("Ann").await;
        let zip = [demo_export().zip.clone()];
        let first = reimport(&db.store, ann, &zip).await;
        assert!(first.added == demo_export().activities && first.days > 15, "each is a file and a row of a list, and one activity: {first:?}");
        assert_eq!(first.skipped, []);
        let (print, audited) = (db.store.fingerprint(ann).await.unwrap(), db.store.audit_head(ann).await.unwrap());
        // Everything is read again with the same result.
        let second = reimport(&db.store, ann, &zip).await;
        assert!(second.is_unchanged(), "{second:?}");
        assert!(second.already_there > 10, "{second:?}");
        assert_eq!(db.store.fingerprint(ann).await.unwrap(), print);
        // Only the run is recorded.
        assert_eq!(db.store.audit_head(ann).await.unwrap().seq, audited.seq + 1);
        // Without --again, known files are not opened.
        let third = import(&db.store, ImportRequest { user: ann, paths: zip.to_vec(), reimport: false, count_first: true }, clock, &mut (), &StopSignal::default()).await.unwrap();
        assert_eq!((third.files_already_there, third.files), (1, 0));
        assert_eq!(db.store.fingerprint(ann).await.unwrap(), print);
    }

    async fn import_in_any_order_and_partition_gives_the_same_data(db) {
        let whole = db.user("whole").await;
        reimport(&db.store, whole, &[demo_export().zip.clone()]).await;
        let print = db.store.fingerprint(whole).await.unwrap();
        for (case, parts) in random_partitions(4).into_iter().enumerate() {
            let user = db.user(&format!("case {case}")).await;
            for part in parts {
                let outcome = reimport(&db.store, user, &part).await;
                assert_eq!(outcome.skipped, []);
            }
            assert_eq!(db.store.fingerprint(user).await.unwrap(), print, "case {case}");
            let derived = db.store.derived_fingerprint(user).await.unwrap();
            recompute_from_scratch(&db.store, user).await;
            assert_eq!(db.store.derived_fingerprint(user).await.unwrap(), derived, "metrics, case {case}");
        }
    }

    async fn concurrent_imports_of_one_export_store_it_once(db) {
        let whole = db.user("whole").await;
        reimport(&db.store, whole, &[demo_export().zip.clone()]).await;
        let ann = db.user("Ann").await;
        let mut imports = tokio::task::JoinSet::new();
        for parts in random_partitions(8) {
            let store = db.store.clone();
            imports.spawn(async move {
                let mut added = 0;
                for part in parts {
                    added += reimport(&store, ann, &part).await.added;
                }
                added
            });
        }
        let added: u64 = imports.join_all().await.into_iter().sum();
        let (count, _) = db.store.count_activities(ann).await.unwrap();
        assert_eq!(added, count, "each activity was added by exactly one of them");
        assert_eq!(db.store.fingerprint(ann).await.unwrap(), db.store.fingerprint(whole).await.unwrap());
        let derived = db.store.derived_fingerprint(ann).await.unwrap();
        recompute_from_scratch(&db.store, ann).await;
        assert_eq!(db.store.derived_fingerprint(ann).await.unwrap(), derived);
    }
}
