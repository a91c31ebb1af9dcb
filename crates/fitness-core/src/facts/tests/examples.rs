//! Example snapshots and their facts.

use super::*;

/// One line per fact: id, formatted value, day, quality, sources, method.
fn table(facts: &Facts) -> String {
    let line = |fact: &Fact| {
        let sources: Vec<String> = fact.sources.iter().map(ToString::to_string).collect();
        let (id, shown) = (&fact.id, fact.format(UnitSystem::Metric));
        format!(
            "{id} | {shown} | {} | {} | {} | {}\n",
            fact.as_of,
            fact.quality,
            sources.join(" "),
            fact.method
        )
    };
    let gap = |missing: &MissingFact| format!("{} | — {}\n", missing.id, missing.why);
    facts.known().iter().map(line).chain(facts.missing().iter().map(gap)).collect()
}

fn qualities(facts: &Facts, ids: &[&str]) -> Vec<Quality> {
    ids.iter()
        .map(|id| facts.find(id).unwrap_or_else(|| panic!("{}", facts_for(facts, id))).quality)
        .collect()
}

#[test]
fn a_runner_on_a_monday_morning() {
    let facts = table(&World::runner().facts());
    for (found, expected) in facts.lines().zip(RUNNER.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(facts, RUNNER);
}

#[test]
fn empty_snapshot_lists_every_fact_as_missing() {
    let facts = World::empty().facts();
    assert_eq!(facts.known(), []);
    assert_eq!(facts.missing().len(), FactName::ALL.len());
    for (id, why) in [
        ("fitness", "not synced yet"),
        ("load_7_days", "not synced yet"),
        ("sleep_last_night", "not synced yet"),
        ("last_run_distance", "not synced yet"),
        ("sleep_need", "set your sleep goal in your profile"),
        ("threshold_pace", "set a threshold pace"),
        ("days_to_race", "no active plan"),
        ("predicted_race", "no active plan"),
        ("today_session", "no active plan"),
        (
            "predicted_marathon_low",
            "needs a race or an all-out effort of at least 5 km in the last 12 months",
        ),
    ] {
        assert_eq!(facts_for(&facts, id), format!("— {why}"), "{id}");
    }
}

#[test]
fn no_activities_gives_zero_sums_and_no_last_run() {
    let world = World { done: Vec::new(), wellness: Vec::new(), ..World::runner() };
    let facts = world.facts();
    for (id, shown) in [
        ("load_7_days", "0"),
        ("distance_7_days", "0.0 km"),
        ("runs_7_days", "0 runs"),
        ("training_time_7_days", "0 min"),
        ("longest_run_30_days", "— no recorded run"),
        ("last_run_pace", "— no recorded run"),
        ("hrv_last_night", "— no HRV for last night"),
        ("weight", "— no body weight"),
        ("monotony", "— cannot be computed: all seven days had the same load"),
    ] {
        assert_eq!(facts_for(&facts, id), shown, "{id}");
    }
}

#[test]
fn first_days_report_learning_progress() {
    let today = first().plus_days(3);
    let world = World { today, frontier: frontier_through(today.previous(), Some(today)), ..World::runner() };
    let facts = world.facts();
    assert_eq!(facts_for(&facts, "load_yesterday"), "58");
    assert_eq!(facts_for(&facts, "load_7_days"), "— not enough data yet: 3 of 7 days");
    assert_eq!(facts_for(&facts, "distance_7_days"), "— not enough data yet: 3 of 7 days");
    assert_eq!(facts_for(&facts, "load_7_days_before"), "— not enough data yet: 0 of 7 days");
    assert_eq!(facts_for(&facts, "longest_run_30_days"), "— not enough data yet: 3 of 30 days");
    assert_eq!(facts_for(&facts, "form_band"), "— not enough data yet: 3 of 42 days");
    let fitness = facts.find("fitness").unwrap();
    assert_eq!(fitness.learning.unwrap().to_string(), "based on 3 of 126 days so far");
    assert_eq!(facts_for(&facts, "fitness_settled"), "7%");
    assert_eq!(qualities(&facts, &["fitness", "form"]), [Quality::Provisional; 2]);
    assert_eq!(facts.find("fitness").unwrap().sources[0].to_string(), "days:2026-01-31..2026-02-02");
}

#[test]
fn days_before_activities_from_are_not_rest_days() {
    let world = World::runner();
    let stored = world.stored();
    let snapshot = |sessions_from: Day| {
        build_facts(&Snapshot {
            today: world.today,
            frontier: world.frontier,
            days: &stored.days,
            activities: &[],
            activities_from: sessions_from,
            thresholds: &[],
            predictions: &[],
            races: &[],
            plan: None,
            adherence: None,
            absence: None,
            profile: &world.profile,
        })
    };
    let facts = snapshot(world.today.plus_days(-3));
    assert_eq!(facts_for(&facts, "distance_7_days"), "— not enough data yet: 3 of 7 days");
    assert_eq!(facts_for(&facts, "load_7_days"), "210");
    assert_eq!(facts_for(&snapshot(world.today.plus_days(-7)), "distance_7_days"), "0.0 km");
    assert_eq!(
        facts_for(&snapshot(world.today.plus_days(1)), "runs_7_days"),
        "— not enough data yet: 0 of 7 days"
    );
    assert_eq!(facts_for(&facts, "predicted_5_km"), "— not synced yet");
}

#[test]
fn sums_with_unknown_parts_are_provisional() {
    let mut world = World::runner();
    let yesterday = world.today.previous();
    let unknown = Done { day: yesterday, sport: Sport::Running, km: None, minutes: 30, heart: None };
    world.done.push(unknown.clone());
    let facts = world.facts();
    // Half an hour of running with nothing else known: 30 by duration.
    assert_eq!(facts_for(&facts, "load_yesterday"), "30");
    assert_eq!(facts_for(&facts, "load_7_days"), "240");
    assert_eq!(facts_for(&facts, "distance_7_days"), "40.0 km");
    assert_eq!(facts_for(&facts, "runs_7_days"), "5 runs");
    assert_eq!(facts_for(&facts, "training_time_7_days"), "4h 10m");
    let ids = ["load_7_days", "fitness", "monotony"];
    assert_eq!(qualities(&facts, &ids), [Quality::EstimatedProvisional; 3]);
    let ids = ["distance_7_days", "longest_run_30_days"];
    assert_eq!(qualities(&facts, &ids), [Quality::Provisional; 2]);
    assert_eq!(qualities(&facts, &["runs_7_days", "training_time_7_days"]), [Quality::Ok; 2]);
    assert_eq!(facts_for(&facts, "last_run_distance"), "— no distance");
    assert_eq!(facts_for(&facts, "last_run_pace"), "— no distance");
    assert_eq!(facts_for(&facts, "last_run_time"), "30:00");

    world.done = vec![unknown];
    let facts = world.facts();
    assert_eq!(facts_for(&facts, "distance_7_days"), "— no distance");
    assert_eq!(facts_for(&facts, "longest_run_30_days"), "— no distance");
    assert_eq!(facts_for(&facts, "load_7_days"), "30");
}

#[test]
fn todays_run_is_in_no_sum() {
    let mut world = World::runner();
    let before = world.facts();
    let today = world.today;
    world.done.push(Done { day: today, sport: Sport::Running, km: Some(20.0), minutes: 110, heart: None });
    let facts = world.facts();
    for id in ["fitness", "form", "load_7_days", "distance_7_days", "longest_run_30_days", "recovery"] {
        assert_eq!(facts.find(id), before.find(id), "{id}");
    }
    assert_eq!(facts_for(&facts, "last_run_distance"), "20.0 km");
    assert_eq!(facts_for(&facts, "last_run_day"), "Mon 29 Jun");

    // Also when the day is complete: the values stay the same until midnight.
    let complete = World { frontier: frontier_through(today, None), ..world };
    assert_eq!(facts_for(&complete.facts(), "load_7_days"), "210");
    assert_eq!(complete.facts().find("fitness"), before.find("fitness"));
}

#[test]
fn late_data_makes_facts_missing_not_zero() {
    let world = World::runner();
    let today = world.today;
    let late = World { frontier: frontier_through(today.plus_days(-3), Some(today.plus_days(-2))), ..world };
    let facts = late.facts();
    for id in [
        "load_yesterday",
        "load_7_days",
        "distance_7_days",
        "runs_7_days",
        "training_time_7_days",
        "longest_run_30_days",
        "stress_yesterday",
        "body_battery_high",
        "hrv_last_night",
        "sleep_last_night",
        "resting_heart_rate",
        "recovery",
        "recovery_from_hrv",
    ] {
        assert_eq!(facts.missing_reason(id), Some(&MissingReason::NotYet), "{id}");
    }
    let fact = |id: &str| facts.find(id).unwrap();
    assert_eq!(
        (fact("fitness").as_of, fact("fitness").quality),
        (today.plus_days(-3), Quality::StaleProvisional)
    );
    assert_eq!((fact("form").as_of, fact("form").quality), (today.plus_days(-2), Quality::StaleProvisional));
    assert_eq!((fact("hrv_week").as_of, fact("hrv_week").quality), (today.plus_days(-2), Quality::Stale));
    // The run of two days ago is on the open day; a later one may not be synced yet.
    assert_eq!(facts_for(&facts, "last_run_day"), "Sat 27 Jun");
    assert_eq!(fact("last_run_pace").quality, Quality::Provisional);
    assert!(facts.find("load_7_days_before").is_some());
}

#[test]
fn draft_and_past_race_have_no_facts() {
    for status in [PlanStatus::Draft, PlanStatus::Archived] {
        let world = World { plan: Some(Plan { status, ..half_marathon() }), ..World::runner() };
        for id in ["days_to_race", "race_day", "race_distance", "race_goal_time", "predicted_race"] {
            assert_eq!(facts_for(&world.facts(), id), "— no active plan", "{status} {id}");
        }
    }
    let with = |plan: Plan| World { plan: Some(plan), ..World::runner() }.facts();
    let on = |race: &str| with(Plan { race_date: day(race), ..half_marathon() });
    assert_eq!(facts_for(&on("2026-06-29"), "days_to_race"), "0 days");
    assert_eq!(facts_for(&on("2026-06-30"), "days_to_race"), "1 day");
    assert!(facts_for(&on("2026-06-28"), "days_to_race").ends_with("the race is over"));
    assert_eq!(facts_for(&on("2027-04-11"), "race_day"), "Sun 11 Apr 2027");
    let bare =
        with(Plan { goal: GoalDistance::Custom, distance: None, target_time: None, ..half_marathon() });
    assert_eq!(facts_for(&bare, "race_distance"), "— no race distance");
    assert_eq!(facts_for(&bare, "race_goal_time"), "— no goal time");
    let by_goal = with(Plan { goal: GoalDistance::TenK, distance: None, ..half_marathon() });
    assert_eq!(facts_for(&by_goal, "race_distance"), "10.0 km");
}

#[test]
fn prediction_for_another_distance_is_left_out() {
    let world = World::runner();
    let mut stored = world.stored();
    let half = stored.predictions[2].1.clone();
    stored.predictions = vec![(RaceDistance::Marathon, half.clone()), (RaceDistance::Half, half)];
    let facts = stored.facts(&world);
    for id in ["predicted_marathon", "predicted_marathon_low", "predicted_marathon_high"] {
        assert!(matches!(facts.missing_reason(id), Some(MissingReason::Contradiction { .. })), "{id}");
    }
    assert_eq!(facts_for(&facts, "predicted_half_marathon"), "1:45:00");

    // The plan was changed to another race since.
    let over = |distance: Option<Distance>, goal: GoalDistance| {
        let plan = Some(Plan { distance, goal, ..half_marathon() });
        facts_for(&World::runner().stored().facts(&World { plan, ..World::runner() }), "predicted_race")
    };
    assert_eq!(over(Distance::from_km(21.1), GoalDistance::Custom), "1:45:00");
    assert_eq!(over(None, GoalDistance::Half), "1:45:00");
    assert!(over(None, GoalDistance::TenK).contains("another distance"));
    assert_eq!(over(None, GoalDistance::Custom), "— no race distance");
}

const RUNNER: &str = "\
body_battery_high | 80 | 2026-06-28 | ok | day:2026-06-28 | maximum of the day
days_to_race | 71 days | 2026-06-29 | ok | plan:7 | calendar
distance_7_days | 40.0 km | 2026-06-28 | ok | days:2026-06-22..2026-06-28 activity:82 activity:83 activity:84 activity:85 | sum
distance_7_days_before | 40.0 km | 2026-06-21 | ok | days:2026-06-15..2026-06-21 activity:78 activity:79 activity:80 activity:81 | sum
fatigue | 28 | 2026-06-28 | provisional | days:2026-01-31..2026-06-28 | weighted average of daily load, about 7 days
fitness | 30 | 2026-06-28 | provisional | days:2026-01-31..2026-06-28 | weighted average of daily load, about 42 days
fitness_settled | 97% | 2026-06-28 | provisional | days:2026-01-31..2026-06-28 | grows with the days of data: 63% after 42 days
form | +3 | 2026-06-29 | provisional | days:2026-01-31..2026-06-28 | fitness minus fatigue of the evening before
form_band | neutral | 2026-06-29 | provisional | days:2026-01-31..2026-06-28 | coaching convention
goal_name | Half marathon | 2026-06-29 | ok | plan:7 | planned
hrv_last_night | 55 ms | 2026-06-29 | ok | day:2026-06-29 | measured
hrv_normal_high | 56 ms | 2026-06-29 | ok | days:2026-04-24..2026-06-22 | average of 60 nights plus half a standard deviation, on a log scale
hrv_normal_low | 51 ms | 2026-06-29 | ok | days:2026-04-24..2026-06-22 | average of 60 nights minus half a standard deviation, on a log scale
hrv_state | within | 2026-06-29 | ok | days:2026-04-24..2026-06-29 | 7-day average compared with the normal range
hrv_week | 53 ms | 2026-06-29 | ok | days:2026-06-23..2026-06-29 | average of 7 nights (geometric mean)
last_judged_day | Sat 27 Jun | 2026-06-29 | ok | workout:1 | latest
last_judged_session | Easy 8 | 2026-06-27 | ok | workout:1 | planned
last_race_day | Sun 17 May | 2026-06-29 | ok | race:3 | latest
last_race_distance | 21.1 km | 2026-05-17 | ok | race:3 | recorded
last_race_time | 1:45:00 | 2026-05-17 | ok | race:3 | recorded
last_run_day | Sat 27 Jun | 2026-06-29 | ok | activity:85 | latest
last_run_distance | 8.0 km | 2026-06-27 | ok | activity:85 | recorded
last_run_heart_rate | 141 bpm | 2026-06-27 | provisional | activity:85 | average reported by the device
last_run_jump | 0.50 | 2026-06-27 | ok | days:2026-05-28..2026-06-27 activity:85 | distance divided by the longest run of the 30 days before
last_run_jump_band | usual | 2026-06-27 | ok | days:2026-05-28..2026-06-27 activity:85 | compared with your longest run in the 30 days before
last_run_load | 42 | 2026-06-27 | provisional | activity:85 | pace
last_run_pace | 5:30 /km | 2026-06-27 | ok | activity:85 | time divided by distance
last_run_time | 44:00 | 2026-06-27 | ok | activity:85 | moving time
last_verdict | hit | 2026-06-27 | ok | workout:1 | graded
load_7_days | 210 | 2026-06-28 | provisional | days:2026-06-22..2026-06-28 activity:82 activity:83 activity:84 activity:85 | sum
load_7_days_before | 210 | 2026-06-21 | provisional | days:2026-06-15..2026-06-21 activity:78 activity:79 activity:80 activity:81 | sum
load_7_to_28_days | 1.00 | 2026-06-28 | provisional | days:2026-06-01..2026-06-28 | average of 7 days divided by the average of 28 days
load_yesterday | 0 | 2026-06-28 | ok | day:2026-06-28 | sum
longest_run_30_days | 16.0 km | 2026-06-28 | ok | days:2026-05-30..2026-06-28 activity:84 | maximum
monotony | 0.93 | 2026-06-28 | provisional | days:2026-06-22..2026-06-28 | average of 7 daily loads divided by their standard deviation
plan_name | Autumn half | 2026-06-29 | ok | plan:7 | as you named it
predicted_10_km | 47:15 | 2026-06-29 | ok | race:3 | power_law
predicted_10_km_high | 52:25 | 2026-06-29 | ok | race:3 | one in ten is slower
predicted_10_km_low | 44:35 | 2026-06-29 | ok | race:3 | one in ten is faster
predicted_5_km | 22:30 | 2026-06-29 | ok | race:3 | power_law
predicted_5_km_high | 25:00 | 2026-06-29 | ok | race:3 | one in ten is slower
predicted_5_km_low | 21:15 | 2026-06-29 | ok | race:3 | one in ten is faster
predicted_half_marathon | 1:45:00 | 2026-06-29 | ok | race:3 | power_law
predicted_half_marathon_high | 1:51:30 | 2026-06-29 | ok | race:3 | one in ten is slower
predicted_half_marathon_low | 1:39:30 | 2026-06-29 | ok | race:3 | one in ten is faster
predicted_marathon | 3:49:00 | 2026-06-29 | provisional | race:3 | log_model
predicted_marathon_high | 4:06:00 | 2026-06-29 | provisional | race:3 | one in ten is slower
predicted_marathon_low | 3:37:00 | 2026-06-29 | provisional | race:3 | one in ten is faster
predicted_race | 1:45:00 | 2026-06-29 | ok | race:3 plan:7 | power_law
predicted_race_high | 1:51:30 | 2026-06-29 | ok | race:3 plan:7 | one in ten is slower
predicted_race_low | 1:39:30 | 2026-06-29 | ok | race:3 plan:7 | one in ten is faster
race_day | Tue 8 Sep | 2026-06-29 | ok | plan:7 | planned
race_distance | 21.1 km | 2026-06-29 | ok | plan:7 | planned
race_goal_time | 1:42:00 | 2026-06-29 | ok | plan:7 | planned
ramp | −0.1 | 2026-06-28 | provisional | days:2026-01-31..2026-06-28 | fitness minus fitness 7 days earlier
ramp_band | comfortable | 2026-06-28 | provisional | days:2026-01-31..2026-06-28 | coaching convention
recovery | 71 | 2026-06-29 | provisional | day:2026-06-29 days:2026-01-31..2026-06-28 days:2026-04-24..2026-06-29 profile | HRV, resting heart rate, sleep, check-in and form, weighted
recovery_band | high | 2026-06-29 | provisional | day:2026-06-29 days:2026-01-31..2026-06-28 days:2026-04-24..2026-06-29 profile | low below 34, high from 67
recovery_from_feel | +0.25 | 2026-06-29 | provisional | day:2026-06-29 | difference from the middle of the scale, weighted
recovery_from_form | +0.01 | 2026-06-29 | provisional | days:2026-01-31..2026-06-28 | form, weighted
recovery_from_hrv | +0.01 | 2026-06-29 | provisional | days:2026-04-24..2026-06-29 | difference from your normal, weighted
recovery_from_resting_heart_rate | +0.27 | 2026-06-29 | provisional | days:2026-04-24..2026-06-29 | difference from your normal, weighted
recovery_from_sleep | 0.00 | 2026-06-29 | provisional | day:2026-06-29 profile | difference from your sleep goal, weighted
respiration_last_night | 14.2 breaths/min | 2026-06-29 | ok | day:2026-06-29 | measured
resting_heart_rate | 48 bpm | 2026-06-29 | ok | day:2026-06-29 | measured
resting_heart_rate_from_usual | −2 bpm | 2026-06-29 | ok | days:2026-04-24..2026-06-29 | difference
resting_heart_rate_usual | 50 bpm | 2026-06-29 | ok | days:2026-04-24..2026-06-22 | median, 60 days
runs_7_days | 4 runs | 2026-06-28 | ok | days:2026-06-22..2026-06-28 activity:82 activity:83 activity:84 activity:85 | count
signs_of_illness | none | 2026-06-29 | ok | days:2026-04-23..2026-06-29 | resting heart rate up, HRV down, breathing rate up
sleep_debt_14_days | 6h 30m | 2026-06-29 | ok | days:2026-06-16..2026-06-29 profile | sleep goal minus sleep, 14 nights
sleep_from_usual | +30 min | 2026-06-29 | ok | days:2026-06-01..2026-06-29 | difference
sleep_last_night | 8h 00m | 2026-06-29 | ok | day:2026-06-29 | measured
sleep_need | 8h 00m | 2026-06-29 | ok | profile | set in the profile
sleep_usual | 7h 30m | 2026-06-29 | ok | days:2026-06-01..2026-06-28 | median, 28 nights
stress_yesterday | 30 | 2026-06-28 | ok | day:2026-06-28 | average of the day
threshold_heart_rate | 166 bpm | 2026-06-29 | estimated | threshold:max_heart_rate:2026-01-01:reported | share of max heart rate
threshold_max_heart_rate | 189 bpm | 2026-06-29 | ok | threshold:max_heart_rate:2026-01-01:reported | reported
threshold_pace | 4:10 /km | 2026-06-29 | ok | threshold:threshold_speed:2026-06-01:set | set
threshold_swim_pace | 1:51 /100 m | 2026-06-29 | estimated | threshold:swim_speed:2026-06-20:estimated | estimated
today_session | 4x1 km @ 5K pace | 2026-06-29 | ok | workout:2 | planned
today_session_distance | 10.0 km | 2026-06-29 | ok | workout:2 | planned
today_session_kind | easy | 2026-06-29 | ok | workout:2 | planned
today_session_state | pending | 2026-06-29 | ok | workout:2 | graded
training_time_7_days | 3h 40m | 2026-06-28 | ok | days:2026-06-22..2026-06-28 activity:82 activity:83 activity:84 activity:85 | sum
weight | 70.3 kg | 2026-06-20 | stale | day:2026-06-20 | measured
last_excuse | — no illness, injury or absence
marked_today | — no illness, injury or absence
proposal_waiting | — no pending proposal
threshold_power | — set a threshold power
threshold_resting_heart_rate | — no resting heart rate
today_session_intensity | — no intensity in the plan
today_session_time | — no duration
";
