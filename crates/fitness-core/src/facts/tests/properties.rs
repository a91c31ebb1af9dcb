//! Properties for any template and any history.

use super::*;
use crate::adherence::data_frontier::DayCoverage;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use std::sync::LazyLock;

static RUNNER: LazyLock<Facts> = LazyLock::new(|| World::runner().facts());

/// A template without its placeholders.
fn outside(prose: &str) -> String {
    let mut rest = String::new();
    for (at, part) in prose.split("{{").enumerate() {
        rest.push_str(if at == 0 { part } else { part.split_once("}}").map_or(part, |(_, after)| after) });
    }
    rest
}

fn any_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(FactName::ALL.to_vec()).prop_map(|name| format!("{{{{{name}}}}}")),
        4 => "[ a-z.,()]{0,8}",
        1 => "\\PC{0,6}",
        1 => any::<String>(),
        1 => "[{}]{1,4}",
        1 => "\\p{N}",
    ]
}

fn any_units() -> impl Strategy<Value = UnitSystem> {
    prop::sample::select(UnitSystem::ALL.to_vec())
}

/// A history with gaps, a data frontier and a day of today.
fn any_snapshot() -> impl Strategy<Value = World> {
    let sports = prop::sample::select(vec![Sport::Running, Sport::Running, Sport::Cycling, Sport::Strength]);
    let done = (0..150_i64, sports, of(0.0..60.0_f64), 0..300_i64, of(30..250_u16)).prop_map(
        |(at, sport, km, minutes, heart)| Done { day: first().plus_days(at), sport, km, minutes, heart },
    );
    let complete = of(0..150_i64).prop_map(|at| at.map(|at| first().plus_days(at)));
    let kept = vec(any::<bool>(), 150);
    (vec(done, 0..60), complete, any::<bool>(), 0..152_i64, kept, any::<[bool; 3]>()).prop_map(
        |(done, complete, open, today, kept, [limits, races, plan])| {
            let runner = World::runner();
            let mut kept = kept.into_iter();
            let wellness = runner.wellness.into_iter().filter(|_| kept.next() == Some(true)).collect();
            World {
                today: first().plus_days(today),
                frontier: complete
                    .map_or(DataFrontier::NONE, |day| frontier_through(day, open.then(|| day.next()))),
                done,
                wellness,
                feel: runner.feel,
                thresholds: if limits { runner.thresholds } else { Vec::new() },
                races: if races { runner.races } else { Vec::new() },
                plan: runner.plan.filter(|_| plan),
                planned: runner.planned,
                graded: runner.graded,
                waiting: Vec::new(),
                marked: None,
                profile: runner.profile,
            }
        },
    )
}

proptest! {
    #[test]
    fn any_text_is_rendered_or_refused(prose in any::<String>(), units in any_units()) {
        if let Err(bad) = RUNNER.render(&prose, units) {
            prop_assert!(!bad.errors().is_empty() && !bad.to_string().is_empty());
        }
    }

    #[test]
    fn no_digit_survives_outside_of_a_placeholder(pieces in vec(any_piece(), 0..12), units in any_units()) {
        let prose = pieces.concat();
        match RUNNER.render(&prose, units) {
            Ok(text) => {
                prop_assert!(!outside(&prose).chars().any(char::is_numeric), "{prose}");
                prop_assert!(!text.contains("{{") && !text.contains("}}"), "{text}");
            }
            Err(bad) => prop_assert!(!bad.errors().is_empty()),
        }
    }

    #[test]
    fn digit_inserted_anywhere_is_refused(at in 0..200_usize, digit in "\\p{N}") {
        let prose = "Fitness {{fitness}}, fatigue {{fatigue}}, form {{form}}: {{sleep_last_night}} asleep.";
        prop_assert!(RUNNER.render(prose, UnitSystem::Metric).is_ok());
        let at = at % (prose.len() + 1);
        let altered = format!("{}{digit}{}", &prose[..at], &prose[at..]);
        prop_assert!(RUNNER.render(&altered, UnitSystem::Metric).is_err(), "{altered}");
    }

    #[test]
    fn any_number_in_any_unit_is_formatted(
        number in prop_oneof![any::<f64>(), -1e4..1e4_f64],
        unit in prop::sample::select(FactUnit::ALL.to_vec()),
        units in any_units(),
    ) {
        let fact = Fact { value: FactValue::Number(number), unit, ..RUNNER.known()[0].clone() };
        let shown = fact.format(units);
        prop_assert!(!shown.is_empty() && !shown.contains("NaN") && !shown.contains("inf") && !shown.contains('-'));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn ids_are_unique_and_known_facts_are_formatted(world in any_snapshot(), units in any_units()) {
        let facts = world.facts();
        let mut ids: Vec<&str> = facts.known().iter().map(|fact| fact.id.as_str()).collect();
        prop_assert!(ids.is_sorted());
        ids.extend(facts.missing().iter().map(|missing| missing.id.as_str()));
        ids.sort_unstable();
        let mut table: Vec<&str> = FactName::ALL.iter().map(|name| name.as_str()).collect();
        table.sort_unstable();
        prop_assert_eq!(ids, table);
        for fact in facts.known() {
            let shown = fact.format(units);
            prop_assert!(!shown.is_empty() && shown != "—", "{}", fact.id);
            prop_assert!(!shown.contains("NaN") && !shown.contains("inf"), "{}: {shown}", fact.id);
            prop_assert!(!fact.sources.is_empty(), "{} has no source", fact.id);
            prop_assert!(fact.as_of <= world.today, "{} is of {}", fact.id, fact.as_of);
        }
        let json = serde_json::to_string(&facts).unwrap();
        prop_assert_eq!(serde_json::from_str::<Facts>(&json).unwrap(), facts);
    }

    #[test]
    fn input_order_does_not_matter(world in any_snapshot(), turn in 0..150_usize) {
        let mut stored = world.stored();
        let facts = stored.facts(&world);
        prop_assert_eq!(&stored.facts(&world), &facts);
        let mut shuffled = world.clone();
        fn turned<T>(list: &mut [T], turn: usize) {
            list.reverse();
            let by = turn % list.len().max(1);
            list.rotate_left(by);
        }
        turned(&mut stored.sessions, turn);
        turned(&mut stored.days, turn);
        turned(&mut stored.limits, turn);
        turned(&mut stored.predictions, turn);
        turned(&mut shuffled.races, turn);
        prop_assert_eq!(stored.facts(&shuffled), facts);
    }

    #[test]
    fn data_beyond_the_frontier_is_ignored(world in any_snapshot()) {
        let seen = |day: Day| day <= world.today && world.frontier.day_coverage(day) != DayCoverage::Beyond;
        let everything = World { frontier: frontier_through(first().plus_days(149), None), ..world.clone() };
        let mut known = world.stored();
        known.days.retain(|metrics| seen(metrics.day));
        let mut more = world.stored();
        more.days = known.days.clone();
        more.days.extend(everything.stored().days.into_iter().filter(|metrics| !seen(metrics.day)));
        known.sessions.retain(|(_, activity, ..)| seen(activity.day()));
        prop_assert_eq!(more.facts(&world), known.facts(&world));
    }
}
