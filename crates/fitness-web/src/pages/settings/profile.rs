//! `/settings`: zone, units, and how pages look.

use super::{Tab, again, page};
use crate::components::form::{Filling, Line};
use crate::http::error::Problem;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::{KEYS_SETTING, THEME_SETTING, Theme, View};
use axum::response::Response;
use chrono::Datelike as _;
use chrono_tz::Tz;
use fitness_core::domain::athlete::Profile;
use fitness_core::presentation::thresholds::read_night;
use maud::{Markup, html};
use std::sync::LazyLock;

/// Nobody who uses this was born earlier.
const OLDEST: i32 = 1900;

/// `GET /settings`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let fields = filled(&view);
    Ok(page(&view, Tab::Profile, &body(&view, &fields, &Faults::default())))
}

/// `POST /settings/profile`
pub(crate) async fn save(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let Some(profile) = read(&view, &fields, &mut faults) else {
        return Ok(again(&view, Tab::Profile, &body(&view, &with_looks(&view, fields), &faults)));
    };
    if profile != view.profile {
        view.store().put_profile(view.user(), &profile, view.now).await?;
    }
    Ok(see_other("/settings?done=saved"))
}

/// `POST /settings/looks`
pub(crate) async fn save_looks(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let read = fields.one("theme").unwrap_or_default().parse::<Theme>();
    let theme = faults.take("theme", read.map_err(|_| "Choose one of the three."));
    let keys = fields.all("keys").all(|word| word == "on");
    if !keys {
        faults.add("keys", "Tick the box, or leave it.");
    }
    let Some(theme) = theme.filter(|_| keys) else {
        return Ok(again(&view, Tab::Profile, &body(&view, &filled(&view), &faults)));
    };
    view.store().put_setting(view.user(), THEME_SETTING, &theme, view.now).await?;
    view.store().put_setting(view.user(), KEYS_SETTING, &fields.ticked("keys"), view.now).await?;
    Ok(see_other("/settings?done=saved"))
}

/// What a form says about an athlete; `None` when something is wrong with it.
pub(crate) fn read(view: &View, fields: &Fields, faults: &mut Faults) -> Option<Profile> {
    let text = |name: &str| fields.text(name);
    let zone = match text("zone").map(str::parse::<Tz>) {
        Some(Ok(zone)) => zone,
        _ => {
            faults.add("zone", "Write a time zone of the list, such as Europe/Zurich.");
            view.profile.zone
        }
    };
    let units = faults.take("units", fields.one("units").unwrap_or_default().parse());
    let birth_year = text("birth_year").map(|year| {
        let this = view.today.date().year();
        year.parse::<i32>().ok().filter(|year| (OLDEST..=this).contains(year))
    });
    if birth_year == Some(None) {
        faults.add("birth_year", "Write a year such as 1985, or leave it empty.");
    }
    let sex = text("sex").and_then(|sex| faults.take("sex", sex.parse()));
    let sleep_need = text("sleep_need").and_then(|night| faults.take("sleep_need", read_night(night)));
    let profile = Profile {
        zone,
        units: units.unwrap_or(view.profile.units),
        // Every week that is shown begins on a Monday, as the weeks of plans do; what older versions asked for is kept.
        week_start: view.profile.week_start,
        birth_year: birth_year.flatten(),
        sex,
        sleep_need,
    };
    (!faults.any()).then_some(profile)
}

/// The form as it begins.
pub(crate) fn filled(view: &View) -> Fields {
    let profile = &view.profile;
    let empty = String::new;
    let fields = Fields::default()
        .with("zone", profile.zone.name())
        .with("units", profile.units.as_str())
        .with("birth_year", profile.birth_year.map_or_else(empty, |year| year.to_string()))
        .with("sex", profile.sex.map_or("", fitness_core::domain::athlete::Sex::as_str))
        .with("sleep_need", profile.sleep_need.map_or_else(empty, night));
    with_looks(view, fields)
}

fn night(need: fitness_core::domain::units::TimeSpan) -> String {
    let minutes = need.ms() / 60_000;
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

fn with_looks(view: &View, fields: Fields) -> Fields {
    let fields = fields.with("theme", view.theme().as_str());
    if view.keys_are_on() { fields.with("keys", "on") } else { fields }
}

/// The zones that are offered: those called after a place. Other names of the same are understood, too.
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

/// The fields that say where and how an athlete lives.
pub(crate) fn place_fields(filling: &Filling<'_>) -> Markup {
    html! {
        div.fields {
            (filling.line("zone", "Time zone", Line { hint: "Your days begin and end there.", example: "Europe/Zurich", required: true, offers: &ZONES, ..Line::default() }))
            (filling.choice("units", "Units", "Distances and paces everywhere.", &[("metric", "Kilometres, min/km"), ("imperial", "Miles, min/mile")]))
        }
    }
}

fn body(view: &View, fields: &Fields, faults: &Faults) -> Markup {
    let filling = Filling { fields, faults };
    html! {
        section.card {
            h2 { "You" }
            (filling.summary())
            form method="post" action="/settings/profile" {
                (view.token_field())
                (place_fields(&filling))
                div.fields {
                    (filling.line("birth_year", "Year of birth", Line { hint: "May stay empty.", example: "1985", ..Line::default() }))
                    (filling.choice("sex", "Sex", "A few formulas differ by it; without it they give no value.", &[("", "Not said"), ("female", "Female"), ("male", "Male")]))
                    (filling.line("sleep_need", "Sleep you need", Line { hint: "Hours and minutes.", example: "8:00", ..Line::default() }))
                }
                p.actions { button.primary type="submit" { "Save" } }
            }
        }
        section.card {
            h2 { "How pages look" }
            form method="post" action="/settings/looks" {
                (view.token_field())
                (filling.choice("theme", "Colours", "", &[("system", "As this device is set"), ("light", "Light"), ("dark", "Dark")]))
                (filling.boxes("keys", "Keyboard", "Single keys lead to pages; ? lists them. None of them decides anything.", &[("on", "Single keys work")]))
                p.actions { button type="submit" { "Save" } }
            }
            (view.button("/sign-out", "Sign this browser out", ""))
        }
    }
}
