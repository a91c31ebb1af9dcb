//! Syncs a live service and updates the data frontier.

use crate::batch::BatchWriter;
use crate::import::{ImportProgressListener, StopSignal};
use crate::merge_rules::apply_merge_rules;
use crate::outcome::ImportOutcome;
use crate::parse::{self, Format, MAX_FILE_BYTES};
use crate::recompute::recompute;
use crate::{Clock, Error};
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_core::domain::source_record::{ImportedRecord, RecordKey};
use fitness_sources::files::{self, FileEntry, ReadLimits, SkipError, Visitor, read_all};
use fitness_sources::live::{self, DayRange, FetchListener, FetchedItem, Source};
use fitness_store::{FinishedFiles, Store, SyncRunKind, SyncRunOutcome, SyncRunState};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::ops::ControlFlow::{self, Break, Continue};

/// Range of the first sync of a service.
const INITIAL_SYNC_DAYS: i64 = 180;
/// Later syncs overlap by this much: watches upload late, and titles change.
const OVERLAP_DAYS: i64 = 7;

#[derive(Debug, Clone, Copy)]
pub struct SyncRequest {
    pub user: UserId,
    pub source: SourceId,
    /// First day; by default where the last sync ended.
    pub from: Option<Day>,
}

/// Fetches new data from a service and stores it.
///
/// # Errors
/// If nothing could be fetched or the database fails. The run is recorded as failed and the
/// frontier does not move.
pub async fn sync<S: Source>(
    store: &Store,
    wanted: SyncRequest,
    service: &mut S,
    clock: Clock,
    progress: &mut dyn ImportProgressListener,
    stop: &StopSignal,
) -> Result<ImportOutcome, Error> {
    let SyncRequest { user, source, from: since } = wanted;
    let zone = store.profile(user).await?.zone;
    let today = Day::at(clock(), zone);
    let last = store.find_synced_through(user, source).await?;
    let from = since.unwrap_or_else(|| match last {
        Some(complete) => complete.plus_days(-OVERLAP_DAYS).min(today),
        None => today.plus_days(-INITIAL_SYNC_DAYS),
    });
    let span = DayRange { from, through: today };
    // With a gap between the last sync and this one, the sync proves nothing about coverage.
    let gap = from > last.map_or_else(|| today.plus_days(-INITIAL_SYNC_DAYS), Day::next);
    let merge_rules = apply_merge_rules(store, user, clock()).await?;
    let run = store.begin_sync_run(user, SyncRunKind::Live, Some(source), clock()).await?;
    let mut gatherer = BatchWriter::new(store, user, zone, clock);
    gatherer.source = Some(source);
    let mut hearing = SyncWriter {
        activities_with_files: store.list_record_ids_with_files(user, service.kind()).await?,
        gatherer,
        progress,
        stop,
        counts: (0, 0),
        error: None,
    };
    // A service may respond slowly, so stopping does not wait for it.
    let visit = tokio::select! {
        visit = service.fetch(span, &mut hearing) => visit.map(Some),
        () = stop.wait() => Ok(None),
    };
    let SyncWriter { mut gatherer, error: broken, progress, .. } = hearing;
    let written = match broken {
        Some(error) => Err(error),
        None => gatherer.flush().await,
    };
    let (mut outcome, _, _) = gatherer.finish();
    outcome.stopped = stop.is_stopped();
    let (state, evidence, problem) = match (&visit, &written) {
        (_, Err(error)) => (SyncRunState::Failed, None, Some(error.to_string())),
        (Err(fault), Ok(())) => (SyncRunState::Failed, None, Some(fault.to_string())),
        (Ok(None), Ok(())) => (SyncRunState::Partial, None, Some("stopped before the end".to_owned())),
        (Ok(Some(visit)), Ok(())) => {
            for missing in &visit.missing {
                outcome.skip(missing.dataset, &missing.reason);
            }
            let whole = visit.activities_complete && !outcome.stopped;
            let evidence = (whole && !gap).then_some(CoverageEvidence::LiveSync {
                polled_at: visit.polled_at,
                newest_record: visit.newest_record,
            });
            let problem = if gap {
                Some(format!(
                    "days before {from} were not requested; sync again with --since and an earlier day"
                ))
            } else if !whole {
                Some("not all activities could be read".to_owned())
            } else {
                visit.missing.iter().find(|missing| missing.reason.is_transient()).map(ToString::to_string)
            };
            // Permanent errors do not keep the sync incomplete, or it would be repeated forever.
            (if problem.is_some() { SyncRunState::Partial } else { SyncRunState::Done }, evidence, problem)
        }
    };
    if gap && visit.is_ok() {
        outcome.skip("coverage", problem.clone().unwrap_or_default());
    }
    let summary = serde_json::to_value(&outcome).expect("an outcome is plain data");
    let evidence = evidence.into_iter().collect();
    let coverage = store
        .finish_sync_run(
            user,
            run,
            SyncRunOutcome { kind: None, state, evidence, summary, problem, files: FinishedFiles::default() },
            clock(),
        )
        .await;
    written?;
    visit?;
    outcome.coverage = coverage?;
    outcome.merge_rules = merge_rules;
    outcome.worked_out = recompute(store, user, &mut |done| progress.set_recomputed(done), stop).await?;
    Ok(outcome)
}

/// Stores what a service sends.
struct SyncWriter<'a> {
    gatherer: BatchWriter<'a>,
    /// Ids of activities whose file is already stored.
    activities_with_files: HashSet<String>,
    progress: &'a mut dyn ImportProgressListener,
    stop: &'a StopSignal,
    /// Number of files and activities so far.
    counts: (u64, u64),
    error: Option<Error>,
}

impl FetchListener for SyncWriter<'_> {
    fn wants_file(&self, activity: &RecordKey) -> bool {
        !self.activities_with_files.contains(&activity.id)
    }

    async fn receive(&mut self, heard: FetchedItem) -> ControlFlow<()> {
        match heard {
            FetchedItem::Record(told) => {
                self.counts.1 += u64::from(matches!(told, ImportedRecord::Activity(_)));
                // What is left out is in the outcome.
                let _left_out = self.gatherer.add_record(told);
            }
            FetchedItem::File { activity, name, bytes } => {
                self.counts.0 += 1;
                self.add_file(&activity, &name, &bytes);
            }
        }
        self.progress.set_imported(self.counts.0, self.counts.1);
        if let Err(error) = self.gatherer.flush_if_full().await {
            self.error = Some(error);
            return Break(());
        }
        if self.stop.is_stopped() { Break(()) } else { Continue(()) }
    }
}

impl SyncWriter<'_> {
    fn add_file(&mut self, activity: &RecordKey, name: &str, bytes: &[u8]) {
        let unpacked = match unpack(bytes) {
            Ok(unpacked) => unpacked,
            Err(why) => return self.gatherer.outcome.skip(activity.to_string(), why),
        };
        if let Some(why) = unpacked.skip_reason {
            self.gatherer.outcome.skip(activity.to_string(), why);
        }
        let (zone, now) = (self.gatherer.zone(), self.gatherer.now());
        for (inner, bytes) in unpacked.files {
            let hash = ContentHash::hash_bytes(&bytes);
            let inner = if inner.is_empty() { name } else { &inner };
            let Some(format) = Format::from_content(&bytes) else {
                self.gatherer.outcome.skip(activity.to_string(), "the file is not FIT, TCX or GPX");
                continue;
            };
            let read = parse::parse_file(format, inner, hash, &bytes, zone, now);
            self.gatherer.add_file(activity.to_string(), format, hash, read);
        }
    }
}

/// Files in a response.
#[derive(Default)]
struct UnpackedFiles {
    /// Names and bytes; the name may be empty.
    files: Vec<(String, Vec<u8>)>,
    /// Why something was skipped.
    skip_reason: Option<SkipError>,
}

impl Visitor for UnpackedFiles {
    fn should_read(&mut self, _: &FileEntry<'_>) -> bool {
        true
    }
    fn visit(&mut self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        if let Ok(bytes) = read_all(reader, MAX_FILE_BYTES) {
            self.files.push((found.name.to_owned(), bytes));
        }
        Continue(())
    }
    fn on_skipped(&mut self, _: &str, reason: SkipError) {
        self.skip_reason.get_or_insert(reason);
    }
}

/// Unpacks a response: a plain file, a ZIP or gzip. Archives go through a temporary file; names
/// from the archive are never used as paths.
fn unpack(bytes: &[u8]) -> std::io::Result<UnpackedFiles> {
    let suffix = match bytes {
        [b'P', b'K', ..] => ".zip",
        [0x1f, 0x8b, ..] => ".gz",
        _ => return Ok(UnpackedFiles { files: vec![(String::new(), bytes.to_vec())], skip_reason: None }),
    };
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile()?;
    file.write_all(bytes)?;
    let mut all = UnpackedFiles::default();
    let _never_broken_off = files::walk(&[file.path()], &ReadLimits::default(), &mut all);
    if suffix == ".gz" {
        // The name is that of our temporary file.
        all.files.iter_mut().for_each(|(name, _)| name.clear());
    }
    Ok(all)
}

impl From<live::FetchError> for Error {
    fn from(fault: live::FetchError) -> Self {
        Self::Service(fault)
    }
}
