//! `GET /plan/new`: asks for a race and shows the plan for it. Nothing is written down until the athlete keeps it.

use crate::components::calendar::{CalendarCell, PlanCalendar};
use crate::components::form::{FormState, InputOptions};
use crate::components::{findings, time};
use crate::http::error::{PageError, to_sentence};
use crate::http::form::{FieldErrors, FormFields, QueryFields};
use crate::http::response::{see_other, unprocessable};
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_core::domain::calendar::{Day, Weekday};
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::{
    GeneratedPlan, Goal, PlanForm, PlanFormField, PlanRequest, SelfReported, TrainingBaseline, Weekdays,
    parse_weekday,
};
use fitness_store::{GenerationOutcome, StoredActivity};
use maud::{Markup, html};

/// As many weeks are drawn day by day before the plan is kept.
const MAX_CALENDAR_WEEKS: usize = 12;
/// As many are told in a row each.
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

/// `GET /plan/new`
pub(crate) async fn show(view: PageContext, QueryFields(fields): QueryFields) -> Result<Response, PageError> {
    if fields.get("goal").is_none() {
        let athlete =
            view.store().training_baseline(view.user(), None, view.today, SelfReported::default()).await?;
        let first = DAYS
            .iter()
            .fold(FormFields::default().with("goal", "half"), |fields, (day, _)| fields.with("days", *day));
        return Ok(page(&view, &first, &FieldErrors::default(), &athlete, &html! {}));
    }
    let asked = generate(&view, &fields).await?;
    let preview = html! {
        @if let Some((made, likely)) = &asked.generated { (preview(&view, &fields, made, &asked.baseline, likely.as_ref())) }
        @else if let Some(why) = &asked.error { section.card.waits role="alert" { p { (why) } } }
    };
    let response = page(&view, &fields, &asked.errors, &asked.baseline, &preview);
    Ok(if asked.generated.is_some() { response } else { unprocessable(response) })
}

/// `POST /plan/new`: keeps the plan as a draft.
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let asked = generate(&view, &fields).await?;
    let Some((made, _)) = asked.generated else {
        let why =
            html! { @if let Some(why) = &asked.error { section.card.waits role="alert" { p { (why) } } } };
        return Ok(unprocessable(page(&view, &fields, &asked.errors, &asked.baseline, &why)));
    };
    let supersedes: Option<PlanId> =
        fields.get_trimmed("supersedes").map(crate::http::response::parse_id).transpose()?;
    let desk = view.store().plan_writer(view.user(), Author::Athlete);
    let id = desk.put_draft(&made.draft, supersedes, view.now).await?;
    Ok(see_other(&format!("/plans/{id}?done=drafted")))
}

/// What came of a form.
struct GenerateOutcome {
    errors: FieldErrors,
    baseline: TrainingBaseline,
    generated: Option<(GeneratedPlan, Option<StoredActivity>)>,
    /// Why there is no plan, where that is no single field's fault.
    error: Option<String>,
}

async fn generate(view: &PageContext, fields: &FormFields) -> Result<GenerateOutcome, PageError> {
    let mut faults = FieldErrors::default();
    let read = parse_form(fields, &mut faults).parse(view.units(), view.today);
    let (wish, stated) = match read {
        Ok(read) if !faults.has_any() => read,
        other => {
            for bad in other.err().unwrap_or_default() {
                faults
                    .add(bad.field().as_str(), format!("{} {}", to_sentence(&bad), to_sentence(&bad.help())));
            }
            let athlete = view
                .store()
                .training_baseline(view.user(), None, view.today, SelfReported::default())
                .await?;
            return Ok(GenerateOutcome { errors: faults, baseline: athlete, generated: None, error: None });
        }
    };
    let wish = PlanRequest { start: wish.start.max(view.today), ..wish };
    let GenerationOutcome { baseline: athlete, result: made, likely_race } =
        view.store().generate_draft(view.user(), &wish, stated, view.today).await?;
    Ok(match made {
        Ok(made) => GenerateOutcome {
            errors: faults,
            baseline: athlete,
            generated: Some((made, likely_race)),
            error: None,
        },
        Err(why) => {
            let said = to_sentence(&why);
            match why.field() {
                Some(field) => faults.add(field.as_str(), said.clone()),
                None => faults.add(PlanFormField::RaceDate.as_str(), said.clone()),
            }
            GenerateOutcome { errors: faults, baseline: athlete, generated: None, error: Some(said) }
        }
    })
}

/// A form as a wish. What the fields are is the same as at the terminal.
fn parse_form(fields: &FormFields, faults: &mut FieldErrors) -> PlanForm {
    let owned = |name: &str| fields.get_trimmed(name).map(str::to_owned);
    let goal =
        fields.get_trimmed("goal").map(|text| text.parse::<Goal>().map_err(|_| "Choose one of the races."));
    let goal = goal.and_then(|goal| faults.ok_or_add(PlanFormField::Goal.as_str(), goal));
    let b_race = match (fields.get_trimmed("b_race"), fields.get_trimmed("b_race_distance")) {
        (None, None) => None,
        (Some(day), Some(far)) => Some(format!("{day}={far}")),
        (Some(_), None) => {
            faults.add("b_race_distance", "Say how far it is, such as 10k, or leave its day out.");
            None
        }
        (None, Some(_)) => {
            faults.add(PlanFormField::BRace.as_str(), "Give its day, or leave out how far it is.");
            None
        }
    };
    PlanForm {
        goal,
        // A named race has a distance of its own; what stands in the field beside it is left over.
        distance: owned("distance").filter(|_| goal == Some(Goal::Custom)),
        race_date: parse_day(fields, faults, PlanFormField::RaceDate),
        start: None,
        target: owned("target"),
        days: parse_weekdays(fields, faults),
        long_day: parse_long_day(fields, faults),
        blackout: fields
            .get_trimmed("blackout")
            .into_iter()
            .flat_map(|text| text.split(['\n', ',', ';']))
            .map(|line| line.trim().replace(" to ", "..").replace(' ', ""))
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
        // The form does not ask for it; a plan drafted elsewhere may bring it along.
        cross: fields.get_trimmed("cross").and_then(|sport| sport.parse().ok()),
        name: owned("name"),
    }
}

fn parse_day(fields: &FormFields, faults: &mut FieldErrors, field: PlanFormField) -> Option<Day> {
    let text = fields.get_trimmed(field.as_str())?;
    faults.ok_or_add(field.as_str(), text.parse().map_err(|_| "That is no day. Write it such as 2026-09-20."))
}

fn parse_weekdays(fields: &FormFields, faults: &mut FieldErrors) -> Option<Weekdays> {
    let read = fields
        .get_all("days")
        .try_fold(Weekdays::NONE, |days, day| parse_weekday(day).map(|day| days.with(day)));
    faults.ok_or_add(PlanFormField::Days.as_str(), read.map_err(|bad| to_sentence(&bad)))
}

fn parse_long_day(fields: &FormFields, faults: &mut FieldErrors) -> Option<Weekday> {
    let text = fields.get_trimmed("long_day")?;
    faults.ok_or_add(PlanFormField::LongDay.as_str(), parse_weekday(text).map_err(|bad| to_sentence(&bad)))
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
        p.lead { "Made from what you really run. Nothing is kept until you say so, and nothing is tracked until you commit." }
        form.card method="get" action="/plan/new" data-redraft="preview" {
            (form(view.units(), FormState { fields, errors: faults }, athlete))
            @for name in ["supersedes", "cross"] { @if let Some(old) = fields.get_trimmed(name) { input type="hidden" name=(name) value=(old); } }
            p.actions { button.primary type="submit" { "Show the plan" } a.btn href="/plans" { "All plans" } }
        }
        div #preview aria-live="polite" { (preview) }
    };
    view.page(NavItem::Plan, "New plan", &body)
}

fn form(units: UnitSystem, filling: FormState<'_>, athlete: &TrainingBaseline) -> Markup {
    let line = |kind, hint, example| InputOptions {
        input_type: kind,
        hint,
        placeholder: example,
        ..InputOptions::default()
    };
    let far = if units == UnitSystem::Metric { "15km" } else { "10mi" };
    let mut long_days = vec![("", "The weekend")];
    long_days.extend(DAYS);
    html! {
        (filling.error_summary())
        fieldset.part {
            legend { "The race" }
            div.fields {
                (filling.input("name", "What to call it", line("", "Made from race and day when empty.", "")))
                (filling.select("goal", "Race", "", &[("5k", "5 km"), ("10k", "10 km"), ("half", "Half marathon"), ("full", "Marathon"), ("custom", "Another distance")]))
                (filling.input("distance", "How far", line("", "Only for another distance.", far)))
                (filling.input("race_date", "Day of the race", InputOptions { is_required: true, ..line("date", "", "") }))
                (filling.input("target", "Time hoped for", line("", "Leave it empty to just finish.", "1:45:00")))
            }
        }
        fieldset.part {
            legend { "Your week" }
            (filling.checkboxes("days", "Days you can train", "", &DAYS))
            div.fields {
                (filling.select("long_day", "Day of the long run", "", &long_days))
                (filling.textarea("blackout", "Days you cannot train at all", "A day or a stretch in each line, such as 2026-07-01 or 2026-07-01..2026-07-14."))
            }
            (filling.checkboxes("strength", "Besides running", "", &[("on", "Two short strength sessions a week")]))
        }
        fieldset.part {
            legend { "A race along the way" }
            div.fields {
                (filling.input("b_race", "Its day", line("date", "", "")))
                (filling.input("b_race_distance", "How far", line("", "", "10k")))
            }
        }
        fieldset.part {
            legend { "What it starts from" }
            p { (athlete.describe(units)) }
            (detected_baseline(athlete, units))
            div.fields {
                (filling.input("base", "A usual week", line("", "Only to correct it.", "40km")))
                (filling.input("longest", "Longest run of the last 30 days", line("", "Only to correct it.", "14km")))
                (filling.select("level", "Used to running", "", &[("", "As my history says"), ("novice", "New to it"), ("inter", "Intermediate"), ("adv", "Advanced")]))
            }
        }
    }
}

/// Where base and longest run come from.
fn detected_baseline(athlete: &TrainingBaseline, units: UnitSystem) -> Markup {
    let shown =
        |found: fitness_core::metrics::MetricResult<fitness_core::domain::units::Distance>| match found {
            Ok(far) => html! { b { (units.format_distance(far)) } },
            Err(why) => html! { span title=(why) { "—" } },
        };
    html! {
        dl.facts {
            div { dt { "Recorded week" } dd { (shown(athlete.recorded_base())) } dd.small.soft { "the middle one of your last weeks" } }
            div { dt { "Recorded longest run" } dd { (shown(athlete.recorded_longest_run())) } dd.small.soft { "of the last 30 days" } }
            div { dt { "Paces" } dd.small { (athlete.describe_result_basis()) } }
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
    let cells: Vec<CalendarCell<'_>> =
        draft.workouts().iter().map(|workout| CalendarCell { workout, id: None, graded: None }).collect();
    let rest = html! { "The draft has all of them." };
    let drawn = PlanCalendar {
        race: draft.race_date(),
        today,
        units,
        max_weeks: MAX_CALENDAR_WEEKS,
        more_link: &rest,
    };
    html! {
        section.card.waits {
            h2 { "The plan" }
            p.big-line { b { (fitness_core::domain::untrusted_text::escape_invisible(draft.name())) } " · " (draft.start_date().days_until(draft.race_date())) " days, to " (time::element(draft.race_date(), today)) }
            p { (athlete.describe(units)) " " (athlete.describe_pace_basis(draft.workouts())) }
            @if !made.notes.is_empty() { ul { @for remark in &made.notes { li { (remark) } } } }
            @if let Some(run) = likely {
                p { "The run on " a href={ "/activities/" (run.id) } { (time::element(run.day, today)) } " looks like a race, and a race gives paces: confirm it, then draft again." }
            }
            form method="post" action="/plan/new" {
                (view.token_field()) (fields.hidden_inputs())
                p.actions { button.primary type="submit" { "Keep as a draft" } }
            }
            p.small.soft { "A draft is only something to read. You commit it on its own page." }
        }
        section.card { h2 { "Checks" } (findings::render(&made.findings)) }
        section.card {
            h2 { "Week by week" }
            div.scroll tabindex="0" role="region" aria-label="A table that may be wider than the screen" { table {
                thead { tr { th scope="col" { "Week from" } th scope="col" { "Phase" } th.n scope="col" { "Running" } th.n scope="col" { "Longest" } th scope="col" { "Hard days" } } }
                tbody { @for week in weeks.iter().take(MAX_WEEK_ROWS) { tr {
                    th scope="row" { (time::element(week.first, today)) }
                    td { (week.label) }
                    td.n { (week.running) }
                    td.n { @match week.longest { Some(far) => (units.format_distance(far)), None => span title="no run has a distance" { "—" } } }
                    td { (week.hard.join(", ")) }
                } } }
            } }
        }
        section.card { h2 { "Day by day" } (drawn.render(&cells)) }
    }
}
