//! `/settings/thresholds`: thresholds and training zones with their start date and source.

use super::{Tab, invalid_form_page, page};
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::{core_message, time};
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use axum::response::Response;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin, ZoneKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::thresholds::in_force::{in_force, suggestions};
use fitness_core::metrics::zones::{DatedZones, zones_on};
use fitness_core::presentation::thresholds::{ZONE_SETS, zone_sport_label};
use fitness_store::Error;
use maud::{Markup, html};

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Thresholds, &body))
}

pub(crate) async fn update(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let kind: Option<ThresholdKind> =
        faults.ok_or_add("kind", fields.get("kind").unwrap_or_default().parse());
    let written = fields.get_trimmed("value").unwrap_or_default();
    let value = kind.and_then(|kind| faults.ok_or_add("value", kind.parse_value(written, view.units())));
    let from = parse_start_day(&view, &fields, "from", &mut faults);
    if let (Some(kind), Some(value), Some(from)) = (kind, value, from) {
        let set = Threshold { kind, value, from, origin: ThresholdOrigin::Set };
        match view.store().put_threshold(view.user(), &set, view.now).await {
            Ok(()) => return Ok(see_other("/settings/thresholds?done=saved")),
            Err(Error::OutOfBounds { kind, .. }) => {
                faults.add("value", core_message::hint(&kind.out_of_range_error(view.units())));
            }
            Err(other) => return Err(other.into()),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Thresholds, &body))
}

/// `POST /settings/thresholds/confirm`: confirms a detected value.
pub(crate) async fn confirm(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let kind: ThresholdKind =
        fields.get("kind").unwrap_or_default().parse().map_err(|_| PageError::not_found())?;
    let all = view.store().list_thresholds(view.user()).await?;
    let detected: Vec<Threshold> =
        all.iter().copied().filter(|one| one.origin == ThresholdOrigin::Estimated).collect();
    let newest = in_force(&detected, kind, view.today).ok().filter(|held| held.share_of.is_none());
    let newest = newest.ok_or_else(PageError::not_found)?;
    let set = Threshold { origin: ThresholdOrigin::Set, ..newest.threshold };
    view.store().put_threshold(view.user(), &set, view.now).await?;
    Ok(see_other(if fields.get("to") == Some("overview") {
        "/overview?done=saved"
    } else {
        "/settings/thresholds?done=saved"
    }))
}

pub(crate) async fn remove(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let (kind, from) = (fields.get("kind").unwrap_or_default(), fields.get("from").unwrap_or_default());
    let (Ok(kind), Ok(from)) = (kind.parse::<ThresholdKind>(), from.parse::<Day>()) else {
        return Err(PageError::not_found());
    };
    view.store().remove_threshold(view.user(), kind, from, view.now).await?;
    Ok(see_other("/settings/thresholds?done=deleted"))
}

pub(crate) async fn update_zones(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let kind: Option<ZoneKind> =
        faults.ok_or_add("divides", fields.get("divides").unwrap_or_default().parse());
    let sport: Option<Sport> = faults.ok_or_add("sport", fields.get("sport").unwrap_or_default().parse());
    if let Some((kind, sport)) = kind.zip(sport) {
        faults.ok_or_add("sport", kind.check_sport(sport));
    }
    let bounds = fields.get_trimmed("bounds").unwrap_or_default();
    let zones =
        kind.and_then(|kind| faults.ok_or_add("bounds", kind.parse_zones(bounds.split(','), view.units())));
    let from = parse_start_day(&view, &fields, "zones_from", &mut faults);
    if let (Some(kind), Some(sport), Some(zones), Some(from), false) =
        (kind, sport, zones, from, faults.has_any())
    {
        let dated = DatedZones { kind, sport, from, origin: ThresholdOrigin::Set, zones };
        view.store().put_zones(view.user(), &dated, view.now).await?;
        return Ok(see_other("/settings/thresholds?done=saved"));
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Thresholds, &body))
}

pub(crate) async fn remove_zones(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let one = |name: &str| fields.get(name).unwrap_or_default();
    let (Ok(kind), Ok(sport), Ok(from)) =
        (one("divides").parse::<ZoneKind>(), one("sport").parse::<Sport>(), one("from").parse::<Day>())
    else {
        return Err(PageError::not_found());
    };
    view.store().remove_zones(view.user(), kind, sport, from, view.now).await?;
    Ok(see_other("/settings/thresholds?done=deleted"))
}

/// The start date; today by default.
fn parse_start_day(
    view: &PageContext,
    fields: &FormFields,
    name: &'static str,
    faults: &mut FieldErrors,
) -> Option<Day> {
    let Some(text) = fields.get_trimmed(name) else { return Some(view.today) };
    let Ok(day) = text.parse::<Day>() else {
        faults.add(name, "Pick a date, or leave it empty for today.");
        return None;
    };
    if day > view.today {
        faults.add(name, "The start date can't be in the future.");
        return None;
    }
    Some(day)
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let all = view.store().list_thresholds(view.user()).await?;
    let given = view.store().list_zones(view.user()).await?;
    let filling = SubmittedForm { fields, errors: faults };
    let kinds: Vec<(&str, &str)> =
        ThresholdKind::ALL.iter().map(|kind| (kind.as_str(), kind.label())).collect();
    let dated = |name: &str| {
        let line =
            InputOptions { input_type: "date", hint: "Leave empty for today.", ..InputOptions::default() };
        filling.input(name, "Valid from", line)
    };
    Ok(html! {
        p.lead { "The training load of an activity is calculated with the threshold that was valid on its day. A new threshold changes only the loads since its start date." }
        (filling.error_summary())
        section.card {
            h2 { "Thresholds" }
            (thresholds_table(view, &all))
            (threshold_suggestions(view, &all))
            h3 { "Set a threshold" }
            form method="post" action="/settings/thresholds" {
                (view.token_field())
                div.fields {
                    (filling.select("kind", "Threshold", "", &kinds))
                    (filling.input("value", "Value", InputOptions { hint: "Beats per minute, watts, or a pace such as 4:15.", is_required: true, ..InputOptions::default() }))
                    (dated("from"))
                }
                p.actions { button.primary type="submit" { "Set" } }
            }
        }
        section.card {
            h2 { "Zones" }
            (zones_table(view, &given, &all))
            h3 { "Set zones" }
            form method="post" action="/settings/zones" {
                (view.token_field())
                div.fields {
                    (filling.select("divides", "Zone type", "", &[("heart_rate", "Heart rate"), ("speed", "Pace"), ("power", "Power")]))
                    (filling.select("sport", "Sport", "", &[("other", "Sports without their own zones"), ("running", "Running"), ("cycling", "Cycling"), ("swimming", "Swimming"), ("rowing", "Rowing"), ("strength", "Strength")]))
                    (filling.input("bounds", "Lower bounds", InputOptions { hint: "One number per zone, where it starts, from easy to hard, separated by commas.", placeholder: "120,140,160,170", is_required: true, ..InputOptions::default() }))
                    (dated("zones_from"))
                }
                p.actions { button type="submit" { "Set" } }
            }
        }
    })
}

fn thresholds_table(view: &PageContext, all: &[Threshold]) -> Markup {
    let own = |kind: ThresholdKind| {
        let mut own: Vec<&Threshold> =
            all.iter().filter(|one| one.kind == kind && one.origin == ThresholdOrigin::Set).collect();
        own.sort_by_key(|one| std::cmp::Reverse(one.from));
        own
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Thresholds, scrollable" { table {
            thead { tr { th scope="col" { "Threshold" } th.n scope="col" { "Value" } th scope="col" { "Since" } th scope="col" { "Source" } th scope="col" { span.hidden { "Remove" } } } }
            tbody {
                @for kind in ThresholdKind::ALL {
                    @match in_force(all, *kind, view.today) {
                        Ok(held) => {
                            tr {
                                th scope="row" { (kind.label()) }
                                td.n { (kind.format_value(held.value(), view.units())) }
                                td { (time::element(held.threshold.from, view.today)) }
                                td { (held.origin_label()) }
                                td { @if held.threshold.origin == ThresholdOrigin::Set && held.share_of.is_none() { (remove_button(view, *kind, held.threshold.from)) } }
                            }
                            @for earlier in own(*kind).iter().filter(|one| one.from < held.threshold.from) {
                                tr.earlier {
                                    td.soft { "earlier" }
                                    td.n.soft { (kind.format_value(earlier.value, view.units())) }
                                    td.soft { (time::element(earlier.from, view.today)) }
                                    td.soft { (earlier.origin.label()) }
                                    td { (remove_button(view, *kind, earlier.from)) }
                                }
                            }
                        }
                        Err(_) => tr {
                            th scope="row" { (kind.label()) }
                            td.n { span title="Not set, reported or detected yet" { "—" } }
                            td {} td.soft { "not set" } td {}
                        }
                    }
                }
            }
        } }
    }
}

fn remove_button(view: &PageContext, kind: ThresholdKind, from: Day) -> Markup {
    html! {
        form.inline method="post" action="/settings/thresholds/remove" {
            (view.token_field())
            input type="hidden" name="kind" value=(kind);
            input type="hidden" name="from" value=(from);
            button.small type="submit" aria-label={ "Remove " (kind.label()) " from " (time::short_with_year(from, view.today)) } { "Remove" }
        }
    }
}

/// Detected values that differ from the current ones.
pub(crate) fn threshold_suggestions(view: &PageContext, all: &[Threshold]) -> Markup {
    let waiting = suggestions(all, all, view.today);
    html! {
        @for (detected, current) in waiting.iter().filter_map(|one| Some((one.detected, one.current?))) {
            div.row.suggested {
                p {
                    "Your training suggests a " (detected.kind.label()) " of " b { (detected.kind.format_value(detected.value, view.units())) }
                    " instead of " (detected.kind.format_value(current.value, view.units())) ", since " (time::element(detected.from, view.today)) "."
                }
                (confirm_button(view, detected.kind, ""))
            }
        }
    }
}

/// Confirms a detected value; `to` is `overview` to return there.
pub(crate) fn confirm_button(view: &PageContext, kind: ThresholdKind, to: &str) -> Markup {
    html! {
        form.inline method="post" action="/settings/thresholds/confirm" {
            (view.token_field())
            input type="hidden" name="kind" value=(kind);
            input type="hidden" name="to" value=(to);
            button.small type="submit" aria-label={ "Confirm " (kind.label()) } { "Confirm" }
        }
    }
}

fn zones_table(view: &PageContext, given: &[DatedZones], thresholds: &[Threshold]) -> Markup {
    let held: Vec<_> = (ZONE_SETS.iter())
        .filter_map(|(kind, sport)| zones_on(view.today, *kind, *sport, given, thresholds))
        .collect();
    let own: Vec<&DatedZones> = given.iter().filter(|one| one.origin == ThresholdOrigin::Set).collect();
    html! {
        @if held.is_empty() { p.soft { "No zones yet. Set a threshold above, or set zones below." } }
        @else {
            div.scroll tabindex="0" role="region" aria-label="Zones, scrollable" { table {
                thead { tr { th scope="col" { "Zones" } th scope="col" { "Sport" } th scope="col" { "Bounds" } th scope="col" { "Since" } th scope="col" { "Source" } } }
                tbody {
                    // One row for sports with the same zones.
                    @for alike in held.chunk_by(|one, next| (one.kind, &one.zones, one.source, one.from) == (next.kind, &next.zones, next.source, next.from)) {
                        @if let Some(one) = alike.first() { tr {
                            th scope="row" { (one.kind.label()) } td { @for (at, one) in alike.iter().enumerate() { @if at > 0 { ", " } (one.sport) } }
                            td { (one.kind.format_zones(&one.zones, view.units())) }
                            td { (time::element(one.from, view.today)) } td { (one.origin_label()) }
                        } }
                    }
                }
            } }
        }
        @if !own.is_empty() {
            h3 { "Zones you set" }
            ul.plain {
                @for one in &own {
                    li.row {
                        span { (one.kind.label()) " zones for " (zone_sport_label(one.sport)) " from " (time::element(one.from, view.today)) ": " (one.kind.format_zones(&one.zones, view.units())) }
                        form.inline method="post" action="/settings/zones/remove" {
                            (view.token_field())
                            input type="hidden" name="divides" value=(one.kind);
                            input type="hidden" name="sport" value=(one.sport);
                            input type="hidden" name="from" value=(one.from);
                            button.small type="submit" aria-label={ "Remove " (one.kind.label()) " zones from " (time::short_with_year(one.from, view.today)) } { "Remove" }
                        }
                    }
                }
            }
        }
    }
}
