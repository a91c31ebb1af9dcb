//! `GET /proposals/{id}`: proposed changes to the active plan; the athlete applies all or some of
//! them.

use crate::auth::confirmation::{redeem, web_request};
use crate::components::confirm::ConfirmationPage;
use crate::components::core_message::{for_page, sentence};
use crate::components::diff::DiffView;
use crate::components::{author_label, findings, time};
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::form::{FormFields, QueryFields};
use crate::http::response::{parse_id, see_other, unprocessable, with_status};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::decisions::parse_overrides;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::ids::ProposalId;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{
    HumanActionKind, NextRevisionWorkout, Plan, PlanStatus, Proposal, ProposalState, WorkoutDiff,
    applicable_changes, apply_problems, diff_workouts,
};
use fitness_store::plan::consent::ConfirmationRequest;
use fitness_store::plan::human_actions::{self, apply_hash};
use fitness_store::{Error, ProposalPreview};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// A proposal compared with the current plan.
struct ProposalReview {
    proposal: Proposal,
    plan: Plan,
    state: ProposalState,
    changes: Vec<WorkoutDiff>,
    /// Why a change can no longer be applied; one entry per change.
    problems: Vec<Option<String>>,
    selected: BTreeSet<usize>,
    /// The effect of the selected changes, or why they cannot be applied.
    preview: Result<ProposalPreview, Error>,
    /// What was changed when it was applied; `None` if it was not.
    applied: Option<Vec<WorkoutDiff>>,
}

impl ProposalReview {
    /// Loads it with the changes selected by `include=0&include=2`, from 0. Default: all that still
    /// apply.
    async fn load(view: &PageContext, id: &str, fields: &FormFields) -> Result<Self, PageError> {
        let (store, user, today) = (view.store(), view.user(), view.today);
        let id: ProposalId = parse_id(id)?;
        let proposal = store.find_proposal(user, id).await?.ok_or_else(PageError::not_found)?;
        let plan = store.find_plan(user, proposal.plan).await?.ok_or_else(PageError::not_found)?;
        let current = store.list_workouts(user, plan.id, plan.revision).await?;
        let changes: Vec<WorkoutDiff> =
            proposal.changes.iter().map(|change| WorkoutDiff::from_change(change, &current)).collect();
        let problems = apply_problems(&plan, &current, &proposal.changes, today);
        let named: Result<BTreeSet<usize>, PageError> = fields.get_all("include").map(parse_id).collect();
        let chosen = if fields.is_checked("chosen") || fields.is_checked("include") {
            named?
        } else {
            applicable_changes(&plan, &current, &proposal.changes, today)
        };
        let preview = store.preview_proposal(user, id, &chosen, today).await;
        let state = proposal.state(plan.revision, today);
        let applied = match state {
            ProposalState::Applied => applied_changes(view, &plan, id).await?,
            _ => None,
        };
        Ok(Self { proposal, plan, state, changes, problems, selected: chosen, preview, applied })
    }

    fn request(&self, preview: &ProposalPreview, overrides: &BTreeSet<LintRule>) -> ConfirmationRequest {
        let seen = apply_hash(self.plan.id, self.plan.revision, &preview.next, overrides);
        web_request(HumanActionKind::Apply, Some(self.plan.id), seen)
    }

    fn url(&self) -> String {
        format!("/proposals/{}", self.proposal.id)
    }

    /// `alert` is shown above the proposal.
    fn page(&self, view: &PageContext, alert: Option<&str>, ticked: &BTreeSet<LintRule>) -> Response {
        let Proposal { origin, message, made_at, .. } = &self.proposal;
        // A proposal made for an earlier revision is shown against the current one.
        let moved = matches!(self.state, ProposalState::Stale { .. });
        let active = self.plan.status == PlanStatus::Active;
        let open = active && (moved || self.state == ProposalState::Open);
        let body = html! {
            @if let Some(alert) = alert { div.faults role="alert" { p { (alert) } } }
            div.row { h1 { "Proposed change" } (self.chip()) }
            p.lead { "From " (origin.label()) ", for " a href="/plan" { (escape_invisible(&self.plan.name)) } " · " (time::clock_or_date(*made_at, view.profile.zone, view.today)) }
            section.card { h2 { "Why" } p.message { (escape_invisible(&for_page(message))) " " (author_label::render(Some(origin.author()))) } (self.render_disagreements()) }
            @if moved && active { section.card { p { (sentence(&self.state)) " Below is its effect on your current plan." } } }
            @if open { (self.selection_form(view, ticked)) } @else { (self.render_closed(view)) }
        };
        view.page(NavItem::Plan, "Proposed change", &body)
    }

    fn chip(&self) -> Markup {
        html! {
            @match self.state {
                ProposalState::Open => span.chip.draft { i aria-hidden="true" { "◇" } " Needs your decision" },
                state => span.chip.archived { (state_label(state)) }
            }
        }
    }

    fn render_disagreements(&self) -> Markup {
        let all: Vec<_> = self.proposal.consistency_findings().collect();
        html! {
            @if !all.is_empty() {
                p { "This proposal has inconsistencies:" }
                ul { @for finding in all { li { (escape_invisible(&finding.message)) } } }
            }
        }
    }

    /// The changes with a checkbox each, and the effect of the selected ones.
    fn selection_form(&self, view: &PageContext, ticked: &BTreeSet<LintRule>) -> Markup {
        let shown = DiffView { units: view.units(), today: view.today };
        let address = self.url();
        html! {
            form.card.waits method="get" action=(address) {
                h2 { "Current and proposed" }
                input type="hidden" name="chosen" value="1";
                ul.diff {
                    @for (at, (change, problem)) in self.changes.iter().zip(&self.problems).enumerate() {
                        li {
                            (shown.row(change))
                            @if let Some(problem) = problem { p.small.soft { "Can't be applied any more: " (escape_invisible(&for_page(problem))) "." } }
                            @else {
                                label.tick { input type="checkbox" name="include" value=(at) checked[self.selected.contains(&at)]; span { "Include change " (at + 1) } }
                            }
                        }
                    }
                }
                @match &self.preview {
                    Ok(preview) => (effects(shown, preview, ticked)),
                    Err(why) => p.fault role="alert" { (sentence(why)) }
                }
                p.actions {
                    button type="submit" { "Update preview" }
                    button.primary type="submit" formaction={ (address) "/apply" } { "Apply selected…" }
                }
                p.small.soft { "Your plan stays as it is until you confirm on the next page." }
            }
            (self.other_actions(view))
        }
    }

    fn other_actions(&self, view: &PageContext) -> Markup {
        html! {
            div.row {
                a.btn href={ "/coach?about=proposal:" (self.proposal.id) } { "Ask for changes" }
                (view.post_button(&format!("{}/discard", self.url()), "Discard proposal", "danger"))
            }
        }
    }

    /// Whether it is only closed because its plan is not active.
    fn is_blocked_by_plan(&self) -> bool {
        self.plan.status != PlanStatus::Active
            && matches!(self.state, ProposalState::Open | ProposalState::Stale { .. })
    }

    fn closed_reason(&self, view: &PageContext) -> String {
        let date = |day| time::short_with_year(day, view.today);
        match self.state {
            ProposalState::Applied => match self.applied.as_ref().map(Vec::len) {
                Some(applied) if applied < self.changes.len() => {
                    format!("You applied {applied} of {} changes.", self.changes.len())
                }
                _ => "You applied this proposal.".to_owned(),
            },
            ProposalState::Discarded => "You discarded this proposal.".to_owned(),
            ProposalState::Superseded(_) => "A newer proposal replaced this one.".to_owned(),
            ProposalState::Withdrawn => {
                "It was withdrawn because you removed the absence or check-in it was based on.".to_owned()
            }
            ProposalState::Expired(day) => format!("It expired on {}.", date(day)),
            ProposalState::AllDaysPast(day) => format!("It expired: its last day was {}.", date(day)),
            ProposalState::Open | ProposalState::Stale { .. } => sentence(&self.state),
        }
    }

    /// A proposal that is closed: what it changed, or compared with the current plan.
    fn render_closed(&self, view: &PageContext) -> Markup {
        let shown = DiffView { units: view.units(), today: view.today };
        html! {
            section.card {
                h2 { @if self.state == ProposalState::Applied { "Already applied" } @else { "Closed" } }
                p { @if self.is_blocked_by_plan() { "Its plan is no longer active, so there is nothing to change." } @else { (self.closed_reason(view)) } }
                @match self.state {
                    ProposalState::Superseded(newer) => p.actions { a.btn.primary href={ "/proposals/" (newer) } { "See the newer proposal" } },
                    ProposalState::Applied => p.actions { a.btn.primary href="/plan/revisions" { "See the result" } },
                    _ => p.actions { a.btn.primary href="/plan" { "Open plan" } }
                }
            }
            @match &self.applied {
                Some(applied) => section.card { h2 { "What changed" } (shown.rows(applied)) },
                None => section.card { h2 { "Compared with your current plan" } (shown.rows(&self.changes)) }
            }
        }
    }
}

/// The changes of the revision that a proposal led to.
async fn applied_changes(
    view: &PageContext,
    plan: &Plan,
    proposal: ProposalId,
) -> Result<Option<Vec<WorkoutDiff>>, PageError> {
    let (store, user) = (view.store(), view.user());
    let revisions = store.list_revisions(user, plan.id).await?;
    let Some(revision) = revisions.iter().find(|revision| revision.proposal == Some(proposal)) else {
        return Ok(None);
    };
    let before = store.list_workouts(user, plan.id, revision.number - 1).await?;
    let after = store.list_workouts(user, plan.id, revision.number).await?;
    let after: Vec<NextRevisionWorkout> = (after.into_iter())
        .map(|planned| NextRevisionWorkout { id: Some(planned.id), workout: planned.workout })
        .collect();
    Ok(Some(diff_workouts(&before, &after)))
}

/// A state in a word or two.
pub(crate) const fn state_label(state: ProposalState) -> &'static str {
    match state {
        ProposalState::Open => "Open",
        ProposalState::Applied => "Applied",
        ProposalState::Discarded => "Discarded",
        ProposalState::Superseded(_) => "Replaced",
        ProposalState::Withdrawn => "Withdrawn",
        ProposalState::Expired(_) | ProposalState::AllDaysPast(_) => "Expired",
        ProposalState::Stale { .. } => "Needs your decision (plan has changed)",
    }
}

/// The effect of the selected changes on weeks, and the findings of the checks.
fn effects(shown: DiffView, preview: &ProposalPreview, ticked: &BTreeSet<LintRule>) -> Markup {
    let mut seen = BTreeSet::new();
    let blocking: Vec<_> =
        preview.review.blocking_findings().into_iter().filter(|finding| seen.insert(finding.rule)).collect();
    html! {
        h3 { "Effect of " (pluralize(preview.chosen.len() as u64, "selected change", "selected changes")) }
        (shown.weeks(&preview.weeks))
        (long_run(shown, preview))
        (findings::render(preview.review.findings()))
        @if !blocking.is_empty() {
            fieldset.field #override {
                legend { "The checks found errors" }
                p.hint { "Select other changes, or override each error you accept." }
                @for finding in blocking {
                    label.tick { input type="checkbox" name="override" value=(finding.rule) checked[ticked.contains(&finding.rule)];
                        span { "Accept this error: " (for_page(&finding.text)) } }
                }
            }
        }
    }
}

/// The longest run of the changed weeks, before and after.
fn long_run(shown: DiffView, preview: &ProposalPreview) -> Markup {
    let within = |day: fitness_core::domain::calendar::Day| {
        preview.weeks.iter().any(|week| week.monday == day.iso_week().monday())
    };
    let runs = |workout: &fitness_core::plan::Workout| {
        workout.sport == fitness_core::domain::sport::Sport::Running && within(workout.date)
    };
    // A run by time may be the longest.
    let by_time = |workout: &fitness_core::plan::Workout| runs(workout) && workout.distance.is_none();
    let mut workouts =
        preview.current.iter().map(|w| &w.workout).chain(preview.next.iter().map(|w| &w.workout));
    if workouts.any(by_time) {
        return html! {};
    }
    let before =
        preview.current.iter().map(|w| &w.workout).filter(|w| runs(w)).filter_map(|w| w.distance).max();
    let after = preview.next.iter().map(|w| &w.workout).filter(|w| runs(w)).filter_map(|w| w.distance).max();
    let far = |distance: Option<fitness_core::domain::units::Distance>| {
        distance.map_or_else(|| "none".to_owned(), |far| shown.units.format_distance(far).to_string())
    };
    html! {
        @if before != after { p { "Longest run: " (far(before)) " → " b { (far(after)) } } }
    }
}

pub(crate) async fn show(
    view: PageContext,
    Path(id): Path<String>,
    QueryFields(fields): QueryFields,
) -> Result<Response, PageError> {
    let beside = ProposalReview::load(&view, &id, &fields).await?;
    let response = beside.page(&view, None, &parse_overrides(&fields)?);
    let chosen_badly =
        beside.state == ProposalState::Open && beside.preview.is_err() && fields.is_checked("chosen");
    Ok(if chosen_badly { unprocessable(response) } else { response })
}

/// `the change`, `all 3 changes`, `2 of 3 changes`.
fn describe_taken(taken: usize, all: usize) -> String {
    match (taken, all) {
        (1, 1) => "the change".to_owned(),
        (taken, all) if taken == all => format!("all {all} changes"),
        (taken, all) => format!("{taken} of {all} changes"),
    }
}

pub(crate) async fn confirm_apply(
    view: PageContext,
    Path(id): Path<String>,
    QueryFields(fields): QueryFields,
) -> Result<Response, PageError> {
    let beside = ProposalReview::load(&view, &id, &fields).await?;
    let overrides = parse_overrides(&fields)?;
    let preview = match &beside.preview {
        Ok(preview) => preview,
        Err(why) => return Ok(refused_page(&view, &beside, why, &overrides)),
    };
    if !preview.review.remaining_findings(&overrides).is_empty() {
        let message = "Override each error you accept, or select other changes.";
        return Ok(unprocessable(beside.page(&view, Some(message), &overrides)));
    }
    let shown = DiffView { units: view.units(), today: view.today };
    let taken: Vec<WorkoutDiff> =
        beside.selected.iter().filter_map(|at| beside.changes.get(*at)).cloned().collect();
    let what = html! {
        p { "This applies " (describe_taken(taken.len(), beside.changes.len())) " to " b { (escape_invisible(&beside.plan.name)) } " and saves the plan as revision " (beside.plan.revision + 1) ". You can undo this." }
        (shown.rows(&taken))
        (shown.weeks(&preview.weeks))
        @for rule in &overrides { p { "Overridden check: " (rule.metric()) "." } }
    };
    let yes = format!("Apply {}", pluralize(taken.len() as u64, "change", "changes"));
    let (action, back) = (format!("{}/apply", beside.url()), beside.url());
    let asking = ConfirmationPage {
        title: "Apply this to your plan?",
        description: what,
        request: beside.request(preview, &overrides),
        action: &action,
        fields: html! {
            input type="hidden" name="chosen" value="1";
            @for at in &beside.selected { input type="hidden" name="include" value=(at); }
            @for rule in &overrides { input type="hidden" name="override" value=(rule); }
        },
        confirm_label: &yes,
        is_destructive: false,
        back_link: (&back, "Not now"),
    };
    asking.render(&view)
}

pub(crate) async fn apply(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let beside = ProposalReview::load(&view, &id, &fields).await?;
    let overrides = parse_overrides(&fields)?;
    let preview = match &beside.preview {
        Ok(preview) => preview,
        Err(why) => return Ok(refused_page(&view, &beside, why, &overrides)),
    };
    let look = |no: PageError| no.with_link(beside.url(), "Review again");
    let consent = match redeem(&view, &beside.request(preview, &overrides), &fields).await {
        Ok(consent) => consent,
        Err(_) if preview.has_plan_changed() => {
            let message = "Nothing was changed. Your plan has changed since you opened this page; below is the effect on it now.";
            return Ok(with_status(beside.page(&view, Some(message), &overrides), StatusCode::CONFLICT));
        }
        Err(no) => return Err(look(no)),
    };
    let id = beside.proposal.id;
    let applied =
        human_actions::apply(consent, id, &beside.selected, view.today, &preview.review, &overrides).await;
    match applied {
        Ok(number) => Ok(see_other(&format!("/plan/revisions/{number}?done=applied"))),
        Err(why @ (Error::ProposalClosed { .. } | Error::Stale)) => {
            let fresh = ProposalReview::load(&view, &id.to_string(), &fields).await?;
            Ok(refused_page(&view, &fresh, &why, &overrides))
        }
        Err(why) => Err(look(why.into())),
    }
}

/// The proposal compared with the current plan, and why it was not applied.
fn refused_page(
    view: &PageContext,
    beside: &ProposalReview,
    why: &Error,
    overrides: &BTreeSet<LintRule>,
) -> Response {
    let status = match why {
        Error::ProposalClosed { .. } | Error::Stale | Error::WrongStatus(_) => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let reason = match why {
        // The page itself says why.
        Error::ProposalClosed { .. } => "This proposal is no longer open.".to_owned(),
        _ => sentence(why),
    };
    let message = format!("Nothing was changed. {reason}");
    with_status(beside.page(view, Some(&message), overrides), status)
}

pub(crate) async fn discard(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let id: ProposalId = parse_id(&id)?;
    match view.store().decline_proposal(view.user(), id, view.now).await {
        Err(Error::NotFound(_)) => return Err(PageError::not_found()),
        gone => {
            gone.map_err(|why| PageError::from(why).with_link(format!("/proposals/{id}"), "Review again"))?
        }
    }
    Ok(see_other("/plan?done=discarded"))
}
