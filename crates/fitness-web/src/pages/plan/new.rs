//! `GET /plan/new`: asks for a race and shows the plan for it. Nothing is written down until the athlete keeps it.

use crate::components::calendar::{Cell, Weeks};
use crate::components::form::{Filling, Line};
use crate::components::{findings, time};
use crate::http::error::{Problem, sentence};
use crate::http::form::{Asked, Faults, Fields};
use crate::http::response::{see_other, unprocessable};
use crate::page::{Place, View};
use axum::response::Response;
use fitness_core::domain::calendar::{Day, Weekday};
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::{
    Background, Generated, Goal, PlanRequest, RequestField, Stated, Weekdays, Wish, weekday,
};
use fitness_store::{Drafting, StoredActivity};
use maud::{Markup, html};

/// As many weeks are drawn day by day before the plan is kept.
const WEEKS: usize = 12;
/// As many are told in a row each.
const ROWS: usize = 30;

const DAYS: [(&str, &str); 7] = [
    ("mon", "Mon"),
    ("tue", "Tue"),
    ("wed", "Wed"),
    ("thu", "Thu"),
    ("fri", "Fri"),
    ("sat", "Sat"),
    ("sun", "Sun"),
];

/// `GET /plan/new`
pub(crate) async fn show(view: View, Asked(fields): Asked) -> Result<Response, Problem> {
    if fields.one("goal").is_none() {
        let athlete = view.store().background(view.user(), None, view.today, Stated::default()).await?;
        let first = DAYS
            .iter()
            .fold(Fields::default().with("goal", "half"), |fields, (day, _)| fields.with("days", *day));
        return Ok(page(&view, &first, &Faults::default(), &athlete, &html! {}));
    }
    let asked = ask(&view, &fields).await?;
    let preview = html! {
        @if let Some((made, likely)) = &asked.made { (preview(&view, &fields, made, &asked.athlete, likely.as_ref())) }
        @else if let Some(why) = &asked.refused { section.card.waits role="alert" { p { (why) } } }
    };
    let response = page(&view, &fields, &asked.faults, &asked.athlete, &preview);
    Ok(if asked.made.is_some() { response } else { unprocessable(response) })
}

/// `POST /plan/new`: keeps the plan as a draft.
pub(crate) async fn keep(view: View, fields: Fields) -> Result<Response, Problem> {
    let asked = ask(&view, &fields).await?;
    let Some((made, _)) = asked.made else {
        let why =
            html! { @if let Some(why) = &asked.refused { section.card.waits role="alert" { p { (why) } } } };
        return Ok(unprocessable(page(&view, &fields, &asked.faults, &asked.athlete, &why)));
    };
    let supersedes: Option<PlanId> =
        fields.text("supersedes").map(crate::http::response::number).transpose()?;
    let desk = view.store().desk(view.user(), Author::Athlete);
    let id = desk.put_draft(&made.draft, supersedes, view.now).await?;
    Ok(see_other(&format!("/plans/{id}?done=drafted")))
}

/// What came of a form.
struct Asking {
    faults: Faults,
    athlete: Background,
    made: Option<(Generated, Option<StoredActivity>)>,
    /// Why there is no plan, where that is no single field's fault.
    refused: Option<String>,
}

async fn ask(view: &View, fields: &Fields) -> Result<Asking, Problem> {
    let mut faults = Faults::default();
    let read = read(fields, &mut faults).read(view.units(), view.today);
    let (wish, stated) = match read {
        Ok(read) if !faults.any() => read,
        other => {
            for bad in other.err().unwrap_or_default() {
                faults.add(bad.field().as_str(), format!("{} {}", sentence(&bad), sentence(&bad.help())));
            }
            let athlete = view.store().background(view.user(), None, view.today, Stated::default()).await?;
            return Ok(Asking { faults, athlete, made: None, refused: None });
        }
    };
    let wish = Wish { start: wish.start.max(view.today), ..wish };
    let Drafting { athlete, made, likely_race } =
        view.store().draft_for(view.user(), &wish, stated, view.today).await?;
    Ok(match made {
        Ok(made) => Asking { faults, athlete, made: Some((made, likely_race)), refused: None },
        Err(why) => {
            let said = sentence(&why);
            match why.field() {
                Some(field) => faults.add(field.as_str(), said.clone()),
                None => faults.add(RequestField::RaceDate.as_str(), said.clone()),
            }
            Asking { faults, athlete, made: None, refused: Some(said) }
        }
    })
}

/// A form as a wish. What the fields are is the same as at the terminal.
fn read(fields: &Fields, faults: &mut Faults) -> PlanRequest {
    let owned = |name: &str| fields.text(name).map(str::to_owned);
    let goal = fields.text("goal").map(|text| text.parse::<Goal>().map_err(|_| "Choose one of the races."));
    let goal = goal.and_then(|goal| faults.take(RequestField::Goal.as_str(), goal));
    let b_race = match (fields.text("b_race"), fields.text("b_race_distance")) {
        (None, None) => None,
        (Some(day), Some(far)) => Some(format!("{day}={far}")),
        (Some(_), None) => {
            faults.add("b_race_distance", "Say how far it is, such as 10k, or leave its day out.");
            None
        }
        (None, Some(_)) => {
            faults.add(RequestField::BRace.as_str(), "Give its day, or leave out how far it is.");
            None
        }
    };
    PlanRequest {
        goal,
        // A named race has a distance of its own; what stands in the field beside it is left over.
        distance: owned("distance").filter(|_| goal == Some(Goal::Custom)),
        race_date: read_day(fields, faults, RequestField::RaceDate),
        start: None,
        target: owned("target"),
        days: read_days(fields, faults),
        long_day: read_long_day(fields, faults),
        blackout: fields
            .text("blackout")
            .into_iter()
            .flat_map(|text| text.split(['\n', ',', ';']))
            .map(|line| line.trim().replace(" to ", "..").replace(' ', ""))
            .filter(|line| !line.is_empty())
            .collect(),
        b_race,
        level: fields.text("level").and_then(|text| {
            faults.take(RequestField::Level.as_str(), text.parse().map_err(|_| "Choose one of the levels."))
        }),
        base: owned("base"),
        longest: owned("longest"),
        strength: fields.ticked("strength"),
        // The form does not ask for it; a plan drafted elsewhere may bring it along.
        cross: fields.text("cross").and_then(|sport| sport.parse().ok()),
        name: owned("name"),
    }
}

fn read_day(fields: &Fields, faults: &mut Faults, field: RequestField) -> Option<Day> {
    let text = fields.text(field.as_str())?;
    faults.take(field.as_str(), text.parse().map_err(|_| "That is no day. Write it such as 2026-09-20."))
}

fn read_days(fields: &Fields, faults: &mut Faults) -> Option<Weekdays> {
    let read =
        fields.all("days").try_fold(Weekdays::NONE, |days, day| weekday(day).map(|day| days.with(day)));
    faults.take(RequestField::Days.as_str(), read.map_err(|bad| sentence(&bad)))
}

fn read_long_day(fields: &Fields, faults: &mut Faults) -> Option<Weekday> {
    let text = fields.text("long_day")?;
    faults.take(RequestField::LongDay.as_str(), weekday(text).map_err(|bad| sentence(&bad)))
}

fn page(view: &View, fields: &Fields, faults: &Faults, athlete: &Background, preview: &Markup) -> Response {
    let body = html! {
        h1 { "New plan" }
        p.lead { "Made from what you really run. Nothing is kept until you say so, and nothing is tracked until you commit." }
        form.card method="get" action="/plan/new" data-redraft="preview" {
            (form(view.units(), Filling { fields, faults }, athlete))
            @for name in ["supersedes", "cross"] { @if let Some(old) = fields.text(name) { input type="hidden" name=(name) value=(old); } }
            p.actions { button.primary type="submit" { "Show the plan" } a.btn href="/plans" { "All plans" } }
        }
        div #preview aria-live="polite" { (preview) }
    };
    view.page(Place::Plan, "New plan", &body)
}

fn form(units: UnitSystem, filling: Filling<'_>, athlete: &Background) -> Markup {
    let line = |kind, hint, example| Line { kind, hint, example, ..Line::default() };
    let far = if units == UnitSystem::Metric { "15km" } else { "10mi" };
    let mut long_days = vec![("", "The weekend")];
    long_days.extend(DAYS);
    html! {
        (filling.summary())
        fieldset.part {
            legend { "The race" }
            div.fields {
                (filling.line("name", "What to call it", line("", "Made from race and day when empty.", "")))
                (filling.choice("goal", "Race", "", &[("5k", "5 km"), ("10k", "10 km"), ("half", "Half marathon"), ("full", "Marathon"), ("custom", "Another distance")]))
                (filling.line("distance", "How far", line("", "Only for another distance.", far)))
                (filling.line("race_date", "Day of the race", Line { required: true, ..line("date", "", "") }))
                (filling.line("target", "Time hoped for", line("", "Leave it empty to just finish.", "1:45:00")))
            }
        }
        fieldset.part {
            legend { "Your week" }
            (filling.boxes("days", "Days you can train", "", &DAYS))
            div.fields {
                (filling.choice("long_day", "Day of the long run", "", &long_days))
                (filling.area("blackout", "Days you cannot train at all", "A day or a stretch in each line, such as 2026-07-01 or 2026-07-01..2026-07-14."))
            }
            (filling.boxes("strength", "Besides running", "", &[("on", "Two short strength sessions a week")]))
        }
        fieldset.part {
            legend { "A race along the way" }
            div.fields {
                (filling.line("b_race", "Its day", line("date", "", "")))
                (filling.line("b_race_distance", "How far", line("", "", "10k")))
            }
        }
        fieldset.part {
            legend { "What it starts from" }
            p { (athlete.told(units)) }
            (detected(athlete, units))
            div.fields {
                (filling.line("base", "A usual week", line("", "Only to correct it.", "40km")))
                (filling.line("longest", "Longest run of the last 30 days", line("", "Only to correct it.", "14km")))
                (filling.choice("level", "Used to running", "", &[("", "As my history says"), ("novice", "New to it"), ("inter", "Intermediate"), ("adv", "Advanced")]))
            }
        }
    }
}

/// Where base and longest run come from.
fn detected(athlete: &Background, units: UnitSystem) -> Markup {
    let shown = |found: fitness_core::metrics::Found<fitness_core::domain::units::Distance>| match found {
        Ok(far) => html! { b { (units.distance(far)) } },
        Err(why) => html! { span title=(why) { "—" } },
    };
    html! {
        dl.facts {
            div { dt { "Recorded week" } dd { (shown(athlete.recorded_base())) } dd.small.soft { "the middle one of your last weeks" } }
            div { dt { "Recorded longest run" } dd { (shown(athlete.recorded_longest())) } dd.small.soft { "of the last 30 days" } }
            div { dt { "Paces" } dd.small { (athlete.told_result()) } }
        }
    }
}

fn preview(
    view: &View,
    fields: &Fields,
    made: &Generated,
    athlete: &Background,
    likely: Option<&StoredActivity>,
) -> Markup {
    let (units, today, draft) = (view.units(), view.today, &made.draft);
    let weeks = made.told_weeks(units);
    let cells: Vec<Cell<'_>> =
        draft.workouts().iter().map(|workout| Cell { workout, id: None, graded: None }).collect();
    let rest = html! { "The draft has all of them." };
    let drawn = Weeks { race: draft.race_date(), today, units, most: WEEKS, rest: &rest };
    html! {
        section.card.waits {
            h2 { "The plan" }
            p.big-line { b { (fitness_core::domain::untrusted_text::visible(draft.name())) } " · " (draft.start_date().until(draft.race_date())) " days, to " (time::element(draft.race_date(), today)) }
            p { (athlete.told(units)) " " (athlete.told_paces(draft.workouts())) }
            @if !made.remarks.is_empty() { ul { @for remark in &made.remarks { li { (remark) } } } }
            @if let Some(run) = likely {
                p { "The run on " a href={ "/activities/" (run.id) } { (time::element(run.day, today)) } " looks like a race, and a race gives paces: confirm it, then draft again." }
            }
            form method="post" action="/plan/new" {
                (view.token_field()) (fields.hidden())
                p.actions { button.primary type="submit" { "Keep as a draft" } }
            }
            p.small.soft { "A draft is only something to read. You commit it on its own page." }
        }
        section.card { h2 { "Checks" } (findings::all(&made.findings)) }
        section.card {
            h2 { "Week by week" }
            div.scroll tabindex="0" role="region" aria-label="A table that may be wider than the screen" { table {
                thead { tr { th scope="col" { "Week from" } th scope="col" { "Phase" } th.n scope="col" { "Running" } th.n scope="col" { "Longest" } th scope="col" { "Hard days" } } }
                tbody { @for week in weeks.iter().take(ROWS) { tr {
                    th scope="row" { (time::element(week.first, today)) }
                    td { (week.called) }
                    td.n { (week.running) }
                    td.n { @match week.longest { Some(far) => (units.distance(far)), None => span title="no run has a distance" { "—" } } }
                    td { (week.hard.join(", ")) }
                } } }
            } }
        }
        section.card { h2 { "Day by day" } (drawn.draw(&cells)) }
    }
}
