//! `/settings`: profile (time zone, units, age, sex, sleep goal) and appearance.

use super::{Tab, invalid_form_page, page};
use crate::components::form::{InputOptions, SubmittedForm};
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::{PageContext, SHORTCUTS_SETTING, THEME_SETTING, Theme};
use axum::response::Response;
use chrono::Datelike as _;
use chrono_tz::Tz;
use fitness_core::domain::athlete::Profile;
use fitness_core::presentation::thresholds::parse_sleep_need;
use maud::{Markup, html};
use std::sync::LazyLock;

const MIN_BIRTH_YEAR: i32 = 1900;

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let fields = initial_fields(&view);
    Ok(page(&view, Tab::Profile, &body(&view, &fields, &FieldErrors::default())))
}

pub(crate) async fn update(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let Some(profile) = parse_profile(&view, &fields, &mut faults) else {
        return Ok(invalid_form_page(
            &view,
            Tab::Profile,
            &body(&view, &with_appearance(&view, fields), &faults),
        ));
    };
    if profile != view.profile {
        view.store().put_profile(view.user(), &profile, view.now).await?;
    }
    Ok(see_other("/settings?done=saved"))
}

pub(crate) async fn update_appearance(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let read = fields.get("theme").unwrap_or_default().parse::<Theme>();
    let theme = faults.ok_or_add("theme", read.map_err(|_| "Choose one of the three."));
    let keys = fields.get_all("keys").all(|word| word == "on");
    if !keys {
        faults.add("keys", "Check the box or leave it empty.");
    }
    let Some(theme) = theme.filter(|_| keys) else {
        return Ok(invalid_form_page(&view, Tab::Profile, &body(&view, &initial_fields(&view), &faults)));
    };
    view.store().put_setting(view.user(), THEME_SETTING, &theme, view.now).await?;
    view.store().put_setting(view.user(), SHORTCUTS_SETTING, &fields.is_checked("keys"), view.now).await?;
    Ok(see_other("/settings?done=saved"))
}

/// The profile in a form; `None` when a field is invalid.
pub(crate) fn parse_profile(
    view: &PageContext,
    fields: &FormFields,
    faults: &mut FieldErrors,
) -> Option<Profile> {
    let text = |name: &str| fields.get_trimmed(name);
    let zone = match text("zone").map(str::parse::<Tz>) {
        Some(Ok(zone)) => zone,
        _ => {
            faults.add("zone", "Pick a time zone from the list, such as Europe/Zurich.");
            view.profile.zone
        }
    };
    let units = faults.ok_or_add("units", fields.get("units").unwrap_or_default().parse());
    let birth_year = text("birth_year").map(|year| {
        let this = view.today.date().year();
        year.parse::<i32>().ok().filter(|year| (MIN_BIRTH_YEAR..=this).contains(year))
    });
    if birth_year == Some(None) {
        faults.add("birth_year", "Enter a year such as 1985, or leave it empty.");
    }
    let sex = text("sex").and_then(|sex| faults.ok_or_add("sex", sex.parse()));
    let sleep_need =
        text("sleep_need").and_then(|night| faults.ok_or_add("sleep_need", parse_sleep_need(night)));
    let profile = Profile {
        zone,
        units: units.unwrap_or(view.profile.units),
        // Not editable: weeks start on Monday everywhere. The stored value of older versions is
        // kept.
        week_start: view.profile.week_start,
        birth_year: birth_year.flatten(),
        sex,
        sleep_need,
    };
    (!faults.has_any()).then_some(profile)
}

pub(crate) fn initial_fields(view: &PageContext) -> FormFields {
    let profile = &view.profile;
    let empty = String::new;
    let fields = FormFields::default()
        .with("zone", profile.zone.name())
        .with("units", profile.units.as_str())
        .with("birth_year", profile.birth_year.map_or_else(empty, |year| year.to_string()))
        .with("sex", profile.sex.map_or("", fitness_core::domain::athlete::Sex::as_str))
        .with("sleep_need", profile.sleep_need.map_or_else(empty, format_sleep_need));
    with_appearance(view, fields)
}

fn format_sleep_need(need: fitness_core::domain::units::TimeSpan) -> String {
    let minutes = need.ms() / 60_000;
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

fn with_appearance(view: &PageContext, fields: FormFields) -> FormFields {
    let fields = fields.with("theme", view.theme().as_str());
    if view.has_shortcuts() { fields.with("keys", "on") } else { fields }
}

/// Zones named after a place. Other names are accepted too.
static ZONES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let areas = [
        "Africa/",
        "America/",
        "Antarctica/",
        "Asia/",
        "Atlantic/",
        "Australia/",
        "Europe/",
        "Indian/",
        "Pacific/",
    ];
    let names = chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
    names.filter(|name| areas.iter().any(|area| name.starts_with(area))).collect()
});

/// Time zone and units, also used by the welcome steps.
pub(crate) fn profile_fields(filling: &SubmittedForm<'_>) -> Markup {
    html! {
        div.fields {
            (filling.input("zone", "Time zone", InputOptions { hint: "Decides when your day starts.", placeholder: "Europe/Zurich", is_required: true, suggestions: &ZONES, ..InputOptions::default() }))
            (filling.select("units", "Units", "For distances and paces.", &[("metric", "Kilometres, min/km"), ("imperial", "Miles, min/mile")]))
        }
    }
}

fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Markup {
    let filling = SubmittedForm { fields, errors: faults };
    html! {
        section.card {
            h2 { "About you" }
            (filling.error_summary())
            form method="post" action="/settings/profile" {
                (view.token_field())
                (profile_fields(&filling))
                div.fields {
                    (filling.input("birth_year", "Year of birth", InputOptions { hint: "Optional.", placeholder: "1985", ..InputOptions::default() }))
                    (filling.select("sex", "Sex", "Used by some heart-rate formulas.", &[("", "Not specified"), ("female", "Female"), ("male", "Male")]))
                    (filling.input("sleep_need", "Sleep goal", InputOptions { hint: "Hours and minutes, such as 8:00.", placeholder: "8:00", ..InputOptions::default() }))
                }
                p.actions { button.primary type="submit" { "Save" } }
            }
        }
        section.card {
            h2 { "Appearance" }
            form method="post" action="/settings/looks" {
                (view.token_field())
                (filling.select("theme", "Theme", "", &[("system", "Match device"), ("light", "Light"), ("dark", "Dark")]))
                (filling.checkboxes("keys", "Keyboard", "Press ? to see all shortcuts.", &[("on", "Enable keyboard shortcuts")]))
                p.actions { button type="submit" { "Save" } }
            }
            (view.post_button("/sign-out", "Sign out", ""))
        }
    }
}
