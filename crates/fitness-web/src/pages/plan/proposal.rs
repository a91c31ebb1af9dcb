//! `GET /proposals/{id}`: what is proposed to the active plan, now and then, and the part the athlete takes.

use crate::auth::confirmation::Decision;
use crate::components::confirm::Asking;
use crate::components::diff::Shown;
use crate::components::{author_label, findings, time};
use crate::http::error::{Problem, sentence};
use crate::http::extract::Path;
use crate::http::form::{Asked, Fields};
use crate::http::response::{number, see_other, unprocessable, with_status};
use crate::page::{Place, View};
use crate::pages::plan::decisions::overrides;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::ids::ProposalId;
use fitness_core::domain::untrusted_text::{counted, visible};
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{ActionKind, NowThen, Plan, PlanStatus, Proposal, ProposalState, fitting, problems};
use fitness_store::plan::human_actions::{self, apply_hash};
use fitness_store::{Error, Preview};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// A proposal beside the plan as it is now.
struct Beside {
    proposal: Proposal,
    plan: Plan,
    state: ProposalState,
    changes: Vec<NowThen>,
    /// Why each of them cannot be taken any more, where it cannot.
    problems: Vec<Option<String>>,
    chosen: BTreeSet<usize>,
    /// What the chosen part would do, or why it cannot be taken.
    preview: Result<Preview, Error>,
}

impl Beside {
    /// Reads it with the part an address names: `include=0&include=2`, counted from 0. Without one it is everything that
    /// still fits.
    async fn find(view: &View, id: &str, fields: &Fields) -> Result<Self, Problem> {
        let (store, user, today) = (view.store(), view.user(), view.today);
        let id: ProposalId = number(id)?;
        let proposal = store.find_proposal(user, id).await?.ok_or_else(Problem::not_found)?;
        let plan = store.find_plan(user, proposal.plan).await?.ok_or_else(Problem::not_found)?;
        let current = store.list_workouts(user, plan.id, plan.revision).await?;
        let changes: Vec<NowThen> =
            proposal.changes.iter().map(|change| NowThen::of(change, &current)).collect();
        let problems = problems(&plan, &current, &proposal.changes, today);
        let named: Result<BTreeSet<usize>, Problem> = fields.all("include").map(number).collect();
        let chosen = if fields.ticked("chosen") || fields.ticked("include") {
            named?
        } else {
            fitting(&plan, &current, &proposal.changes, today)
        };
        let preview = store.preview(user, id, &chosen, today).await;
        let state = proposal.state(plan.revision, today);
        Ok(Self { proposal, plan, state, changes, problems, chosen, preview })
    }

    fn decision(&self, preview: &Preview, overrides: &BTreeSet<Rule>) -> Decision {
        let seen = apply_hash(self.plan.id, self.plan.revision, &preview.next, overrides);
        Decision { kind: ActionKind::Apply, plan: Some(self.plan.id), seen }
    }

    fn address(&self) -> String {
        format!("/proposals/{}", self.proposal.id)
    }

    /// The page, with something to say above it.
    fn page(&self, view: &View, said: Option<&str>, ticked: &BTreeSet<Rule>) -> Response {
        let Proposal { id, origin, message, made_at, .. } = &self.proposal;
        // One that was made for an earlier revision is looked at anew, on the plan as it is now.
        let moved = matches!(self.state, ProposalState::MovedOn { .. });
        let tracked = self.plan.status == PlanStatus::Active;
        let open = tracked && (moved || self.state == ProposalState::Open);
        let body = html! {
            @if let Some(said) = said { div.faults role="alert" { p { (said) } } }
            div.row { h1 { "Proposal " (id) } (self.chip()) }
            p.lead { "From " (origin.spoken()) ", to " a href="/plan" { (visible(&self.plan.name)) } " · " (time::moment(*made_at, view.profile.zone, view.today))
                @if open { br; strong { "Nothing changes until you apply it." } } }
            section.card { h2 { "Why" } p.message { (visible(message)) " " (author_label::label(Some(origin.author()))) } (self.disagreements()) }
            @if moved && tracked { section.card { p { (sentence(&self.state)) " Below is what it would do to the plan as it is now." } } }
            @if open { (self.choice(view, ticked)) } @else { (self.over(view)) }
        };
        view.page(Place::Plan, &format!("Proposal {id}"), &body)
    }

    fn chip(&self) -> Markup {
        html! {
            @match self.state {
                ProposalState::Open => span.chip.draft { i aria-hidden="true" { "◇" } " Waits for you" },
                state => span.chip.archived { (state.word()) }
            }
        }
    }

    fn disagreements(&self) -> Markup {
        let all: Vec<_> = self.proposal.disagreements().collect();
        html! {
            @if !all.is_empty() {
                p { "The answer does not agree with itself or with the plan:" }
                ul { @for finding in all { li { (visible(&finding.message)) } } }
            }
        }
    }

    /// The changes with a box each, and what the ticked ones do.
    fn choice(&self, view: &View, ticked: &BTreeSet<Rule>) -> Markup {
        let shown = Shown { units: view.units(), today: view.today };
        let address = self.address();
        html! {
            form.card.waits method="get" action=(address) {
                h2 { "Now and proposed" }
                input type="hidden" name="chosen" value="1";
                ul.diff {
                    @for (at, (change, problem)) in self.changes.iter().zip(&self.problems).enumerate() {
                        li {
                            (shown.row(change))
                            @if let Some(problem) = problem { p.small.soft { "It no longer fits: " (visible(problem)) "." } }
                            @else {
                                label.tick { input type="checkbox" name="include" value=(at) checked[self.chosen.contains(&at)]; span { "Include change " (at + 1) } }
                            }
                        }
                    }
                }
                @match &self.preview {
                    Ok(preview) => (effects(shown, preview, ticked)),
                    Err(why) => p.fault role="alert" { (sentence(why)) }
                }
                p.actions {
                    button type="submit" { "Show what the ticked ones do" }
                    button.primary type="submit" formaction={ (address) "/apply" } { "Apply the ticked ones…" }
                }
                p.small.soft { "The next page says once more what will happen." }
            }
            (self.other_ways(view))
        }
    }

    fn other_ways(&self, view: &View) -> Markup {
        html! {
            div.row {
                a.btn href={ "/coach?about=proposal:" (self.proposal.id) } { "Ask for changes" }
                (view.button(&format!("{}/discard", self.address()), "Discard the proposal", "danger"))
            }
        }
    }

    /// Whether only its plan keeps it from being decided.
    fn waits_in_vain(&self) -> bool {
        self.plan.status != PlanStatus::Active
            && matches!(self.state, ProposalState::Open | ProposalState::MovedOn { .. })
    }

    /// One that waits no longer, beside the plan as it is now.
    fn over(&self, view: &View) -> Markup {
        let shown = Shown { units: view.units(), today: view.today };
        html! {
            section.card {
                h2 { "It waits no longer" }
                p { @if self.waits_in_vain() { "Its plan is not tracked any more, so there is nothing to change." } @else { (sentence(&self.state)) } }
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
fn effects(shown: Shown, preview: &Preview, ticked: &BTreeSet<Rule>) -> Markup {
    let mut seen = BTreeSet::new();
    let blocking: Vec<_> =
        preview.review.blocking().into_iter().filter(|finding| seen.insert(finding.rule)).collect();
    html! {
        h3 { "What " (counted(preview.chosen.len() as u64, "ticked change does", "ticked changes do")) }
        (shown.weeks(&preview.weeks))
        (long_run(shown, preview))
        (findings::all(preview.review.findings()))
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
fn long_run(shown: Shown, preview: &Preview) -> Markup {
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
        distance.map_or_else(|| "none".to_owned(), |far| shown.units.distance(far).to_string())
    };
    html! {
        @if before != after { p { "Longest run: " (far(before)) " → " b { (far(after)) } } }
    }
}

pub(crate) async fn show(
    view: View,
    Path(id): Path<String>,
    Asked(fields): Asked,
) -> Result<Response, Problem> {
    let beside = Beside::find(&view, &id, &fields).await?;
    let response = beside.page(&view, None, &overrides(&fields)?);
    let chosen_badly =
        beside.state == ProposalState::Open && beside.preview.is_err() && fields.ticked("chosen");
    Ok(if chosen_badly { unprocessable(response) } else { response })
}

/// `GET /proposals/{id}/apply`
pub(crate) async fn ask_apply(
    view: View,
    Path(id): Path<String>,
    Asked(fields): Asked,
) -> Result<Response, Problem> {
    let beside = Beside::find(&view, &id, &fields).await?;
    let overrides = overrides(&fields)?;
    let preview = match &beside.preview {
        Ok(preview) => preview,
        Err(why) => return Ok(refused(&view, &beside, why, &overrides)),
    };
    if !preview.review.left(&overrides).is_empty() {
        let said = "Tick each error you go ahead against, or take another part.";
        return Ok(unprocessable(beside.page(&view, Some(said), &overrides)));
    }
    let shown = Shown { units: view.units(), today: view.today };
    let taken: Vec<NowThen> =
        beside.chosen.iter().filter_map(|at| beside.changes.get(*at)).cloned().collect();
    let what = html! {
        p { (counted(taken.len() as u64, "change", "changes")) " of " (beside.changes.len()) " to " b { (visible(&beside.plan.name)) } ", as revision " (beside.plan.revision + 1) "; it can be taken back." }
        (shown.rows(&taken))
        (shown.weeks(&preview.weeks))
        @for rule in &overrides { p { "You override " (rule) ": " (rule.metric()) "." } }
    };
    let yes = format!("Apply {}", counted(taken.len() as u64, "change", "changes"));
    let (action, back) = (format!("{}/apply", beside.address()), beside.address());
    let asking = Asking {
        title: "Apply this to your plan?",
        what,
        decision: beside.decision(preview, &overrides),
        action: &action,
        fields: html! {
            input type="hidden" name="chosen" value="1";
            @for at in &beside.chosen { input type="hidden" name="include" value=(at); }
            @for rule in &overrides { input type="hidden" name="override" value=(rule); }
        },
        yes: &yes,
        danger: false,
        back: (&back, "Not now"),
    };
    asking.page(&view).await
}

/// `POST /proposals/{id}/apply`
pub(crate) async fn apply(view: View, Path(id): Path<String>, fields: Fields) -> Result<Response, Problem> {
    let beside = Beside::find(&view, &id, &fields).await?;
    let overrides = overrides(&fields)?;
    let preview = match &beside.preview {
        Ok(preview) => preview,
        Err(why) => return Ok(refused(&view, &beside, why, &overrides)),
    };
    let look = |no: Problem| no.go_on(beside.address(), "Look at it again");
    let consent = match beside.decision(preview, &overrides).answered(&view, &fields).await {
        Ok(consent) => consent,
        Err(_) if preview.has_moved_on() => {
            let said =
                "Nothing was changed. The plan changed since you looked; below is what it would do now.";
            return Ok(with_status(beside.page(&view, Some(said), &overrides), StatusCode::CONFLICT));
        }
        Err(no) => return Err(look(no)),
    };
    let id = beside.proposal.id;
    let applied =
        human_actions::apply(consent, id, &beside.chosen, view.today, &preview.review, &overrides).await;
    match applied {
        Ok(number) => Ok(see_other(&format!("/plan/revisions/{number}?done=applied"))),
        Err(why @ (Error::Over { .. } | Error::Stale)) => {
            let fresh = Beside::find(&view, &id.to_string(), &fields).await?;
            Ok(refused(&view, &fresh, &why, &overrides))
        }
        Err(why) => Err(look(why.into())),
    }
}

/// The proposal beside the plan as it is now, and why it was not applied.
fn refused(view: &View, beside: &Beside, why: &Error, overrides: &BTreeSet<Rule>) -> Response {
    let status = match why {
        Error::Over { .. } | Error::Stale | Error::WrongStatus(_) => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let said = format!("Nothing was changed. {}", sentence(why));
    with_status(beside.page(view, Some(&said), overrides), status)
}

/// `POST /proposals/{id}/discard`
pub(crate) async fn discard(view: View, Path(id): Path<String>) -> Result<Response, Problem> {
    let id: ProposalId = number(&id)?;
    match view.store().decline_proposal(view.user(), id, view.now).await {
        Err(Error::NotFound(_)) => return Err(Problem::not_found()),
        gone => {
            gone.map_err(|why| Problem::from(why).go_on(format!("/proposals/{id}"), "Look at it again"))?
        }
    }
    Ok(see_other("/plan?done=discarded"))
}
