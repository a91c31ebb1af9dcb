//! Absences: no workouts on these days, and a suitable return.

use super::athletes::{as_of, plan_request, runner, with_result};
use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, UnitSystem};
use crate::plan::lint::{self, LintInput, LintRule, Severity};
use crate::plan::{
    GenerateError, GeneratedPlan, GoalDistance, Level, TrainingBaseline, TuneUp, UnavailablePeriod, Workout,
    WorkoutKind, generate, planned_running_distance, race_weeks,
};

/// Day of the plan, counted from the Monday after [`as_of`].
fn at(offset: i64) -> Day {
    as_of().next().plus_days(offset)
}

fn unavailable(why: AbsenceReason, days: (i64, i64), severity: Option<u8>) -> UnavailablePeriod {
    UnavailablePeriod { why, from: at(days.0), through: at(days.1), severity }
}

fn athlete(marks: &[UnavailablePeriod]) -> TrainingBaseline {
    let mut athlete = with_result(runner(45.0, 5, 60), Distance::HALF_MARATHON);
    athlete.injured = marks.iter().any(|mark| mark.why == AbsenceReason::Injured && mark.from <= at(0));
    // No runs since then.
    athlete.runs.retain(|run| marks.iter().all(|mark| run.day < mark.from));
    athlete.unavailable_periods = marks.to_vec();
    athlete
}

fn plan(marks: &[UnavailablePeriod]) -> GeneratedPlan {
    let plan = generate(&plan_request(GoalDistance::Half, 14 * 7 - 1), &athlete(marks)).unwrap();
    assert_eq!(lint::errors(&plan.findings).count(), 0, "{:?}", plan.findings);
    let warnings = plan.findings.iter().filter(|f| f.severity == Severity::Warning).count();
    assert!(warnings <= 2, "{:?}", plan.findings);
    plan
}

/// Workouts from a day through another.
fn within(plan: &GeneratedPlan, from: i64, through: i64) -> Vec<&Workout> {
    let days = at(from)..=at(through);
    plan.draft.workouts().iter().filter(|w| days.contains(&w.date) && !w.is_rest()).collect()
}

fn is_easy(workout: &Workout) -> bool {
    workout.kind == WorkoutKind::Easy || workout.kind == WorkoutKind::CrossTraining
}

fn has_note(plan: &GeneratedPlan, words: &str) -> bool {
    plan.notes.iter().any(|remark| remark.contains(words))
}

#[test]
fn the_injured_run_nothing_fast_and_nothing_longer() {
    // With only the injured flag, it covers the whole plan.
    let mut flagged = with_result(runner(45.0, 5, 60), Distance::HALF_MARATHON);
    flagged.injured = true;
    let longest = flagged.longest_run().unwrap();
    let whole = generate(&plan_request(GoalDistance::Half, 12 * 7 - 1), &flagged).unwrap();
    let runs =
        || whole.draft.workouts().iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race);
    assert!(runs().all(|w| matches!(w.kind, WorkoutKind::Easy | WorkoutKind::Long)));
    assert!(runs().filter_map(|w| w.distance).all(|distance| distance <= longest));
    assert!(has_note(&whole, "You are marked as injured"), "{:?}", whole.notes);

    for severity in [None, Some(1), Some(2)] {
        for (from, through) in [(-3, 6), (-6, -2), (-1, 0), (20, 27), (20, 45)] {
            let mark = unavailable(AbsenceReason::Injured, (from, through), severity);
            let plan = plan(&[mark]);
            assert_eq!(within(&plan, from, through).len(), 0, "{from} to {through}");
            let half =
                athlete(&[mark]).longest_run_between(at(from - 30), at(from - 1)).unwrap_or(longest).km()
                    / 2.0;
            let back = within(&plan, through + 1, through + 14);
            assert!(!back.is_empty() && back.iter().all(|w| is_easy(w)), "{from} to {through}: {back:?}");
            assert!(
                back.iter().all(|w| w.distance.unwrap().km() <= half + 1e-6),
                "{from} to {through}, {half}: {back:?}"
            );
            // From there it grows by 10 % over the runs since.
            let mut since: Vec<(Day, f64)> =
                back.iter().map(|w| (w.date, w.distance.unwrap().km())).collect();
            let after = within(&plan, through + 15, 400);
            for run in after.iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race) {
                let km = run.distance.unwrap().km();
                let before =
                    since.iter().filter(|(day, _)| day.days_until(run.date) <= 30).map(|(_, km)| *km);
                let most = (before.fold(0.0, f64::max) * 1.10).max(5.0);
                assert!(km <= most + 1e-6, "{from} to {through}: {km} of {most} on {}", run.date);
                since.push((run.date, km));
            }
            let short = mark.days() < 14;
            assert!(
                !short || after.iter().any(|w| w.kind.is_quality()),
                "{from} to {through}: never fast again"
            );
            assert!(has_note(&plan, "as injured: no running on these days"), "{:?}", plan.notes);
            assert!(has_note(
                &plan,
                &format!("nothing fast until {}, after two weeks without pain", at(through + 14))
            ));
        }
    }
}

/// The run in which the injury happened does not count.
#[test]
fn an_injury_from_the_day_of_the_last_run_is_as_one_from_the_day_after() {
    for severity in [None, Some(1), Some(2), Some(3)] {
        let fullest = |from: i64| {
            let mark = unavailable(AbsenceReason::Injured, (from, 4), severity);
            let mut athlete = athlete(&[]);
            (athlete.injured, athlete.unavailable_periods) = (true, vec![mark]);
            let last = athlete.runs.last().unwrap();
            assert_eq!((last.day, last.distance), (at(-1), athlete.longest_run().unwrap()), "a long run");
            let asked = plan_request(GoalDistance::TenK, 9 * 7 - 1);
            let plan = generate(&asked, &athlete).unwrap();
            let workouts = plan.draft.workouts();
            let weeks = race_weeks(asked.start, asked.race);
            weeks
                .iter()
                .map(|week| planned_running_distance(workouts, *week, asked.race).km())
                .fold(0.0, f64::max)
        };
        assert!((fullest(-1) - fullest(0)).abs() <= 1.0, "{severity:?}: {} {}", fullest(-1), fullest(0));
        assert!(fullest(-1) <= 45.0, "{severity:?}: {}", fullest(-1));
    }
}

#[test]
fn severe_injury_returns_with_walk_run_every_other_day() {
    let plan = plan(&[unavailable(AbsenceReason::Injured, (-3, 6), Some(3))]);
    assert_eq!(within(&plan, -3, 6).len(), 0);
    let back = within(&plan, 7, 20);
    let runs: Vec<&&Workout> = back.iter().filter(|w| w.sport == Sport::Running).collect();
    assert!(runs.len() >= 4 && runs.iter().all(|w| w.name.starts_with("Run and walk")), "{runs:?}");
    assert!(runs.windows(2).all(|pair| pair[0].date.days_until(pair[1].date) >= 2), "{runs:?}");
    let each = |workout: &Workout| workout.steps.iter().map(|step| format!("{:?}", step.duration)).nth(1);
    assert!(each(runs[0]) != each(runs[runs.len() - 1]), "the stretches grow: {runs:?}");
    assert!(has_note(&plan, "alternating running and walking, every other day"), "{:?}", plan.notes);
}

#[test]
fn a_fever_has_easy_days_after_it_and_a_cold_fewer() {
    // Five days of fever: one day without symptoms, then ten easy days.
    let fever = plan(&[unavailable(AbsenceReason::Ill, (2, 6), Some(3))]);
    assert_eq!(within(&fever, 2, 7).len(), 0, "nothing until a day after the last symptom");
    assert!(!within(&fever, 8, 17).is_empty() && within(&fever, 8, 17).iter().all(|w| is_easy(w)));
    assert!(within(&fever, 18, 50).iter().any(|w| w.kind.is_quality()));
    assert!(has_note(&fever, &format!("as ill: no training before {}", at(8))), "{:?}", fever.notes);
    let (weeks, workouts) = (race_weeks(at(0), at(97)), fever.draft.workouts());
    let km = |week: usize| planned_running_distance(workouts, weeks[week], at(97)).km();
    assert!(km(1) <= 0.62 * 45.0, "{}", km(1));
    let cold = plan(&[unavailable(AbsenceReason::Ill, (2, 6), Some(1))]);
    assert_eq!(within(&cold, 2, 6).len(), 0);
    assert!(within(&cold, 7, 8).iter().all(|w| is_easy(w)));
    let long = plan(&[unavailable(AbsenceReason::Ill, (2, 14), Some(2))]);
    assert!(has_note(&long, "see a doctor before you run"), "{:?}", long.notes);
}

#[test]
fn away_days_are_empty_and_return_like_blackouts() {
    let mark = unavailable(AbsenceReason::Away, (30, 38), None);
    let away = plan(&[mark]);
    assert_eq!(within(&away, 30, 38).len(), 0);
    assert!(has_note(&away, "as away: nothing is planned on these days"), "{:?}", away.notes);
    let mut blocked = plan_request(GoalDistance::Half, 14 * 7 - 1);
    blocked.availability.blackouts = mark.from.through(mark.through).collect();
    let same = generate(&blocked, &athlete(&[])).unwrap();
    let size = |plan: &GeneratedPlan| {
        plan.draft.workouts().iter().map(|w| (w.date, w.kind, w.distance)).collect::<Vec<_>>()
    };
    assert_eq!(size(&away), size(&same));
    // An absence is not stored with the plan: it can be removed.
    assert!(away.draft.constraints().availability.blackouts.is_empty());
    let day = away.draft.workouts().iter().find(|w| w.date == mark.from).unwrap();
    assert_eq!(day.description.as_deref(), Some("Marked as away"));
}

#[test]
fn a_race_on_a_marked_day_is_refused_and_so_is_one_along_the_way() {
    let mark = unavailable(AbsenceReason::Away, (90, 100), None);
    let asked = plan_request(GoalDistance::Half, 14 * 7 - 1);
    let refused = generate(&asked, &athlete(&[mark])).unwrap_err();
    assert_eq!(refused, GenerateError::RaceUnavailable { race: asked.race, why: AbsenceReason::Away });
    assert!(refused.to_string().contains("remove the absence"), "{refused}");
    let mut along = plan_request(GoalDistance::Half, 14 * 7 - 1);
    along.tune_up = Some(TuneUp { on: at(40), distance: Distance::from_km(10.0).unwrap() });
    for (why, days) in [(AbsenceReason::Away, (38, 41)), (AbsenceReason::Injured, (30, 35))] {
        let refused = generate(&along, &athlete(&[unavailable(why, days, None)])).unwrap_err();
        assert_eq!(refused, GenerateError::TuneUp, "{why}");
    }
}

#[test]
fn injured_beginner_starts_over() {
    let mut beginner = TrainingBaseline::unknown(as_of());
    beginner.self_reported.level = Some(Level::Novice);
    beginner.unavailable_periods = vec![unavailable(AbsenceReason::Injured, (40, 52), Some(2))];
    let plan = generate(&plan_request(GoalDistance::FiveK, 16 * 7 - 1), &beginner).unwrap();
    assert_eq!(within(&plan, 40, 52).len(), 0);
    let longest =
        |from: i64, through: i64| within(&plan, from, through).iter().filter_map(|w| w.duration).max();
    assert!(longest(53, 62) <= longest(0, 13), "{:?}", within(&plan, 53, 62));
    assert!(longest(53, 62) < longest(28, 39), "{:?}", within(&plan, 28, 39));
}

#[test]
fn linter_checks_unavailable_days() {
    let healthy = plan(&[]);
    let hurt = athlete(&[unavailable(AbsenceReason::Injured, (20, 25), Some(2))]);
    let findings = lint::lint(&LintInput::from_draft(&healthy.draft), &hurt, UnitSystem::Metric);
    let r35: Vec<_> = findings.iter().filter(|finding| finding.rule == LintRule::RunningInjured).collect();
    let days = at(20)..=at(25 + 14);
    assert!(!r35.is_empty() && r35.iter().all(|f| f.severity == Severity::Error), "{findings:?}");
    assert!(r35.iter().all(|finding| days.contains(&finding.day.unwrap())), "{r35:?}");
}
