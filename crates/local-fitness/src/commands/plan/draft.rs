//! `fitness plan draft --goal …`: a plan from the athlete's own history.

use super::lint::told;
use crate::args::DraftArgs;
use crate::clock;
use crate::commands::settled;
use crate::context::Context;
use crate::distance;
use crate::failure::Failure;
use crate::report::Report;
use crate::table::table;
use crate::words::counted;
use anyhow::Result;
use fitness_core::calendar::Day;
use fitness_core::note::Author;
use fitness_core::plan::{
    Asked, Availability, Background, BadWish, Generated, Goal, Outline, PlanStatus, Stated, TuneUp, Week,
    Weekdays, Wish, WorkoutKind, generate, planned_running,
};
use fitness_core::text::visible;
use fitness_core::units::{Distance, TimeSpan, UnitSystem};
use fitness_store::StoredActivity;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// More days than a plan has.
const MAX_BLOCKED: i64 = 732;

pub(super) async fn run(context: &Context, args: DraftArgs) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let wish = wish(&args, profile.units, today)?;
    let stated = stated(&args, profile.units)?;
    let race = wish.goal.distance().or(wish.distance);
    let athlete = store.background(user.id, race, today, stated).await?;
    let mut made = generate(&wish, &athlete).map_err(|why| refused(&why))?;
    if athlete.paces.is_none() {
        let recent = |found: &StoredActivity| (0..=RESULT_DAYS).contains(&found.day.until(today));
        let likely: Vec<_> = store.likely_races(user.id).await?.into_iter().filter(recent).collect();
        made.remarks.extend(confirm_first(&likely));
    }
    let id = if args.dry_run {
        None
    } else {
        let desk = store.desk(user.id, Author::Athlete);
        Some(desk.put_draft(&made.draft, args.supersedes, clock::now()).await?)
    };
    store.close().await;
    let mut words = tell(&made, &athlete, profile.units);
    match id {
        Some(id) => {
            let _ = writeln!(
                words,
                "\nDraft {id}: {}. Nothing is tracked until you activate it with `fitness plan activate {id}`; \
                 `fitness plan show {id}` lists every day.",
                visible(made.draft.name())
            );
        }
        None => words.push_str("\nNothing was written down; leave out --dry-run to keep it as a draft.\n"),
    }
    let data = json!({
        "plan_id": id,
        "status": id.map(|_| PlanStatus::Draft),
        "draft": made.draft,
        "remarks": made.remarks,
        "findings": made.findings,
        "weeks": made.weeks,
        "base_mm": athlete.base().ok(),
        "longest_mm": athlete.longest().ok(),
        "level": athlete.level().ok(),
    });
    Ok(Report::new(words, &data))
}

/// Days for which a race gives paces.
const RESULT_DAYS: i64 = 120;

/// What to do where a race that nobody confirmed could give the paces that are missing.
fn confirm_first(likely: &[StoredActivity]) -> Option<String> {
    let best = likely.first()?;
    Some(format!(
        "The run on {} looks like a race, and a race gives paces: confirm it with `fitness race confirm {}` (`fitness \
         race list` shows all of them), then draft again.",
        best.day, best.id
    ))
}

fn refused(why: &BadWish) -> Failure {
    let help = match why {
        BadWish::AskLevel => "add --level novice, --level inter or --level adv; --base 40km tells more",
        BadWish::TooFewDays { .. } | BadWish::LongDay(_) => "name more weekdays with --days mon,wed,fri,sun",
        BadWish::Blocked(_) | BadWish::RaceBlocked(_) => "take days out of --blackout",
        BadWish::Target(_) | BadWish::TargetBeyondEvidence => "change or leave out --target",
        BadWish::TuneUp | BadWish::TuneUpTooLong { .. } => "change or leave out --b-race",
        BadWish::StartsTooLate { .. } => "change or leave out --start",
        BadWish::RaceMarked { .. } => "`fitness day list` shows your marks",
        BadWish::Unsafe { .. } => "change --race-date, --goal, --days or --blackout",
        _ => "`fitness plan draft --help` shows what can be asked for",
    };
    Failure::new(why.to_string(), help)
}

fn wish(args: &DraftArgs, units: UnitSystem, today: Day) -> Result<Wish> {
    let missing = || Failure::new("the race has no day", "add --race-date 2026-09-20");
    let goal = args.goal.unwrap_or(Goal::Custom);
    let distance = match (&args.distance, goal) {
        (Some(text), Goal::Custom) => Some(distance::race(text, units)?),
        (Some(_), _) => {
            let help = "leave out --distance, or say --goal custom";
            return Err(Failure::new(format!("a {goal} has a distance of its own"), help).into());
        }
        (None, Goal::Custom) => {
            let help = "add --distance, such as 15km or 10mi";
            return Err(Failure::new("how far is the race?", help).into());
        }
        (None, _) => None,
    };
    let target: Option<TimeSpan> = match &args.target {
        Some(text) => Some(text.parse().map_err(|_| {
            Failure::new(
                format!("`{text}` is not a time"),
                "write it as hours:minutes:seconds, such as 1:45:00",
            )
        })?),
        None => None,
    };
    let tune_up = args.b_race.as_deref().map(|text| b_race(text, units)).transpose()?;
    Ok(Wish {
        name: args.name.clone(),
        goal,
        distance,
        start: begin(args.start, args.race_date, today)?,
        race: args.race_date.ok_or_else(missing)?,
        target,
        availability: Availability {
            days: args.days.unwrap_or(Weekdays::ALL),
            blackouts: blocked(&args.blackout)?,
        },
        long_day: args.long_day,
        tune_up,
        strength: args.strength,
        cross: args.cross,
        units,
    })
}

/// The first day of a plan: today, or a later one.
fn begin(start: Option<Day>, race: Option<Day>, today: Day) -> Result<Day> {
    if let Some((start, race)) = start.zip(race).filter(|(start, race)| start >= race) {
        let text = format!("a plan cannot start on {start} for a race on {race}");
        return Err(Failure::new(text, "give an earlier --start, or leave it out to begin today").into());
    }
    match start {
        Some(start) if start < today => {
            let help = "leave out --start to begin today, or give a later day";
            Err(Failure::new(format!("a plan cannot start on {start}: that day is over"), help).into())
        }
        start => Ok(start.unwrap_or(today)),
    }
}

fn stated(args: &DraftArgs, units: UnitSystem) -> Result<Stated> {
    for (given, flag, help) in [
        (
            &args.base,
            "--base",
            "say what you run in a usual week, or say --level novice alone to begin from nothing",
        ),
        (&args.longest, "--longest", "say your longest run of the last 30 days, or leave it out"),
    ] {
        let number = given
            .as_deref()
            .map(|text| text.trim().trim_end_matches(|c: char| c.is_alphabetic() || c == ' '));
        if number.and_then(|number| number.parse::<f64>().ok()) == Some(0.0) {
            return Err(Failure::new(format!("{flag} is more than 0"), help).into());
        }
    }
    let read =
        |text: &Option<String>| text.as_deref().map(|text| distance::activity(text, units)).transpose();
    let (base, longest) = (read(&args.base)?, read(&args.longest)?);
    let most = [(base, 300.0, "--base"), (longest, 100.0, "--longest")];
    for (given, most, flag) in most {
        if given.is_some_and(|given| given.km() > most) {
            let help = format!("{flag} is at most {most} km");
            return Err(Failure::new("that is more than anybody runs", help).into());
        }
    }
    Ok(Stated { level: args.level, base, longest })
}

/// `2026-08-02=10k`.
fn b_race(text: &str, units: UnitSystem) -> Result<TuneUp> {
    let bad = || {
        Failure::new(format!("`{text}` is no race"), "write the day and the distance, such as 2026-08-02=10k")
    };
    let (day, distance) = text.split_once('=').ok_or_else(bad)?;
    Ok(TuneUp { on: day.parse().map_err(|_| bad())?, distance: distance::race(distance, units)? })
}

/// `2026-07-01` and `2026-07-01..2026-07-14`.
fn blocked(texts: &[String]) -> Result<BTreeSet<Day>> {
    let mut days = BTreeSet::new();
    for text in texts {
        let bad = || {
            let help = "write a day such as 2026-07-01, or a stretch such as 2026-07-01..2026-07-14";
            Failure::new(format!("`{text}` is no day"), help)
        };
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let first: Day = first.parse().map_err(|_| bad())?;
        let last: Day = last.parse().map_err(|_| bad())?;
        if !(0..MAX_BLOCKED).contains(&first.until(last)) {
            return Err(bad().into());
        }
        days.extend(first.through(last));
    }
    Ok(days)
}

fn tell(made: &Generated, athlete: &Background, units: UnitSystem) -> String {
    let shown = |distance: Distance| units.distance(distance).to_string();
    let mut text = String::new();
    let typed = !athlete.is_recorded() || athlete.stated.base.is_some_and(|base| athlete.base() == Ok(base));
    let source = if typed { "From what you typed" } else { "From what you run" };
    let known = match (athlete.base(), athlete.longest(), athlete.level()) {
        (Ok(base), Ok(longest), Ok(level)) => format!(
            "{source}: {} in a usual week, {} the longest of the last 30 days, level {}.",
            shown(base),
            shown(longest),
            level.spoken()
        ),
        (Ok(base), Err(_), Ok(level)) => {
            format!("{source}: {} in a usual week, level {}.", shown(base), level.spoken())
        }
        _ => "From nothing: there are no four weeks of running to start from.".to_owned(),
    };
    let _ = writeln!(text, "{known}");
    match &athlete.paces {
        Some(dated) => {
            let _ = writeln!(text, "Paces follow from your result of {}.", dated.result_on);
        }
        None => text.push_str("No result of the last 120 days gives a pace: sessions go by effort.\n"),
    }
    for remark in &made.remarks {
        let _ = writeln!(text, "- {remark}");
    }
    text.push('\n');
    let rows: Vec<_> = lead_in(made, units)
        .into_iter()
        .chain(made.weeks.iter().map(|week| week_row(week, made, units)))
        .collect();
    text.push_str(&table(["week from", "phase", "running", "longest", "hard days"], &rows));
    text.push('\n');
    text.push_str(&told(&made.findings));
    text
}

/// The days from the start to the first full week, where there are some.
fn lead_in(made: &Generated, units: UnitSystem) -> Option<[String; 5]> {
    let (start, end) = (made.draft.start_date(), made.weeks.first()?.first);
    let before: Vec<_> =
        made.draft.workouts().iter().filter(|w| (start..end).contains(&w.date) && !w.is_rest()).collect();
    let days = start.until(end);
    let asked = Asked::of(before.iter().copied(), made.draft.race_date());
    let longest = before.iter().filter_map(|w| w.distance).max();
    (days > 0).then(|| {
        [
            start.to_string(),
            format!("first {}", counted(days as u64, "day", "days")),
            match (asked.distance, asked.by_time) {
                (Distance::ZERO, TimeSpan::ZERO) => "nothing".to_owned(),
                (Distance::ZERO, time) => time.hours_minutes(),
                (far, _) => units.distance(far).to_string(),
            },
            longest.map(|d| units.distance(d).to_string()).unwrap_or_default(),
            String::new(),
        ]
    })
}

fn week_row(outline: &Outline, made: &Generated, units: UnitSystem) -> [String; 5] {
    let (week, race) = (Week { first: outline.first }, made.draft.race_date());
    let workouts = made.draft.workouts();
    let within = || workouts.iter().filter(|w| week.contains(w.date));
    let longest = within().filter(|w| w.kind != WorkoutKind::Race).filter_map(|w| w.distance).max();
    let hard: Vec<String> = within()
        .filter(|w| w.key && w.kind != WorkoutKind::Long)
        .map(|w| visible(&w.name).to_string())
        .collect();
    let easier = if outline.cutback { " (easier)" } else { "" };
    let running = planned_running(workouts, week, race);
    let by_time = || {
        let time: TimeSpan =
            within().filter(|w| w.kind != WorkoutKind::Race).filter_map(|w| w.duration).sum();
        if time > TimeSpan::ZERO { time.hours_minutes() } else { "nothing".to_owned() }
    };
    [
        outline.first.to_string(),
        format!("{}{easier}", outline.phase),
        if running > Distance::ZERO { units.distance(running).to_string() } else { by_time() },
        longest.map(|d| units.distance(d).to_string()).unwrap_or_default(),
        hard.join(", "),
    ]
}
