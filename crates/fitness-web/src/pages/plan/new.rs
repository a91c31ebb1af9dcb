//! `GET /plan/new`: the form for a new plan and its preview; `POST` saves it as a draft.

use crate::components::calendar::{CalendarWorkout, PlanCalendar};
use crate::components::core_message::{for_page, hint, sentence};
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::{findings, time};
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields, QueryFields};
use crate::http::response::{see_other, unprocessable};
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_core::domain::calendar::{Day, Weekday};
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::{
    GeneratedPlan, GoalDistance, PlanForm, PlanFormField, PlanRequest, SelfReportedTraining,
    TrainingBaseline, Weekdays, parse_weekday,
};
use fitness_store::{GenerationOutcome, StoredActivity};
use maud::{Markup, html};

/// Weeks drawn in the calendar of the preview.
const MAX_CALENDAR_WEEKS: usize = 12;
/// Rows in the week-by-week table.
const MAX_WEEK_ROWS: usize = 30;

const DAYS: [(&str, &str); 7] = [
    ("mon", "Mon"),
    ("tue", "Tue"),
    ("wed", "Wed"),
    ("thu", "Thu"),
    ("fri", "Fri"),
    ("sat", "Sat"),
    ("sun", "Sun"),
];

pub(crate) async fn show(view: PageContext, QueryFields(fields): QueryFields) -> Result<Response, PageError> {
    if fields.get("goal").is_none() {
        let athlete = view
            .store()
            .training_baseline(view.user(), None, view.today, SelfReportedTraining::default())
            .await?;
        let first = DAYS
            .iter()
            .fold(FormFields::default().with("goal", "half"), |fields, (day, _)| fields.with("days", *day));
        return Ok(page(&view, &first, &FieldErrors::default(), &athlete, &html! {}));
    }
    let asked = generate(&view, &fields).await?;
    let preview = html! {
        @if let Some((made, likely)) = &asked.generated { (preview(&view, &fields, made, &asked.baseline, likely.as_ref())) }
    };
    let response = page(&view, &fields, &asked.errors, &asked.baseline, &preview);
    Ok(if asked.generated.is_some() { response } else { unprocessable(response) })
}

/// `POST /plan/new`: saves the plan as a draft.
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let asked = generate(&view, &fields).await?;
    let Some((made, _)) = asked.generated else {
        return Ok(unprocessable(page(&view, &fields, &asked.errors, &asked.baseline, &html! {})));
    };
    let supersedes: Option<PlanId> =
        fields.get_trimmed("supersedes").map(crate::http::response::parse_id).transpose()?;
    let writer = view.store().plan_writer(view.user(), Author::Athlete);
    let id = writer.put_draft(&made.draft, supersedes, view.now).await?;
    Ok(see_other(&format!("/plans/{id}?done=drafted")))
}

struct GenerateOutcome {
    errors: FieldErrors,
    baseline: TrainingBaseline,
    generated: Option<(GeneratedPlan, Option<StoredActivity>)>,
}

async fn generate(view: &PageContext, fields: &FormFields) -> Result<GenerateOutcome, PageError> {
    let mut faults = FieldErrors::default();
    let read = parse_form(fields, &mut faults).parse(view.units(), view.today);
    let (wish, stated) = match read {
        Ok(read) if !faults.has_any() => read,
        other => {
            for bad in other.err().unwrap_or_default() {
                faults.add(bad.field().as_str(), format!("{} {}", sentence(&bad), hint(&bad.help())));
            }
            let athlete = view
                .store()
                .training_baseline(view.user(), None, view.today, SelfReportedTraining::default())
                .await?;
            return Ok(GenerateOutcome { errors: faults, baseline: athlete, generated: None });
        }
    };
    let wish = PlanRequest { start: wish.start.max(view.today), ..wish };
    let GenerationOutcome { baseline: athlete, result: made, likely_race } =
        view.store().generate_draft(view.user(), &wish, stated, view.today).await?;
    Ok(match made {
        Ok(made) => {
            GenerateOutcome { errors: faults, baseline: athlete, generated: Some((made, likely_race)) }
        }
        Err(why) => {
            let field = why.field().unwrap_or(PlanFormField::RaceDate);
            faults.add(field.as_str(), sentence(&why));
            GenerateOutcome { errors: faults, baseline: athlete, generated: None }
        }
    })
}

/// The same form type as `fitness plan draft`.
fn parse_form(fields: &FormFields, faults: &mut FieldErrors) -> PlanForm {
    let owned = |name: &str| fields.get_trimmed(name).map(str::to_owned);
    let goal = fields
        .get_trimmed("goal")
        .map(|text| text.parse::<GoalDistance>().map_err(|_| "Choose one of the races."));
    let goal = goal.and_then(|goal| faults.ok_or_add(PlanFormField::Goal.as_str(), goal));
    let b_race = match (fields.get_trimmed("b_race"), fields.get_trimmed("b_race_distance")) {
        (None, None) => None,
        (Some(day), Some(far)) => Some(format!("{day}={far}")),
        (Some(_), None) => {
            faults.add(
                "b_race_distance",
                "Enter the distance of the tune-up race, such as 10k, or clear its date.",
            );
            None
        }
        (None, Some(_)) => {
            faults.add(
                PlanFormField::BRace.as_str(),
                "Enter the date of the tune-up race, or clear its distance.",
            );
            None
        }
    };
    PlanForm {
        goal,
        // Other races have a fixed distance; the field may hold a leftover value.
        distance: owned("distance").filter(|_| goal == Some(GoalDistance::Custom)),
        race_date: parse_day(fields, faults, PlanFormField::RaceDate),
        start: None,
        target: owned("target"),
        days: parse_weekdays(fields, faults),
        long_day: parse_long_day(fields, faults),
        blackout: fields
            .get_trimmed("blackout")
            .into_iter()
            .flat_map(|text| text.split(['\n', ',', ';']))
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect(),
        b_race,
        level: fields.get_trimmed("level").and_then(|text| {
            faults.ok_or_add(
                PlanFormField::Level.as_str(),
                text.parse().map_err(|_| "Choose one of the levels."),
            )
        }),
        base: owned("base"),
        longest: owned("longest"),
        strength: fields.is_checked("strength"),
        // Not in the form; kept when a draft made elsewhere is redrafted.
        cross: fields.get_trimmed("cross").and_then(|sport| sport.parse().ok()),
        name: owned("name"),
    }
}

fn parse_day(fields: &FormFields, faults: &mut FieldErrors, field: PlanFormField) -> Option<Day> {
    let text = fields.get_trimmed(field.as_str())?;
    faults.ok_or_add(field.as_str(), text.parse().map_err(|_| "Choose a date."))
}

fn parse_weekdays(fields: &FormFields, faults: &mut FieldErrors) -> Option<Weekdays> {
    let read = fields
        .get_all("days")
        .try_fold(Weekdays::NONE, |days, day| parse_weekday(day).map(|day| days.with(day)));
    faults.ok_or_add(PlanFormField::Days.as_str(), read.map_err(|bad| sentence(&bad)))
}

fn parse_long_day(fields: &FormFields, faults: &mut FieldErrors) -> Option<Weekday> {
    let text = fields.get_trimmed("long_day")?;
    faults.ok_or_add(PlanFormField::LongDay.as_str(), parse_weekday(text).map_err(|bad| sentence(&bad)))
}

fn page(
    view: &PageContext,
    fields: &FormFields,
    faults: &FieldErrors,
    athlete: &TrainingBaseline,
    preview: &Markup,
) -> Response {
    let body = html! {
        h1 { "New plan" }
        p.lead { "The plan is built from your training so far. It is saved only when you choose “Save as draft”." }
        form.card method="get" action="/plan/new" data-redraft="preview" {
            (form(view.units(), SubmittedForm { fields, errors: faults }, athlete))
            @for name in ["supersedes", "cross"] { @if let Some(old) = fields.get_trimmed(name) { input type="hidden" name=(name) value=(old); } }
            p.actions { button.primary type="submit" { "Preview plan" } a.btn href="/plans" { "All plans" } }
        }
        div #preview aria-live="polite" { (preview) }
    };
    view.page(NavItem::Plan, "New plan", &body)
}

fn form(units: UnitSystem, filling: SubmittedForm<'_>, athlete: &TrainingBaseline) -> Markup {
    let line = |kind, hint, example| InputOptions {
        input_type: kind,
        hint,
        placeholder: example,
        ..InputOptions::default()
    };
    let (has_history, has_longest) =
        (athlete.recorded_base().is_ok(), athlete.recorded_longest_run().is_ok());
    let far = if units == UnitSystem::Metric { "15km" } else { "10mi" };
    let mut long_days = vec![("", "Weekend")];
    long_days.extend(DAYS);
    html! {
        (filling.input_error_summary())
        fieldset.part {
            legend { "Race" }
            div.fields {
                (filling.input("name", "Name (optional)", line("", "Default: the race and its date.", "")))
                (filling.select("goal", "Race", "", &[("5k", "5 km"), ("10k", "10 km"), ("half", "Half marathon"), ("full", "Marathon"), ("custom", "Custom distance")]))
                (filling.input("distance", "Distance", line("", "Only for a custom distance.", far)))
                (filling.input("race_date", "Race date", InputOptions { is_required: true, ..line("date", "", "") }))
                (filling.input("target", "Goal time (optional)", line("", "", "1:45:00")))
            }
        }
        fieldset.part {
            legend { "Your week" }
            (filling.checkboxes("days", "Days you can train", "", &DAYS))
            div.fields {
                (filling.select("long_day", "Long run day", "", &long_days))
                (filling.textarea("blackout", "Days off (optional)", "One date or range per line, such as 1 July or 1 July to 14 July."))
            }
            (filling.checkboxes("strength", "Strength training", "", &[("on", "Two short strength sessions a week")]))
        }
        fieldset.part {
            legend { "Tune-up race (optional)" }
            div.fields {
                (filling.input("b_race", "Date", line("date", "", "")))
                (filling.input("b_race_distance", "Distance", line("", "", "10k")))
            }
        }
        fieldset.part {
            legend { "Your training so far" }
            p { @if has_history { (for_page(&athlete.describe(units))) } @else { "You have fewer than four weeks of recorded runs, so choose your running experience. Without a typical week, the plan starts from zero." } }
            (detected_baseline(athlete, units))
            div.fields {
                (filling.input("base", "Typical week", line("", if has_history { "Only if the value from your activities is wrong." } else { "Your usual weekly distance." }, "40km")))
                (filling.input("longest", "Longest run in the last 30 days", line("", if has_longest { "Only if the value from your activities is wrong." } else { "Optional." }, "14km")))
                (filling.select("level", "Running experience", "", &[("", if has_history { "Use my history" } else { "Choose one" }), ("novice", "Beginner"), ("inter", "Intermediate"), ("adv", "Advanced")]))
            }
        }
    }
}

/// The recorded training that a plan starts from.
fn detected_baseline(athlete: &TrainingBaseline, units: UnitSystem) -> Markup {
    let shown =
        |found: fitness_core::metrics::MetricResult<fitness_core::domain::units::Distance>| match found {
            Ok(far) => html! { b { (units.format_distance(far)) } },
            Err(why) => html! { span title=(for_page(&why.to_string())) { "—" } },
        };
    html! {
        dl.facts {
            div { dt { "Typical week, from your activities" } dd { (shown(athlete.recorded_base())) } dd.small.soft { "median of your recent weeks" } }
            div { dt { "Longest run, from your activities" } dd { (shown(athlete.recorded_longest_run())) } dd.small.soft { "in the last 30 days" } }
            div { dt { "Paces" } dd.small { (for_page(&athlete.describe_result_basis())) } }
        }
    }
}

fn preview(
    view: &PageContext,
    fields: &FormFields,
    made: &GeneratedPlan,
    athlete: &TrainingBaseline,
    likely: Option<&StoredActivity>,
) -> Markup {
    let (units, today, draft) = (view.units(), view.today, &made.draft);
    let weeks = made.week_summaries(units);
    let cells: Vec<CalendarWorkout<'_>> =
        draft.workouts().iter().map(|workout| CalendarWorkout { workout, id: None, graded: None }).collect();
    let rest = html! { "Save the draft to see them." };
    let drawn = PlanCalendar {
        race: draft.race_date(),
        today,
        units,
        max_weeks: MAX_CALENDAR_WEEKS,
        more_link: &rest,
    };
    html! {
        section.card.waits {
            h2 { "Preview" }
            p.big-line { b { (fitness_core::domain::untrusted_text::escape_invisible(draft.name())) } " · " (draft.start_date().days_until(draft.race_date())) " days" }
            p { (for_page(&athlete.describe(units))) " " (for_page(&athlete.describe_pace_basis(draft.workouts()))) }
            @if !made.notes.is_empty() { ul { @for note in &made.notes { li { (for_page(note)) } } } }
            @if let Some(run) = likely {
                p { "Your run on " a href={ "/activities/" (run.id) } { (time::element(run.day, today)) } " looks like a race. Confirm it to get training paces, then preview the plan again." }
            }
            form method="post" action="/plan/new" {
                (view.token_field()) (fields.hidden_inputs())
                p.actions { button.primary type="submit" { "Save as draft" } }
            }
        }
        section.card { h2 { "Checks" } (findings::render(&made.findings)) }
        section.card {
            h2 { "Week by week" }
            div.scroll tabindex="0" role="region" aria-label="Weeks (scrollable)" { table {
                thead { tr { th scope="col" { "Week of" } th scope="col" { "Phase" } th.n scope="col" { "Running" } th.n scope="col" { "Longest run" } th scope="col" { "Hard days" } } }
                tbody { @for week in weeks.iter().take(MAX_WEEK_ROWS) { tr {
                    th scope="row" { (time::element(week.first, today)) }
                    td { (week.label) }
                    td.n { (week.running) }
                    td.n { @match week.longest { Some(far) => (units.format_distance(far)), None => span title="No run with a distance" { "—" } } }
                    td { (week.hard.join(", ")) }
                } } }
            } }
        }
        section.card { h2 { "Day by day" } (drawn.render(&cells)) }
    }
}
