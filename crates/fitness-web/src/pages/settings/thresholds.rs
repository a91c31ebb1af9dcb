//! `/settings/limits`: what loads and zones are measured by, since when, and who says so.

use super::{Tab, again, page};
use crate::components::form::{Filling, Line};
use crate::components::time;
use crate::http::error::Problem;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::View;
use axum::response::Response;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin, ZoneKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::thresholds::in_force::{in_force, suggestions};
use fitness_core::metrics::zones::{DatedZones, zones_on};
use fitness_core::presentation::thresholds::{DIVISIONS, for_whom};
use fitness_store::Error;
use maud::{Markup, html};

/// `GET /settings/limits`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let body = body(&view, &Fields::default(), &Faults::default()).await?;
    Ok(page(&view, Tab::Limits, &body))
}

/// `POST /settings/limits`: sets a limit from a day on.
pub(crate) async fn set(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let kind: Option<ThresholdKind> = faults.take("kind", fields.one("kind").unwrap_or_default().parse());
    let written = fields.text("value").unwrap_or_default();
    let value = kind.and_then(|kind| faults.take("value", kind.read(written, view.units())));
    let from = day(&view, &fields, "from", &mut faults);
    if let (Some(kind), Some(value), Some(from)) = (kind, value, from) {
        let set = Threshold { kind, value, from, origin: ThresholdOrigin::Set };
        match view.store().put_threshold(view.user(), &set, view.now).await {
            Ok(()) => return Ok(see_other("/settings/limits?done=saved")),
            Err(Error::OutOfBounds { kind, .. }) => {
                faults.add("value", kind.beyond(view.units()).to_string());
            }
            Err(other) => return Err(other.into()),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(again(&view, Tab::Limits, &body))
}

/// `POST /settings/limits/confirm`: takes over what was detected.
pub(crate) async fn confirm(view: View, fields: Fields) -> Result<Response, Problem> {
    let kind: ThresholdKind =
        fields.one("kind").unwrap_or_default().parse().map_err(|_| Problem::not_found())?;
    let all = view.store().list_thresholds(view.user()).await?;
    let detected: Vec<Threshold> =
        all.iter().copied().filter(|one| one.origin == ThresholdOrigin::Estimated).collect();
    let newest = in_force(&detected, kind, view.today).ok().filter(|held| held.share_of.is_none());
    let newest = newest.ok_or_else(Problem::not_found)?;
    let set = Threshold { origin: ThresholdOrigin::Set, ..newest.threshold };
    view.store().put_threshold(view.user(), &set, view.now).await?;
    Ok(see_other(if fields.one("to") == Some("found") {
        "/found?done=saved"
    } else {
        "/settings/limits?done=saved"
    }))
}

/// `POST /settings/limits/remove`
pub(crate) async fn remove(view: View, fields: Fields) -> Result<Response, Problem> {
    let (kind, from) = (fields.one("kind").unwrap_or_default(), fields.one("from").unwrap_or_default());
    let (Ok(kind), Ok(from)) = (kind.parse::<ThresholdKind>(), from.parse::<Day>()) else {
        return Err(Problem::not_found());
    };
    view.store().remove_threshold(view.user(), kind, from, view.now).await?;
    Ok(see_other("/settings/limits?done=deleted"))
}

/// `POST /settings/zones`: says where zones begin from a day on.
pub(crate) async fn set_zones(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let kind: Option<ZoneKind> = faults.take("divides", fields.one("divides").unwrap_or_default().parse());
    let sport: Option<Sport> = faults.take("sport", fields.one("sport").unwrap_or_default().parse());
    if let Some((kind, sport)) = kind.zip(sport) {
        faults.take("sport", kind.divides(sport));
    }
    let bounds = fields.text("bounds").unwrap_or_default();
    let zones = kind.and_then(|kind| faults.take("bounds", kind.read(bounds.split(','), view.units())));
    let from = day(&view, &fields, "zones_from", &mut faults);
    if let (Some(kind), Some(sport), Some(zones), Some(from), false) =
        (kind, sport, zones, from, faults.any())
    {
        let dated = DatedZones { kind, sport, from, origin: ThresholdOrigin::Set, zones };
        view.store().put_zones(view.user(), &dated, view.now).await?;
        return Ok(see_other("/settings/limits?done=saved"));
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(again(&view, Tab::Limits, &body))
}

/// `POST /settings/zones/remove`
pub(crate) async fn remove_zones(view: View, fields: Fields) -> Result<Response, Problem> {
    let one = |name: &str| fields.one(name).unwrap_or_default();
    let (Ok(kind), Ok(sport), Ok(from)) =
        (one("divides").parse::<ZoneKind>(), one("sport").parse::<Sport>(), one("from").parse::<Day>())
    else {
        return Err(Problem::not_found());
    };
    view.store().remove_zones(view.user(), kind, sport, from, view.now).await?;
    Ok(see_other("/settings/limits?done=deleted"))
}

/// The day something holds from: today when none is given, and none that has not come.
fn day(view: &View, fields: &Fields, name: &'static str, faults: &mut Faults) -> Option<Day> {
    let Some(text) = fields.text(name) else { return Some(view.today) };
    let Ok(day) = text.parse::<Day>() else {
        faults.add(name, "Write a day such as 2026-06-14, or leave it empty for today.");
        return None;
    };
    if day > view.today {
        faults.add(name, "That day has not come yet; it holds from a day on that has.");
        return None;
    }
    Some(day)
}

async fn body(view: &View, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let all = view.store().list_thresholds(view.user()).await?;
    let given = view.store().list_zones(view.user()).await?;
    let filling = Filling { fields, faults };
    let kinds: Vec<(&str, &str)> =
        ThresholdKind::ALL.iter().map(|kind| (kind.as_str(), kind.called())).collect();
    let dated = |name: &str| {
        let line =
            Line { kind: "date", hint: "Today when empty. Loads of earlier days stay.", ..Line::default() };
        filling.line(name, "From", line)
    };
    Ok(html! {
        p.lead { "Loads are measured by what was in force on their day, so a new limit never rewrites older ones." }
        (filling.summary())
        section.card {
            h2 { "Limits" }
            (limits_table(view, &all))
            (suggested(view, &all))
            h3 { "Set one" }
            form method="post" action="/settings/limits" {
                (view.token_field())
                div.fields {
                    (filling.choice("kind", "Limit", "", &kinds))
                    (filling.line("value", "Value", Line { hint: "Beats per minute, watts, or a pace such as 4:15.", required: true, ..Line::default() }))
                    (dated("from"))
                }
                p.actions { button.primary type="submit" { "Set" } }
            }
        }
        section.card {
            h2 { "Zones" }
            (zones_table(view, &given, &all))
            h3 { "Set them" }
            form method="post" action="/settings/zones" {
                (view.token_field())
                div.fields {
                    (filling.choice("divides", "What they divide", "", &[("heart_rate", "Heart rate"), ("speed", "Pace"), ("power", "Power")]))
                    (filling.choice("sport", "For", "", &[("other", "Every sport without its own"), ("running", "Running"), ("cycling", "Cycling"), ("swimming", "Swimming"), ("rowing", "Rowing"), ("strength", "Strength")]))
                    (filling.line("bounds", "Each zone begins at", Line { hint: "From easy to hard, with commas.", example: "120,140,160,170", required: true, ..Line::default() }))
                    (dated("zones_from"))
                }
                p.actions { button type="submit" { "Set" } }
            }
        }
    })
}

fn limits_table(view: &View, all: &[Threshold]) -> Markup {
    let own = |kind: ThresholdKind| {
        let mut own: Vec<&Threshold> =
            all.iter().filter(|one| one.kind == kind && one.origin == ThresholdOrigin::Set).collect();
        own.sort_by_key(|one| std::cmp::Reverse(one.from));
        own
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Limits, which may be wider than the screen" { table {
            thead { tr { th scope="col" { "Limit" } th.n scope="col" { "Value" } th scope="col" { "Since" } th scope="col" { "How it is known" } th scope="col" { span.hidden { "Remove" } } } }
            tbody {
                @for kind in ThresholdKind::ALL {
                    @match in_force(all, *kind, view.today) {
                        Ok(held) => {
                            tr {
                                th scope="row" { (kind.called()) }
                                td.n { (kind.show(held.value(), view.units())) }
                                td { (time::element(held.threshold.from, view.today)) }
                                td { (held.known_how()) }
                                td { @if held.threshold.origin == ThresholdOrigin::Set && held.share_of.is_none() { (remove_button(view, *kind, held.threshold.from)) } }
                            }
                            @for earlier in own(*kind).iter().filter(|one| one.from < held.threshold.from) {
                                tr.earlier {
                                    td.soft { "earlier" }
                                    td.n.soft { (kind.show(earlier.value, view.units())) }
                                    td.soft { (time::element(earlier.from, view.today)) }
                                    td.soft { (earlier.origin.told()) }
                                    td { (remove_button(view, *kind, earlier.from)) }
                                }
                            }
                        }
                        Err(_) => tr {
                            th scope="row" { (kind.called()) }
                            td.n { span title="Nothing was set, reported or detected yet" { "—" } }
                            td {} td.soft { "not known yet" } td {}
                        }
                    }
                }
            }
        } }
    }
}

fn remove_button(view: &View, kind: ThresholdKind, from: Day) -> Markup {
    html! {
        form.inline method="post" action="/settings/limits/remove" {
            (view.token_field())
            input type="hidden" name="kind" value=(kind);
            input type="hidden" name="from" value=(from);
            button.small type="submit" aria-label={ "Remove the " (kind.called()) " of " (from) } { "Remove" }
        }
    }
}

/// What was detected and waits for the athlete's word.
pub(crate) fn suggested(view: &View, all: &[Threshold]) -> Markup {
    let waiting = suggestions(all, all, view.today);
    html! {
        @for (detected, current) in waiting.iter().filter_map(|one| Some((one.detected, one.current?))) {
            div.row.suggested {
                p {
                    "Your training suggests a " (detected.kind.called()) " of " b { (detected.kind.show(detected.value, view.units())) }
                    " instead of " (detected.kind.show(current.value, view.units())) ", since " (time::element(detected.from, view.today)) "."
                }
                (confirm_button(view, detected.kind, ""))
            }
        }
    }
}

/// Takes over what was detected.
pub(crate) fn confirm_button(view: &View, kind: ThresholdKind, to: &str) -> Markup {
    html! {
        form.inline method="post" action="/settings/limits/confirm" {
            (view.token_field())
            input type="hidden" name="kind" value=(kind);
            input type="hidden" name="to" value=(to);
            button.small type="submit" aria-label={ "Take it over: the " (kind.called()) } { "Take it over" }
        }
    }
}

fn zones_table(view: &View, given: &[DatedZones], thresholds: &[Threshold]) -> Markup {
    let held: Vec<_> = (DIVISIONS.iter())
        .filter_map(|(kind, sport)| zones_on(view.today, *kind, *sport, given, thresholds))
        .collect();
    let own: Vec<&DatedZones> = given.iter().filter(|one| one.origin == ThresholdOrigin::Set).collect();
    html! {
        @if held.is_empty() { p.soft { "No zones yet: they follow from a limit above, or set them below." } }
        @else {
            div.scroll tabindex="0" role="region" aria-label="Zones, which may be wider than the screen" { table {
                thead { tr { th scope="col" { "Zones" } th scope="col" { "Sport" } th scope="col" { "Begin at" } th scope="col" { "Since" } th scope="col" { "How they are known" } } }
                tbody {
                    // What is the same in every sport is said once.
                    @for alike in held.chunk_by(|one, next| (one.kind, &one.zones, one.source, one.from) == (next.kind, &next.zones, next.source, next.from)) {
                        @if let Some(one) = alike.first() { tr {
                            th scope="row" { (one.kind.called()) } td { @for (at, one) in alike.iter().enumerate() { @if at > 0 { ", " } (one.sport) } }
                            td { (one.kind.show(&one.zones, view.units())) }
                            td { (time::element(one.from, view.today)) } td { (one.known_how()) }
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
                        span { (one.kind.called()) " for " (for_whom(one.sport)) " from " (time::element(one.from, view.today)) ": " (one.kind.show(&one.zones, view.units())) }
                        form.inline method="post" action="/settings/zones/remove" {
                            (view.token_field())
                            input type="hidden" name="divides" value=(one.kind);
                            input type="hidden" name="sport" value=(one.sport);
                            input type="hidden" name="from" value=(one.from);
                            button.small type="submit" aria-label={ "Remove the " (one.kind.called()) " zones of " (one.from) } { "Remove" }
                        }
                    }
                }
            }
        }
    }
}
