//! `GET /plan/splits`: the splits for race day.

use crate::components::time;
use crate::http::error::PageError;
use crate::http::form::QueryFields;
use crate::page::{NavItem, PageContext};
use crate::pages::plan::list;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::units::Distance;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{PaceCardBasis, finish_on_race_day, pace_card};
use maud::html;

pub(crate) async fn show(view: PageContext, asked: QueryFields) -> Result<Response, PageError> {
    let (units, today) = (view.units(), view.today);
    let plan = list::find_requested_plan(&view, &asked).await?;
    let no_card = |why: &str| {
        PageError::new(StatusCode::NOT_FOUND, why)
            .with_title("No race splits")
            .with_link("/plan", "Back to the plan")
    };
    let Some(race) = plan.distance else {
        return Err(no_card("This plan has no race, so it has no race splits."));
    };
    let athlete = view.store().training_baseline_for_plan(view.user(), &plan, today).await?;
    let finish = finish_on_race_day(&athlete, plan.start_date, plan.race_date);
    let Some(card) = pace_card(race, plan.target_time, finish, units) else {
        return Err(no_card(
            "There is no goal time or race result to compute splits from. Confirm one of your activities as a race, or draft a plan with a goal time.",
        ));
    };
    let basis = PaceCardBasis::from_card(&card, plan.target_time, finish);
    let today_finish = athlete.current_prediction().map(|prediction| prediction.shown.time);
    let since_today = today_finish
        .zip(finish)
        .and_then(|(today, finish)| PaceCardBasis::compare_with_today(race, today, finish));
    let half = Distance::from_mm(race.mm() / 2);
    let body = html! {
        h1 { "Race splits" }
        p.lead { (escape_invisible(&plan.name)) " · " (time::element(plan.race_date, today)) }
        section.card.pace-card {
            p { (basis.describe(race, plan.target_time, finish)) @if let Some(note) = &since_today { " " (note) } }
            table {
                caption.hidden { "Split times" }
                thead { tr { th scope="col" { "At" } th.n scope="col" { "Plan A" br; (units.format_pace(card.a_pace)) } th.n scope="col" { "Plan B" br; (units.format_pace(card.b_pace)) } } }
                tbody { @for split in &card.splits { tr {
                    th scope="row" { (units.format_distance(split.distance)) @if split.distance == half { " (halfway)" } @if split.distance == race { " finish" } }
                    td.n { (split.a.format_clock()) }
                    td.n { (split.b.format_clock()) }
                } } }
            }
            p.small.soft { "The times are for an even pace. If you print this page, only this card is printed." }
        }
    };
    Ok(view.page(NavItem::Plan, "Race splits", &body))
}
