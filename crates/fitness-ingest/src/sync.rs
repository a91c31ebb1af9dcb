//! One visit to a live service, from what it says to the frontier.

use crate::batch::Gatherer;
use crate::import::{Progress, Stop};
use crate::outcome::Outcome;
use crate::parse::{self, FILE_BYTES, Format};
use crate::recompute::recompute;
use crate::{Clock, Error};
use fitness_core::adherence::data_frontier::Evidence;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_core::domain::source_record::{ReportKey, Told};
use fitness_sources::files::{self, Found, Limits, Refused, Visitor, read_all};
use fitness_sources::live::{self, Heard, Listener, Source, Span};
use fitness_store::{FinishedFiles, RunKind, RunOutcome, RunState, Store};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::ops::ControlFlow::{self, Break, Continue};

/// How far back the first visit to a service looks.
const FIRST_LOOK_DAYS: i64 = 180;
/// How far back every later visit looks again: watches are late, and titles get changed.
const LOOK_AGAIN_DAYS: i64 = 7;

/// What to ask a service for.
#[derive(Debug, Clone, Copy)]
pub struct Sync {
    /// Whose account it is.
    pub user: UserId,
    /// Which source.
    pub source: SourceId,
    /// From which day on; from where the last visit ended when not given.
    pub since: Option<Day>,
}

/// Asks a service for what is new and takes it in.
///
/// # Errors
/// When the service could not be read at all, or the database refuses. The run is noted as failed, and the frontier
/// stays where it was.
pub async fn sync<S: Source>(
    store: &Store,
    wanted: Sync,
    service: &mut S,
    clock: Clock,
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Result<Outcome, Error> {
    let Sync { user, source, since } = wanted;
    let zone = store.profile(user).await?.zone;
    let today = Day::at(clock(), zone);
    let last = store.last_sync(user, source).await?;
    let from = since.unwrap_or_else(|| match last {
        Some(complete) => complete.plus(-LOOK_AGAIN_DAYS).min(today),
        None => today.plus(-FIRST_LOOK_DAYS),
    });
    let span = Span { from, through: today };
    // Days between what this source was asked for before and what it is asked for now would be nobody's; then the
    // visit proves nothing.
    let gap = from > last.map_or_else(|| today.plus(-FIRST_LOOK_DAYS), Day::next);
    let run = store.begin_run(user, RunKind::Live, Some(source), clock()).await?;
    let mut gatherer = Gatherer::new(store, user, zone, clock);
    gatherer.source = Some(source);
    let mut hearing = Hearing {
        with_files: store.reports_with_files(user, service.kind()).await?,
        gatherer,
        progress,
        stop,
        counts: (0, 0),
        broken: None,
    };
    // A service may keep us waiting for minutes; the athlete need not wait along.
    let visit = tokio::select! {
        visit = service.fetch(span, &mut hearing) => visit.map(Some),
        () = stop.asked() => Ok(None),
    };
    let Hearing { mut gatherer, broken, progress, .. } = hearing;
    let written = match broken {
        Some(error) => Err(error),
        None => gatherer.flush().await,
    };
    let (mut outcome, _, _) = gatherer.finish();
    outcome.stopped = stop.is_asked();
    let (state, evidence, problem) = match (&visit, &written) {
        (_, Err(error)) => (RunState::Failed, None, Some(error.to_string())),
        (Err(fault), Ok(())) => (RunState::Failed, None, Some(fault.to_string())),
        (Ok(None), Ok(())) => (RunState::Partial, None, Some("it was stopped before its end".to_owned())),
        (Ok(Some(visit)), Ok(())) => {
            for missing in &visit.missing {
                outcome.skip(missing.dataset, &missing.reason);
            }
            let whole = visit.activities_complete && !outcome.stopped;
            let evidence = (whole && !gap).then_some(Evidence::LiveSync {
                polled_at: visit.polled_at,
                newest_record: visit.newest_record,
            });
            let problem = if gap {
                Some(format!("the days before {from} were not asked for; sync with --since an earlier day"))
            } else if !whole {
                Some("not all activities could be read".to_owned())
            } else {
                visit.missing.iter().find(|missing| missing.reason.passes()).map(ToString::to_string)
            };
            // What is missing for good would be asked for again for ever.
            (if problem.is_some() { RunState::Partial } else { RunState::Done }, evidence, problem)
        }
    };
    if gap && visit.is_ok() {
        outcome.skip("frontier", problem.clone().unwrap_or_default());
    }
    let summary = serde_json::to_value(&outcome).expect("an outcome is plain data");
    let evidence = evidence.into_iter().collect();
    let coverage = store
        .finish_run(
            user,
            run,
            RunOutcome { kind: None, state, evidence, summary, problem, files: FinishedFiles::default() },
            clock(),
        )
        .await;
    written?;
    visit?;
    outcome.coverage = coverage?;
    outcome.worked_out = recompute(store, user, &mut |done| progress.worked_out(done), stop).await?;
    Ok(outcome)
}

/// Writes down what a service says.
struct Hearing<'a> {
    gatherer: Gatherer<'a>,
    /// What the service calls activities whose file is here already.
    with_files: HashSet<String>,
    progress: &'a mut dyn Progress,
    stop: &'a Stop,
    /// Files and activities so far.
    counts: (u64, u64),
    broken: Option<Error>,
}

impl Listener for Hearing<'_> {
    fn wants_file(&self, activity: &ReportKey) -> bool {
        !self.with_files.contains(&activity.id)
    }

    async fn hear(&mut self, heard: Heard) -> ControlFlow<()> {
        match heard {
            Heard::Told(told) => {
                self.counts.1 += u64::from(matches!(told, Told::Activity(_)));
                self.gatherer.told(told);
            }
            Heard::File { activity, name, bytes } => {
                self.counts.0 += 1;
                self.file(&activity, &name, &bytes);
            }
        }
        self.progress.done(self.counts.0, self.counts.1);
        if let Err(error) = self.gatherer.write_when_full().await {
            self.broken = Some(error);
            return Break(());
        }
        if self.stop.is_asked() { Break(()) } else { Continue(()) }
    }
}

impl Hearing<'_> {
    fn file(&mut self, activity: &ReportKey, name: &str, bytes: &[u8]) {
        let unpacked = match unpack(bytes) {
            Ok(unpacked) => unpacked,
            Err(why) => return self.gatherer.outcome.skip(activity.to_string(), why),
        };
        if let Some(why) = unpacked.refused {
            self.gatherer.outcome.skip(activity.to_string(), why);
        }
        let (zone, now) = (self.gatherer.zone(), self.gatherer.now());
        for (inner, bytes) in unpacked.files {
            let hash = ContentHash::of_bytes(&bytes);
            let inner = if inner.is_empty() { name } else { &inner };
            let Some(format) = Format::looks_like(&bytes) else {
                self.gatherer.outcome.skip(activity.to_string(), "its file is none of FIT, TCX and GPX");
                continue;
            };
            let read = parse::read(format, inner, hash, &bytes, zone, now);
            self.gatherer.file(activity.to_string(), hash, read);
        }
    }
}

/// What was in what a service served.
#[derive(Default)]
struct Unpacked {
    /// Names and bytes; a name is empty where there is none.
    files: Vec<(String, Vec<u8>)>,
    /// Why something in it was left out.
    refused: Option<Refused>,
}

impl Visitor for Unpacked {
    fn wants(&mut self, _: &Found<'_>) -> bool {
        true
    }
    fn visit(&mut self, found: &Found<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        if let Ok(bytes) = read_all(reader, FILE_BYTES) {
            self.files.push((found.name.to_owned(), bytes));
        }
        Continue(())
    }
    fn skipped(&mut self, _: &str, reason: Refused) {
        self.refused.get_or_insert(reason);
    }
}

/// The files in what a service served: itself, or what a ZIP or gzip holds. An archive goes through a file of its own,
/// under no name that came from it.
fn unpack(bytes: &[u8]) -> std::io::Result<Unpacked> {
    let suffix = match bytes {
        [b'P', b'K', ..] => ".zip",
        [0x1f, 0x8b, ..] => ".gz",
        _ => return Ok(Unpacked { files: vec![(String::new(), bytes.to_vec())], refused: None }),
    };
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile()?;
    file.write_all(bytes)?;
    let mut all = Unpacked::default();
    let _never_broken_off = files::walk(&[file.path()], &Limits::default(), &mut all);
    if suffix == ".gz" {
        // Its name is that of our own temporary file.
        all.files.iter_mut().for_each(|(name, _)| name.clear());
    }
    Ok(all)
}

impl From<live::Fault> for Error {
    fn from(fault: live::Fault) -> Self {
        Self::Service(fault)
    }
}
