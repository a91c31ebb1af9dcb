//! `GET /proposals/{id}`: what is proposed to the active plan, now and then, and the part the athlete takes.

use crate::auth::confirmation::Decision;
use crate::components::confirm::ConfirmationPage;
use crate::components::diff::DiffView;
use crate::components::{author_label, findings, time};
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::Path;
use crate::http::form::{FormFields, QueryFields};
use crate::http::response::{parse_id, see_other, unprocessable, with_status};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::decisions::parse_overrides;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::ids::ProposalId;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{
    ActionKind, Plan, PlanStatus, Proposal, ProposalState, WorkoutDiff, applicable_changes, apply_problems,
};
use fitness_store::plan::human_actions::{self, apply_hash};
use fitness_store::{Error, ProposalPreview};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// A proposal beside the plan as it is now.
struct ProposalReview {
    proposal: Proposal,
    plan: Plan,
    state: ProposalState,
    changes: Vec<WorkoutDiff>,
    /// Why each of them cannot be taken any more, where it cannot.
    problems: Vec<Option<String>>,
    selected: BTreeSet<usize>,
    /// What the chosen part would do, or why it cannot be taken.
    preview: Result<ProposalPreview, Error>,
}

impl ProposalReview {
    /// Reads it with the part an address names: `include=0&include=2`, counted from 0. Without one it is everything that
    /// still fits.
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
        Ok(Self { proposal, plan, state, changes, problems, selected: chosen, preview })
    }

    fn decision(&self, preview: &ProposalPreview, overrides: &BTreeSet<Rule>) -> Decision {
        let seen = apply_hash(self.plan.id, self.plan.revision, &preview.next, overrides);
        Decision { kind: ActionKind::Apply, plan: Some(self.plan.id), shown_hash: seen }
    }

    fn url(&self) -> String {
        format!("/proposals/{}", self.proposal.id)
    }

    /// The page, with something to say above it.
    fn page(&self, view: &PageContext, said: Option<&str>, ticked: &BTreeSet<Rule>) -> Response {
        let Proposal { id, origin, message, made_at, .. } = &self.proposal;
        // One that was made for an earlier revision is looked at anew, on the plan as it is now.
        let moved = matches!(self.state, ProposalState::Stale { .. });
        let tracked = self.plan.status == PlanStatus::Active;
        let open = tracked && (moved || self.state == ProposalState::Open);
        let body = html! {
            @if let Some(said) = said { div.faults role="alert" { p { (said) } } }
            div.row { h1 { "Proposal " (id) } (self.chip()) }
            p.lead { "From " (origin.label()) ", to " a href="/plan" { (escape_invisible(&self.plan.name)) } " · " (time::clock_or_date(*made_at, view.profile.zone, view.today))
                @if open { br; strong { "Nothing changes until you apply it." } } }
            section.card { h2 { "Why" } p.message { (escape_invisible(message)) " " (author_label::render(Some(origin.author()))) } (self.render_disagreements()) }
            @if moved && tracked { section.card { p { (to_sentence(&self.state)) " Below is what it would do to the plan as it is now." } } }
            @if open { (self.selection_form(view, ticked)) } @else { (self.render_closed(view)) }
        };
        view.page(NavItem::Plan, &format!("Proposal {id}"), &body)
    }

    fn chip(&self) -> Markup {
        html! {
            @match self.state {
                ProposalState::Open => span.chip.draft { i aria-hidden="true" { "◇" } " Waits for you" },
                state => span.chip.archived { (state.label()) }
            }
        }
    }

    fn render_disagreements(&self) -> Markup {
        let all: Vec<_> = self.proposal.consistency_findings().collect();
        html! {
            @if !all.is_empty() {
                p { "The answer does not agree with itself or with the plan:" }
                ul { @for finding in all { li { (escape_invisible(&finding.message)) } } }
            }
        }
    }

    /// The changes with a box each, and what the ticked ones do.
    fn selection_form(&self, view: &PageContext, ticked: &BTreeSet<Rule>) -> Markup {
        let shown = DiffView { units: view.units(), today: view.today };
        let address = self.url();
        html! {
            form.card.waits method="get" action=(address) {
                h2 { "Now and proposed" }
                input type="hidden" name="chosen" value="1";
                ul.diff {
                    @for (at, (change, problem)) in self.changes.iter().zip(&self.problems).enumerate() {
                        li {
                            (shown.row(change))
                            @if let Some(problem) = problem { p.small.soft { "It no longer fits: " (escape_invisible(problem)) "." } }
                            @else {
                                label.tick { input type="checkbox" name="include" value=(at) checked[self.selected.contains(&at)]; span { "Include change " (at + 1) } }
                            }
                        }
                    }
                }
                @match &self.preview {
                    Ok(preview) => (effects(shown, preview, ticked)),
                    Err(why) => p.fault role="alert" { (to_sentence(why)) }
                }
                p.actions {
                    button type="submit" { "Show what the ticked ones do" }
                    button.primary type="submit" formaction={ (address) "/apply" } { "Apply the ticked ones…" }
                }
                p.small.soft { "The next page says once more what will happen." }
            }
            (self.other_actions(view))
        }
    }

    fn other_actions(&self, view: &PageContext) -> Markup {
        html! {
            div.row {
                a.btn href={ "/coach?about=proposal:" (self.proposal.id) } { "Ask for changes" }
                (view.post_button(&format!("{}/discard", self.url()), "Discard the proposal", "danger"))
            }
        }
    }

    /// Whether only its plan keeps it from being decided.
    fn is_blocked_by_plan(&self) -> bool {
        self.plan.status != PlanStatus::Active
            && matches!(self.state, ProposalState::Open | ProposalState::Stale { .. })
    }

    /// One that waits no longer, beside the plan as it is now.
    fn render_closed(&self, view: &PageContext) -> Markup {
        let shown = DiffView { units: view.units(), today: view.today };
        html! {
            section.card {
                h2 { "It waits no longer" }
                p { @if self.is_blocked_by_plan() { "Its plan is not tracked any more, so there is nothing to change." } @else { (to_sentence(&self.state)) } }
                @match self.state {
                    ProposalState::Superseded(newer) => p.actions { a.btn.primary href={ "/proposals/" (newer) } { "See proposal " (newer) } },
                    ProposalState::Applied => p.actions { a.btn.primary href="/plan/revisions" { "See what came of it" } },
                    _ => p.actions { a.btn.primary href="/plan" { "To the plan" } }
                }
            }
            section.card { h2 { "Beside the plan as it is now" } (shown.rows(&self.changes)) }
        }
    }
}

/// What the chosen part does to weeks, and what the linter says.
fn effects(shown: DiffView, preview: &ProposalPreview, ticked: &BTreeSet<Rule>) -> Markup {
    let mut seen = BTreeSet::new();
    let blocking: Vec<_> =
        preview.review.blocking_findings().into_iter().filter(|finding| seen.insert(finding.rule)).collect();
    html! {
        h3 { "What " (pluralize(preview.chosen.len() as u64, "ticked change does", "ticked changes do")) }
        (shown.weeks(&preview.weeks))
        (long_run(shown, preview))
        (findings::render(preview.review.findings()))
        @if !blocking.is_empty() {
            fieldset.field #override {
                legend { "The checks call this unsafe" }
                p.hint { "Take another part, or tick each error that you go ahead against." }
                @for finding in blocking {
                    label.tick { input type="checkbox" name="override" value=(finding.rule) checked[ticked.contains(&finding.rule)];
                        span { "Override " (finding.rule) ": " (finding.rule.metric()) ". " span.soft { (finding.text) } } }
                }
            }
        }
        p.checks { "✓ days of the plan ✓ lengths within bounds ✓ no day that is over" }
    }
}

/// The longest run of the weeks that change, before and after.
fn long_run(shown: DiffView, preview: &ProposalPreview) -> Markup {
    let within = |day: fitness_core::domain::calendar::Day| {
        preview.weeks.iter().any(|week| week.monday == day.iso_week().monday())
    };
    let runs = |workout: &fitness_core::plan::Workout| {
        workout.sport == fitness_core::domain::sport::Sport::Running && within(workout.date)
    };
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

/// `GET /proposals/{id}/apply`
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
        let said = "Tick each error you go ahead against, or take another part.";
        return Ok(unprocessable(beside.page(&view, Some(said), &overrides)));
    }
    let shown = DiffView { units: view.units(), today: view.today };
    let taken: Vec<WorkoutDiff> =
        beside.selected.iter().filter_map(|at| beside.changes.get(*at)).cloned().collect();
    let what = html! {
        p { (pluralize(taken.len() as u64, "change", "changes")) " of " (beside.changes.len()) " to " b { (escape_invisible(&beside.plan.name)) } ", as revision " (beside.plan.revision + 1) "; it can be taken back." }
        (shown.rows(&taken))
        (shown.weeks(&preview.weeks))
        @for rule in &overrides { p { "You override " (rule) ": " (rule.metric()) "." } }
    };
    let yes = format!("Apply {}", pluralize(taken.len() as u64, "change", "changes"));
    let (action, back) = (format!("{}/apply", beside.url()), beside.url());
    let asking = ConfirmationPage {
        title: "Apply this to your plan?",
        description: what,
        decision: beside.decision(preview, &overrides),
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
    asking.render(&view).await
}

/// `POST /proposals/{id}/apply`
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
    let look = |no: PageError| no.with_link(beside.url(), "Look at it again");
    let consent = match beside.decision(preview, &overrides).verify_confirmation(&view, &fields).await {
        Ok(consent) => consent,
        Err(_) if preview.has_plan_changed() => {
            let said =
                "Nothing was changed. The plan changed since you looked; below is what it would do now.";
            return Ok(with_status(beside.page(&view, Some(said), &overrides), StatusCode::CONFLICT));
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

/// The proposal beside the plan as it is now, and why it was not applied.
fn refused_page(
    view: &PageContext,
    beside: &ProposalReview,
    why: &Error,
    overrides: &BTreeSet<Rule>,
) -> Response {
    let status = match why {
        Error::ProposalClosed { .. } | Error::Stale | Error::WrongStatus(_) => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let said = format!("Nothing was changed. {}", to_sentence(why));
    with_status(beside.page(view, Some(&said), overrides), status)
}

/// `POST /proposals/{id}/discard`
pub(crate) async fn discard(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let id: ProposalId = parse_id(&id)?;
    match view.store().decline_proposal(view.user(), id, view.now).await {
        Err(Error::NotFound(_)) => return Err(PageError::not_found()),
        gone => gone
            .map_err(|why| PageError::from(why).with_link(format!("/proposals/{id}"), "Look at it again"))?,
    }
    Ok(see_other("/plan?done=discarded"))
}
