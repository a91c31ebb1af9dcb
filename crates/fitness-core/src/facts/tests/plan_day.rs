//! Facts about today's workout, the last verdict and pending proposals.

use super::*;

const OF_A_PLAN: [FactName; 13] = [
    FactName::PlanName,
    FactName::GoalName,
    FactName::TodayWorkout,
    FactName::TodayWorkoutKind,
    FactName::TodayWorkoutDistance,
    FactName::TodayWorkoutTime,
    FactName::TodayWorkoutIntensity,
    FactName::TodayWorkoutVerdict,
    FactName::LastGradedDay,
    FactName::LastGradedWorkout,
    FactName::LastVerdict,
    FactName::LastAbsence,
    FactName::PendingProposals,
];

#[test]
fn active_plan_gives_workout_state_and_last_verdict() {
    let facts = World { waiting: vec![ProposalId::new(5)], ..World::runner() }.facts();
    for (id, shown) in [
        ("plan_name", "Autumn half"),
        ("goal_name", "Half marathon"),
        ("today_session", "4x1 km @ 5K pace"),
        ("today_session_kind", "easy"),
        ("today_session_distance", "10.0 km"),
        ("today_session_time", "— no duration"),
        ("today_session_intensity", "— no intensity in the plan"),
        ("today_session_state", "pending"),
        ("last_judged_day", "Sat 27 Jun"),
        ("last_judged_session", "Easy 8"),
        ("last_verdict", "hit"),
        ("last_excuse", "— no illness, injury or absence"),
        ("marked_today", "— no illness, injury or absence"),
        ("proposal_waiting", "proposal 5"),
    ] {
        assert_eq!(facts_for(&facts, id), shown, "{id}");
    }
    assert_eq!(facts.find("today_session").unwrap().sources[0].to_string(), "workout:2");
    assert_eq!(facts.find("proposal_waiting").unwrap().sources[0].to_string(), "proposal:5");
    let several = World {
        waiting: vec![ProposalId::new(9), ProposalId::new(7), ProposalId::new(5)],
        ..World::runner()
    };
    let several = several.facts();
    assert_eq!(
        facts_for(&several, "proposal_waiting"),
        "proposals 9, 7 and 5",
        "none that waits goes unnamed"
    );
    assert_eq!(several.find("proposal_waiting").unwrap().sources.len(), 3);
    // A title with digits can be shown by its fact only.
    let prose = "Today: {{today_session}}, {{today_session_state}}.";
    assert_eq!(facts.render(prose, UnitSystem::Metric).unwrap(), "Today: 4x1 km @ 5K pace, to come.");
}

#[test]
fn no_active_plan_gives_no_plan_facts() {
    for plan in [None, Some(Plan { status: PlanStatus::Draft, ..half_marathon() })] {
        let world = World { plan, waiting: vec![ProposalId::new(5)], ..World::runner() };
        for name in OF_A_PLAN {
            assert_eq!(facts_for(&world.facts(), name.as_str()), "— no active plan", "{name}");
        }
    }
}

#[test]
fn several_workouts_share_one_day_verdict() {
    let mut world = World::runner();
    let mut second = session(3, "2026-06-29", "Strength", None);
    second.workout.key = true;
    second.workout.kind = WorkoutKind::Strength;
    second.workout.intensity = Some("Z2".to_owned());
    world.planned.push(second);
    world.planned.push(session(4, "2026-06-27", "Strides", None));
    let day_of = |verdicts: [Verdict; 2]| {
        let mut world = world.clone();
        world.graded = vec![
            graded(1, "2026-06-27", verdicts[0]),
            graded(4, "2026-06-27", verdicts[1]),
            graded(2, "2026-06-29", verdicts[0]),
            graded(3, "2026-06-29", verdicts[1]),
        ];
        world.facts()
    };
    let facts = day_of([Verdict::Hit, Verdict::Pending]);
    assert_eq!(facts_for(&facts, "today_session"), "4x1 km @ 5K pace and Strength");
    assert_eq!(facts_for(&facts, "today_session_kind"), "strength");
    assert_eq!(facts_for(&facts, "today_session_intensity"), "Z2");
    assert_eq!(facts_for(&facts, "today_session_distance"), "— no distance");
    assert_eq!(facts_for(&facts, "today_session_state"), "pending");
    // Pending workouts of the last day are left out; graded ones count.
    assert_eq!(
        (facts_for(&facts, "last_verdict"), facts_for(&facts, "last_judged_session")),
        ("hit".into(), "Easy 8".into())
    );
    for (verdicts, day) in [
        ([Verdict::Hit, Verdict::Hit], "hit"),
        ([Verdict::Hit, Verdict::Missed], "short"),
        ([Verdict::Missed, Verdict::Missed], "missed"),
        ([Verdict::Short, Verdict::Hit], "short"),
    ] {
        assert_eq!(facts_for(&day_of(verdicts), "last_verdict"), day, "{verdicts:?}");
    }
}

#[test]
fn rest_day_free_day_and_reported_absence() {
    let mut world = World { marked: Some(AbsenceReason::Ill), ..World::runner() };
    let rest = PlannedWorkout { id: WorkoutId::new(2), workout: Workout::rest(day("2026-06-29")) };
    world.planned[1] = rest;
    world.graded[1].verdict = Verdict::Rest;
    world.graded[0].excused = Some(AbsenceReason::Away);
    let facts = world.facts();
    assert_eq!(facts_for(&facts, "today_session"), "Rest");
    assert_eq!(facts_for(&facts, "today_session_state"), "rest");
    assert_eq!(facts_for(&facts, "today_session_distance"), "— no distance");
    assert_eq!(
        (facts_for(&facts, "marked_today"), facts_for(&facts, "last_excuse")),
        ("ill".into(), "away".into())
    );

    world.planned.truncate(1);
    world.graded.truncate(1);
    assert_eq!(facts_for(&world.facts(), "today_session_state"), "— no workout planned for this day");
    assert_eq!(facts_for(&world.facts(), "plan_name"), "Autumn half");
    world.graded[0].verdict = Verdict::Pending;
    assert_eq!(facts_for(&world.facts(), "last_verdict"), "— no graded workout yet");
    // An absence is a fact also without a plan.
    world.plan = None;
    assert_eq!(facts_for(&world.facts(), "marked_today"), "ill");
}

#[test]
fn fact_text_is_one_printable_line() {
    for (text, kept) in [
        ("Easy", "Easy"),
        ("\u{1b}[31mred", "[31mred"),
        ("a\u{202e}b\u{200d}c\u{feff}", "abc"),
        ("two\n\nlines\t", "two lines"),
        ("{{fitness}}", "{{fitness}}"),
    ] {
        assert_eq!(FactText::new(text).unwrap().as_str(), kept);
    }
    for nothing in ["", " \n", "\u{200b}\u{0}"] {
        assert!(FactText::new(nothing).is_none());
    }
    let long = FactText::new(&"word ".repeat(40)).unwrap();
    assert!(long.as_str().ends_with('…') && long.as_str().chars().count() <= FactText::MAX_CHARS, "{long:?}");
    assert!(FactText::new(&"ü".repeat(80)).unwrap().as_str().chars().all(|c| c == 'ü'));
    // Braces in a title do not become another fact.
    let mut world = World::runner();
    world.planned[1].workout.name = "{{fatigue}}".to_owned();
    assert_eq!(world.facts().render("{{today_session}}", UnitSystem::Metric).unwrap(), "{{fatigue}}");
}
