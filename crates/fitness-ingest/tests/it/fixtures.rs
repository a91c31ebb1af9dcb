//! The demo athlete's files, made once for all tests, and imports of them.

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

/// Three weeks of a runner's life: one export, and the same unpacked.
pub(crate) struct DemoExport {
    _directory: TempDir,
    pub(crate) zip: PathBuf,
    /// Every file in it, inner archives unpacked too.
    pub(crate) files: Vec<PathBuf>,
    /// How many activities they are about.
    pub(crate) activities: u64,
}

/// The day the demo ends: the test kit's today.
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

/// Imports as somebody would who wants everything read again.
pub(crate) async fn reimport(store: &Store, user: UserId, paths: &[PathBuf]) -> ImportOutcome {
    let wanted = ImportRequest { user, paths: paths.to_vec(), reimport: true, count_first: false };
    import(store, wanted, clock, &mut (), &StopSignal::default()).await.unwrap()
}

pub(crate) fn clock() -> Instant {
    now()
}

/// Drops everything that was worked out and works it out again, from nothing.
pub(crate) async fn recompute_from_scratch(store: &Store, user: UserId) {
    store.delete_computed_metrics(user, clock()).await.unwrap();
    let worked = fitness_ingest::recompute(store, user, &mut |_| {}, &StopSignal::default()).await.unwrap();
    assert!(worked.measured > 0 && worked.judged == worked.measured && worked.days > 0, "{worked:?}");
}
