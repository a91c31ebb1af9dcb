//! The freshness line: how far the data reaches. Nothing after it is judged.

use crate::components::time;
use crate::http::error::Problem;
use crate::page::View;
use fitness_core::adherence::data_frontier::Frontier;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::source_record::SourceKind;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::{RunKind, RunState, Store, SyncRun};
use maud::{Markup, html};

/// As many runs are looked at to find the last one of use.
const LOOKED_AT: u64 = 20;

/// How far an athlete's data reaches, and how it got there.
#[derive(Debug, Clone)]
pub(crate) struct Freshness {
    /// How far.
    pub(crate) frontier: Frontier,
    /// Whether a service can be asked for what is new.
    pub(crate) can_sync: bool,
    /// Whether workouts can be sent on to a watch.
    pub(crate) can_send: bool,
    /// When anything came last, and how.
    last: Option<(RunKind, Instant)>,
    /// What went wrong the last time, when something did.
    problem: Option<String>,
    /// Whether something is on its way.
    running: bool,
}

/// Looks how far.
pub(crate) async fn look(store: &Store, user: UserId) -> Result<Freshness, Problem> {
    let runs = store.list_runs(user, LOOKED_AT).await?;
    let came = |run: &&SyncRun| {
        matches!(run.state, RunState::Done | RunState::Partial) && run.kind != RunKind::Declared
    };
    let last = runs.iter().filter(came).find(|run| run.kind == RunKind::Live || brought_something(run));
    let latest = runs.iter().find(|run| run.kind != RunKind::Declared);
    let sources = store.list_sources(user).await?;
    let is_there =
        |run: &&SyncRun| run.source.is_none_or(|source| sources.iter().any(|known| known.id == source));
    let failed = runs.iter().filter(is_there).find(|run| {
        run.state == RunState::Failed
            && !runs.iter().take_while(|later| later.id != run.id).any(|later| mends(later, run))
    });
    Ok(Freshness {
        frontier: store.frontier(user).await?,
        can_sync: !sources.is_empty(),
        can_send: sources.iter().any(|source| source.kind == SourceKind::Intervals.as_str()),
        last: last.and_then(|run| Some((run.kind, run.finished_at?))),
        problem: failed.and_then(|run| run.problem.clone()),
        running: latest.is_some_and(|run| run.state == RunState::Running),
    })
}

/// Whether anything came with it.
fn brought_something(run: &SyncRun) -> bool {
    let some = |name: &str| run.summary.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default() > 0;
    ["added", "joined", "changed", "days"].into_iter().any(some)
}

/// Whether a later run settles one that failed: of a service only an answer of that service does. A file that could not be
/// read is forgotten when anything else comes in.
fn mends(later: &SyncRun, failed: &SyncRun) -> bool {
    let worked = matches!(later.state, RunState::Done | RunState::Partial) && later.kind != RunKind::Declared;
    let answers =
        failed.kind != RunKind::Live || (later.kind == RunKind::Live && later.source == failed.source);
    worked && answers
}

impl Freshness {
    /// The last complete day.
    pub(crate) const fn complete(&self) -> Option<Day> {
        self.frontier.complete()
    }

    /// Whether something is on its way.
    pub(crate) const fn is_running(&self) -> bool {
        self.running
    }
}

/// The line on every page.
pub(crate) fn line(view: &View) -> Markup {
    let fresh = &view.fresh;
    let (zone, today) = (view.profile.zone, view.today);
    let came = fresh.last.map(|(kind, at)| {
        let verb = if kind == RunKind::Live { "synced" } else { "imported" };
        format!("{verb} {}", time::moment(at, zone, today))
    });
    let state = match (fresh.complete(), &fresh.problem) {
        (_, Some(_)) => "bad",
        (Some(day), None) if day.until(today) <= 1 => "good",
        (Some(_), None) => "late",
        (None, None) => "none",
    };
    html! {
        div.fresh role="status" aria-label="How far the data reaches" {
            i.dot data-state=(state) aria-hidden="true" {}
            p {
                @if let Some(day) = fresh.complete() {
                    "Data through " b { (time::element(day, today)) }
                } @else { "No data yet" }
                @if let Some(came) = came { span.soft { " · " (came) } }
                @if fresh.complete().is_some() { span.soft.wide { " · nothing later is judged" } }
                @if fresh.running { span.soft { " · something is coming in now" } }
                @if let Some(problem) = &fresh.problem {
                    span.warn { " · " (visible(problem)) " " a href="/sources" { "See why" } }
                }
            }
            @if fresh.can_sync { (view.button("/sync", "Sync now", "btn small")) }
            @else { a.btn.small href="/sources" { "Add newer data" } }
        }
    }
}
