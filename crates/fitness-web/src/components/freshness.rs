//! The status line on every page: the last complete day of data and the last import.

use crate::components::core_message::for_page;
use crate::components::time;
use crate::http::error::PageError;
use crate::page::PageContext;
use fitness_core::adherence::data_frontier::DataFrontier;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::source_record::SourceKind;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Store, SyncRun, SyncRunKind, SyncRunState};
use maud::{Markup, html};

/// Sync runs searched for the last successful one.
const MAX_RUNS: u64 = 20;

#[derive(Debug, Clone)]
pub(crate) struct DataStatus {
    pub(crate) frontier: DataFrontier,
    /// Whether a service is connected.
    pub(crate) can_sync: bool,
    /// Whether workouts can be sent to a watch through a connected service.
    pub(crate) can_send: bool,
    /// The last run that brought data.
    last_run: Option<(SyncRunKind, Instant)>,
    /// The error of the last failed run that no later run resolved.
    problem: Option<String>,
    is_running: bool,
    /// Whether metrics are being recomputed.
    is_updating: bool,
}

pub(crate) async fn load(store: &Store, user: UserId) -> Result<DataStatus, PageError> {
    let runs = store.list_sync_runs(user, MAX_RUNS).await?;
    let came = |run: &&SyncRun| {
        matches!(run.state, SyncRunState::Done | SyncRunState::Partial) && run.kind != SyncRunKind::Declared
    };
    let last = runs.iter().filter(came).find(|run| run.kind == SyncRunKind::Live || has_new_data(run));
    let latest = runs.iter().find(|run| run.kind != SyncRunKind::Declared);
    let sources = store.list_sources(user).await?;
    let is_there =
        |run: &&SyncRun| run.source.is_none_or(|source| sources.iter().any(|known| known.id == source));
    let failed = runs.iter().filter(is_there).find(|run| {
        run.state == SyncRunState::Failed
            && !runs.iter().take_while(|later| later.id != run.id).any(|later| resolves_failure(later, run))
    });
    Ok(DataStatus {
        frontier: store.frontier(user).await?,
        can_sync: !sources.is_empty(),
        can_send: sources.iter().any(|source| source.kind == SourceKind::Intervals.as_str()),
        last_run: last.and_then(|run| Some((run.kind, run.finished_at?))),
        problem: failed.and_then(|run| run.problem.clone()),
        is_running: latest.is_some_and(|run| run.state == SyncRunState::Running),
        is_updating: store.recompute_state(user).await?.stale_from.is_some(),
    })
}

fn has_new_data(run: &SyncRun) -> bool {
    let some = |name: &str| run.summary.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default() > 0;
    ["added", "joined", "changed", "days"].into_iter().any(some)
}

/// Whether a later run resolves a failed one. A failed sync needs a successful sync of the same
/// service; a failed file import is resolved by any later success.
fn resolves_failure(later: &SyncRun, failed: &SyncRun) -> bool {
    let worked = matches!(later.state, SyncRunState::Done | SyncRunState::Partial)
        && later.kind != SyncRunKind::Declared;
    let answers = failed.kind != SyncRunKind::Live
        || (later.kind == SyncRunKind::Live && later.source == failed.source);
    worked && answers
}

impl DataStatus {
    /// The last complete day.
    pub(crate) const fn complete_through(&self) -> Option<Day> {
        self.frontier.complete_through()
    }

    /// Whether an import or a sync is running.
    pub(crate) const fn is_running(&self) -> bool {
        self.is_running
    }
}

pub(crate) fn render(view: &PageContext) -> Markup {
    let fresh = &view.freshness;
    let (zone, today) = (view.profile.zone, view.today);
    let came = fresh.last_run.map(|(kind, at)| {
        let what = if kind == SyncRunKind::Live { "last sync" } else { "last import" };
        format!("{what} {}", time::clock_or_date(at, zone, today))
    });
    let state = match (fresh.complete_through(), &fresh.problem) {
        (_, Some(_)) => "bad",
        (Some(day), None) if day.days_until(today) <= 1 => "good",
        (Some(_), None) => "late",
        (None, None) => "none",
    };
    html! {
        div.fresh role="status" aria-label="Data status" {
            i.dot data-state=(state) aria-hidden="true" {}
            p {
                @if let Some(day) = fresh.complete_through() {
                    "Data complete through " b { (time::element(day, today)) }
                } @else { "No data yet" }
                @if let Some(came) = came { span.soft { " · " (came) } }
                @if fresh.is_running { span.soft { " · importing now" } }
                @if fresh.is_updating { span.soft { " · updating…" } }
                @if let Some(problem) = &fresh.problem {
                    span.warn { " · " (escape_invisible(&for_page(problem))) " " a href="/data" { "See why" } }
                }
            }
            @if fresh.can_sync { (view.post_button("/sync", "Sync now", "btn small")) }
            @else { a.btn.small href="/data" { @if fresh.complete_through().is_some() { "Import data" } @else { "Add your data" } } }
        }
    }
}
