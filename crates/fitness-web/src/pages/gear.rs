//! `/gear`: shoes and other equipment with their distance, and the gear of an activity.

use crate::components::core_message::sentence;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::{NavItem, PageContext};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::gear::{GearDefault, GearDetails, GearKind, GearUse};
use fitness_core::domain::ids::{ActivityId, GearId};
use fitness_core::domain::parse_distance::parse_activity_distance;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::Distance;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize, sanitize_for_storage};
use fitness_store::Error;
use maud::{Markup, html};

const SAVED: &str = "/gear?done=saved";

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let fields = FormFields::default().with("kind", GearKind::Shoes.as_str());
    page(&view, &fields, &FieldErrors::default()).await
}

async fn page(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Response, PageError> {
    let all = view.store().list_gear(view.user(), view.today).await?;
    let filling = SubmittedForm { fields, errors: faults };
    let kinds: Vec<(&str, &str)> = GearKind::ALL.iter().map(|kind| (kind.as_str(), kind.title())).collect();
    let body = html! {
        p.small { a href="/activities" { "← Activities" } }
        h1 { "Gear" }
        (due_note(view, &all))
        @if !all.is_empty() {
            section.card {
                h2 { "Your gear" }
                ul.plain { @for used in &all { (row(view, used)) } }
            }
            (defaults_form(view, &all))
        }
        section.card {
            h2 { "Add gear" }
            (filling.error_summary())
            form method="post" action="/gear" {
                (view.token_field())
                (filling.input("name", "Name", InputOptions { is_required: true, ..InputOptions::default() }))
                (filling.select("kind", "Kind", "", &kinds))
                (filling.input("initial", "Distance so far", InputOptions { hint: "In your units. Optional.", ..InputOptions::default() }))
                (filling.input("retire_at", "Remind me at", InputOptions { hint: "In your units. Default for shoes: 700 km.", ..InputOptions::default() }))
                p.actions { button.primary type="submit" { "Add" } }
            }
        }
    };
    let mut response = view.page(NavItem::Activities, "Gear", &body);
    if faults.has_any() {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}

/// The reminder to replace gear; empty if none is due.
pub(crate) fn due_note(view: &PageContext, all: &[GearUse]) -> Markup {
    html! {
        @for used in all.iter().filter(|used| used.is_due()) {
            p.note role="status" {
                (escape_invisible(&used.gear.details.name)) " has " (view.units().format_distance(used.distance))
                @if let Some(most) = used.gear.details.retire_at { " of " (view.units().format_distance(most)) }
                ". Time to replace it?"
            }
        }
    }
}

fn row(view: &PageContext, used: &GearUse) -> Markup {
    let gear = &used.gear;
    let address = |what: &str| format!("/gear/{}/{what}", gear.id);
    html! {
        li.row {
            div {
                p.text { (escape_invisible(&gear.details.name)) }
                p.meta {
                    span { (gear.details.kind.title()) }
                    span { (view.units().format_distance(used.distance)) @if let Some(most) = gear.details.retire_at { " of " (view.units().format_distance(most)) } }
                    span { (pluralize(used.activities, "activity", "activities")) }
                    @for sport in &used.default_for { span { "default for " (sport.title()) } }
                    @if let Some(day) = gear.retired_on { span { "retired " (time::element(day, view.today)) } }
                }
            }
            span.push {}
            @if gear.retired_on.is_some() { (view.post_button(&address("reuse"), "Use again", "small")) }
            @else { (view.post_button(&address("retire"), "Retire", "small")) }
            (view.post_button(&address("delete"), "Delete", "small danger"))
        }
    }
}

fn defaults_form(view: &PageContext, all: &[GearUse]) -> Markup {
    let fields = FormFields::default();
    let errors = FieldErrors::default();
    let form = SubmittedForm { fields: &fields, errors: &errors };
    let sports: Vec<(&str, &str)> =
        Sport::ALL.iter().filter(|s| **s != Sport::Rest).map(|s| (s.as_str(), s.title())).collect();
    html! {
        section.card {
            h2 { "Default gear" }
            p.soft { "From today on, activities of a sport use its default gear, unless you choose other gear on the activity." }
            form method="post" action="/gear/default" {
                (view.token_field())
                (form.select("sport", "Sport", "", &sports))
                (gear_select(all, None))
                p.actions { button type="submit" { "Save default" } }
            }
        }
    }
}

/// A choice of gear in use, with `none`.
fn gear_select(all: &[GearUse], chosen: Option<GearId>) -> Markup {
    html! {
        div.field {
            label for="gear" { "Gear" }
            select id="gear" name="gear" {
                option value="none" { "none" }
                @for used in all.iter().filter(|used| used.gear.retired_on.is_none() || chosen == Some(used.gear.id)) {
                    option value=(used.gear.id) selected[chosen == Some(used.gear.id)] { (escape_invisible(&used.gear.details.name)) }
                }
            }
        }
    }
}

/// The form on the page of an activity; empty without gear.
pub(crate) fn activity_form(
    view: &PageContext,
    id: ActivityId,
    all: &[GearUse],
    chosen: Option<GearId>,
) -> Markup {
    html! {
        @if !all.is_empty() {
            section.card {
                h2 { "Gear" }
                form method="post" action={ "/activities/" (id) "/gear" } {
                    (view.token_field())
                    (gear_select(all, chosen))
                    p.actions { button type="submit" { "Save gear" } a.btn.small href="/gear" { "All gear" } }
                }
            }
        }
    }
}

/// The `gear` field: an id, or `none`.
fn chosen_gear(fields: &FormFields) -> Result<Option<GearId>, PageError> {
    match fields.get_trimmed("gear") {
        Some("none") => Ok(None),
        Some(text) => text.parse::<GearId>().map(Some).map_err(|_| PageError::not_found()),
        None => Err(PageError::not_found()),
    }
}

/// `POST /gear`
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let kind = fields.get_trimmed("kind").unwrap_or_default().parse::<GearKind>();
    let kind = faults.ok_or_add("kind", kind.map_err(|_| "Choose a kind from the list."));
    let mut distance = |name: &'static str| {
        let read = parse_activity_distance(fields.get_trimmed(name)?, view.units());
        faults.ok_or_add(name, read.map_err(|bad| sentence(&bad)))
    };
    let (initial, retire_at) = (distance("initial"), distance("retire_at"));
    if let (Some(kind), false) = (kind, faults.has_any()) {
        let details = GearDetails {
            kind,
            name: sanitize_for_storage(fields.get_trimmed("name").unwrap_or_default()),
            initial: initial.unwrap_or(Distance::ZERO),
            retire_at: retire_at.or(kind.default_retire_at()),
        };
        match view.store().add_gear(view.user(), &details, view.now).await {
            Ok(_) => return Ok(see_other(SAVED)),
            Err(Error::Gear(bad)) => faults.add("name", sentence(&bad)),
            Err(other) => return Err(other.into()),
        }
    }
    page(&view, &fields, &faults).await
}

/// `POST /gear/{id}/retire`: today is its last day.
pub(crate) async fn retire(view: PageContext, PathId(id): PathId<GearId>) -> Result<Response, PageError> {
    view.store().retire_gear(view.user(), id, Some(view.today), view.now).await?;
    Ok(see_other(SAVED))
}

/// `POST /gear/{id}/reuse`
pub(crate) async fn reuse(view: PageContext, PathId(id): PathId<GearId>) -> Result<Response, PageError> {
    view.store().retire_gear(view.user(), id, None, view.now).await?;
    Ok(see_other(SAVED))
}

/// `POST /gear/{id}/delete`
pub(crate) async fn delete(view: PageContext, PathId(id): PathId<GearId>) -> Result<Response, PageError> {
    view.store().delete_gear(view.user(), id, view.now).await?;
    Ok(see_other("/gear?done=deleted"))
}

/// `POST /gear/default`
pub(crate) async fn set_default(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let sport = fields.get_trimmed("sport").unwrap_or_default().parse::<Sport>();
    let sport = sport.ok().filter(|sport| *sport != Sport::Rest).ok_or_else(PageError::not_found)?;
    let default = GearDefault { sport, from: view.today, gear: chosen_gear(&fields)? };
    view.store().set_default_gear(view.user(), default, view.now).await?;
    Ok(see_other(SAVED))
}

/// `POST /activities/{id}/gear`
pub(crate) async fn assign(
    view: PageContext,
    PathId(id): PathId<ActivityId>,
    fields: FormFields,
) -> Result<Response, PageError> {
    view.store().assign_gear(view.user(), id, chosen_gear(&fields)?, view.now).await?;
    Ok(see_other(&format!("/activities/{id}?done=saved")))
}
