//! Files of the demo athlete, generated once for all tests, and helpers to import them.

use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_demo::DemoAthlete;
use fitness_ingest::{ImportOutcome, ImportRequest, StopSignal, import};
use fitness_store::Store;
use fitness_store::testkit::now;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Three weeks of the demo athlete, as an export and unpacked.
pub(crate) struct DemoExport {
    _directory: TempDir,
    pub(crate) zip: PathBuf,
    /// All files, including those of inner archives.
    pub(crate) files: Vec<PathBuf>,
    /// Number of activities.
    pub(crate) activities: u64,
}

/// Last day of the demo, which is today in the test kit.
pub(crate) fn today() -> Day {
    Day::at(now(), chrono_tz::Tz::UTC)
}

pub(crate) fn demo_export() -> &'static DemoExport {
    static EXPORT: OnceLock<DemoExport> = OnceLock::new();
    EXPORT.get_or_init(|| {
        let directory = TempDir::new().unwrap();
        let zip = directory.path().join("export.zip");
        let demo = DemoAthlete { weeks: 3, ..DemoAthlete::new(7, today(), chrono_tz::Tz::UTC) };
        let written = demo.export(File::create(&zip).unwrap(), &mut |_, _| {}).unwrap();
        let files = unpack(&zip, &directory.path().join("unpacked"));
        DemoExport { _directory: directory, zip, files, activities: written.activities as u64 }
    })
}

fn unpack(zip: &Path, to: &Path) -> Vec<PathBuf> {
    let mut archive = zip::ZipArchive::new(File::open(zip).unwrap()).unwrap();
    archive.extract(to).unwrap();
    let mut files = Vec::new();
    let mut folders = vec![to.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "zip") {
                files.extend(unpack(&path, &path.with_extension("unpacked")));
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Imports with `--again`.
pub(crate) async fn reimport(store: &Store, user: UserId, paths: &[PathBuf]) -> ImportOutcome {
    let wanted = ImportRequest { user, paths: paths.to_vec(), reimport: true, count_first: false };
    import(store, wanted, clock, &mut (), &StopSignal::default()).await.unwrap()
}

pub(crate) fn clock() -> Instant {
    now()
}

/// Deletes all computed metrics and recomputes them.
pub(crate) async fn recompute_from_scratch(store: &Store, user: UserId) {
    store.delete_computed_metrics(user, clock()).await.unwrap();
    let worked = fitness_ingest::recompute(store, user, &mut |_| {}, &StopSignal::default()).await.unwrap();
    assert!(worked.measured > 0 && worked.judged == worked.measured && worked.days > 0, "{worked:?}");
}
