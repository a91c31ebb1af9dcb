//! Compares generated weeks with published plans: none bigger than the biggest, and none lighter
//! than the lightest if the time allows.

use super::goal_table::combinations;
use crate::domain::units::Distance;
use crate::plan::shared_files::{file, skip};
use crate::plan::{
    GoalDistance, Level, Phase, WeekOutline, generate, planned_running_distance, race_weeks, training_norms,
};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Smallest and largest week of published plans, in kilometres without the race, counted back from
/// race week, as far as at least three plans go back.
type Envelope = &'static [(f64, f64)];

/// Marathon: Higdon (6 plans), Pfitzinger (6), Hansons (2), Boston level one. 18 weeks.
const MARATHON: Envelope = &[
    (11.0, 58.0),
    (31.0, 87.0),
    (42.0, 114.0),
    (56.0, 137.0),
    (48.0, 132.0),
    (39.0, 140.0),
    (47.0, 135.0),
    (37.0, 140.0),
    (47.0, 124.0),
    (34.0, 129.0),
    (40.0, 132.0),
    (39.0, 135.0),
    (29.0, 109.0),
    (34.0, 126.0),
    (31.0, 119.0),
    (24.0, 113.0),
    (26.0, 108.0),
    (19.0, 105.0),
];
/// Half marathon: Higdon (4 plans), Pfitzinger (2), Hansons (2). 12 weeks.
const HALF: Envelope = &[
    (10.0, 50.0),
    (37.0, 90.0),
    (35.0, 109.0),
    (28.0, 135.0),
    (32.0, 109.0),
    (31.0, 129.0),
    (21.0, 124.0),
    (26.0, 117.0),
    (23.0, 101.0),
    (15.0, 111.0),
    (19.0, 105.0),
    (19.0, 98.0),
];
/// 5K and 10K: Faster Road Racing (Pfitzinger and Latter), two plans each. 13 weeks.
const SHORT: Envelope = &[
    (50.0, 63.0),
    (47.0, 61.0),
    (47.0, 64.0),
    (53.0, 76.0),
    (64.0, 92.0),
    (53.0, 76.0),
    (61.0, 90.0),
    (60.0, 87.0),
    (58.0, 84.0),
    (48.0, 72.0),
    (55.0, 79.0),
    (51.0, 76.0),
    (48.0, 72.0),
];

fn envelope(goal: GoalDistance) -> Option<(&'static str, Envelope)> {
    match goal {
        GoalDistance::FiveK | GoalDistance::TenK => Some(("frr_", SHORT)),
        GoalDistance::Half => Some(("half", HALF)),
        GoalDistance::Full => Some(("marathon", MARATHON)),
        GoalDistance::Custom => None,
    }
}

/// Smallest and largest week for each distance from the race, from the shared data, in whole
/// kilometres.
fn published(path: &Path, race: &str) -> Vec<(f64, f64)> {
    let mut weeks: Vec<Vec<f64>> = Vec::new();
    let rows = csv::Reader::from_path(path).unwrap().into_deserialize::<HashMap<String, String>>();
    let counts = |name: &str| name.contains(race) || (race == "marathon" && name.starts_with("boston"));
    for row in rows.map(Result::unwrap).filter(|row| counts(&row["plan"])) {
        let numbers = |key: &str| -> Vec<f64> { row[key].split(' ').map(|km| km.parse().unwrap()).collect() };
        let (km, long) = (numbers("weekly_km"), numbers("long_km"));
        for (back, km) in km.iter().rev().enumerate() {
            // Race day is the longest of the last week, if the race is in it.
            let race_km = match race {
                "half" => 20.0,
                "marathon" => 42.0,
                _ => f64::INFINITY,
            };
            let raced = long.last().copied().filter(|long| back == 0 && *long >= race_km).unwrap_or(0.0);
            if weeks.len() <= back {
                weeks.push(Vec::new());
            }
            weeks[back].push(km - raced);
        }
    }
    weeks.retain(|week| week.len() >= 3);
    let ends = |week: &Vec<f64>| {
        (week.iter().copied().fold(f64::MAX, f64::min), week.iter().copied().fold(0.0, f64::max))
    };
    weeks.iter().map(ends).collect()
}

#[test]
fn the_envelope_is_that_of_the_published_plans() {
    let Some(path) = file("plans/published_plan_weekly_totals_km.csv") else {
        return skip("the_envelope_is_that_of_the_published_plans", "the shared plans are not here");
    };
    for goal in [GoalDistance::FiveK, GoalDistance::Half, GoalDistance::Full] {
        let (name, known) = envelope(goal).unwrap();
        assert_eq!(published(&path, name), known, "{name}");
    }
}

/// Every full week of every plan is compared with the published weeks at the same distance from the
/// race and one week to either side, because cut-back weeks are not in the same place in every
/// plan.
///
/// - The athlete must be in the range: their base is at most what published plans have in their
///   first week.
/// - No week is bigger than the biggest published one. The four plans for 5K and 10K come down by a
///   quarter four weeks before the race, where R19 requires 5 to 10 days of taper (Bosquet 2007,
///   Wang 2023): their last four weeks are bounded only by their biggest week, and race week only
///   by R20.
/// - A week before the taper is not lighter than the lightest published one **if the time allows**:
///   if the plan has the weeks that R25 requires and as many available days as the athlete runs on,
///   and if the base, grown evenly to the smallest of the three peaks (10, 8 or 6 % per full week;
///   a quarter above the athlete's best four weeks; the upper end of R27), reaches that much by
///   then. A cut-back week counts with 0.78 of that, and 10 % below the lightest is accepted.
/// - A taper week is compared only with the same week: it has at least the share of the plan's own
///   peak that R20 requires, and if that share of the peak reaches the lightest published plan, it
///   has at least as much.
/// - Taper and cut-back weeks are what they are called: no more taper weeks than the race has, no
///   two cut-back weeks in a row, at most a third of them (half of two), and each lighter than a
///   full week before it.
///
/// For tolerances see ADR 0010.
#[test]
fn weekly_totals_lie_inside_the_envelope_of_published_plans() {
    let (mut held, mut reached, mut outside) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut tapered = BTreeMap::new();
    for (label, wish, athlete) in combinations() {
        let (Some((name, known)), Ok(plan)) = (envelope(wish.goal), generate(&wish, &athlete)) else {
            continue;
        };
        let (race, level) = (wish.goal.distance().unwrap(), athlete.level().unwrap());
        let weeks = race_weeks(wish.start, wish.race);
        let around = |back: usize| -> Option<(f64, f64)> {
            known.get(back)?;
            let near = &known[back.saturating_sub(1)..(back + 2).min(known.len())];
            let low = near.iter().map(|(low, _)| *low).fold(f64::MAX, f64::min);
            Some((low, near.iter().map(|(_, high)| *high).fold(0.0, f64::max)))
        };
        let base = athlete.base().unwrap().km();
        let Some((_, first)) = around(weeks.len().saturating_sub(1).min(known.len() - 1)) else { continue };
        if base > first {
            continue;
        }
        let enough = weeks.len() as i64
            >= training_norms::min_plan_weeks(level, training_norms::RaceClass::for_distance(race));
        let growth: f64 = match level {
            Level::Novice => 1.10,
            Level::Intermediate => 1.08,
            Level::Advanced => 1.06,
        };
        let own = athlete.best_four_weeks().map_or(f64::MAX, Distance::km)
            * training_norms::max_peak_over_best(level).min(1.25);
        let build = || plan.weeks.iter().filter(|week| week.phase != Phase::Taper);
        let steps = (build().filter(|week| !week.cutback).count() as f64 - 1.0).max(1.0);
        let peak = own.min(training_norms::peak_bracket(level, race).1).max(base);
        let growth = growth.min((peak / base).powf(1.0 / steps));
        let free = wish.availability.days.len() as f64 >= athlete.runs_per_week().unwrap();
        let mut full = 0;
        let totals: Vec<f64> = weeks
            .iter()
            .map(|week| planned_running_distance(plan.draft.workouts(), *week, wish.race).km())
            .collect();
        if enough && free {
            outside.extend(mislabelled(&plan.weeks, &totals, name).map(|why| format!("{label}: {why}")));
        }
        let fullest = totals.iter().copied().fold(0.0, f64::max);
        let shares = training_norms::taper_week_shares(training_norms::RaceClass::for_distance(race));
        for (index, outline) in plan.weeks.iter().take(weeks.len()).enumerate() {
            let (back, km) = (weeks.len() - 1 - index, totals[index]);
            let share = shares.get(back).copied().flatten().filter(|_| outline.phase == Phase::Taper);
            if let Some((least, _)) = share.filter(|_| enough && free) {
                *tapered.entry(name).or_insert(0) += 1;
                // Workouts are in half kilometres.
                let published = known[back].0;
                let wanted = if least * fullest >= published { published } else { least * fullest - 0.5 };
                if km < wanted {
                    outside.push(format!("{label}: {back} before, in the taper: {km:.1} of {wanted:.1}"));
                }
            }
            let Some((low, high)) = around(back).filter(|_| back > 0 || name != "frr_") else { continue };
            *held.entry(name).or_insert(0) += 1;
            let most = known.iter().map(|(_, high)| *high).fold(0.0, f64::max);
            let high = if name == "frr_" && back < 4 { most } else { high };
            if km > high {
                outside.push(format!("{label}: {back} before: {km:.1} of {low:.0} to {high:.0}"));
            }
            full += i32::from(!outline.cutback);
            let reach = (base * growth.powi((full - 1).max(0))).min(peak);
            let (reach, room) = if outline.cutback { (reach * 0.78, 0.9) } else { (reach, 1.0) };
            if enough && free && outline.phase != Phase::Taper && reach >= low {
                *reached.entry(name).or_insert(0) += 1;
                if km < low * room {
                    outside.push(format!(
                        "{label}: {back} before: {km:.1} of {low:.0} to {high:.0}, {reach:.1} could be"
                    ));
                }
            }
        }
    }
    eprintln!(
        "{held:?} weeks held against the most, {reached:?} against the least, {tapered:?} in the taper"
    );
    assert!(
        outside.is_empty(),
        "{} weeks of {held:?}: {:#?}",
        outside.len(),
        outside.iter().step_by(outside.len().div_ceil(40).max(1)).collect::<Vec<_>>()
    );
    assert!(
        held.values().chain(reached.values()).chain(tapered.values()).all(|weeks| *weeks >= 100)
            && (reached.len(), tapered.len()) == (3, 3),
        "{held:?} {reached:?} {tapered:?}"
    );
}

/// Where the generator's labels of weeks are wrong.
fn mislabelled(weeks: &[WeekOutline], totals: &[f64], race: &str) -> Option<String> {
    let most = match race {
        "marathon" => 3,
        "half" => 2,
        _ => 1,
    };
    let taper = weeks.iter().filter(|week| week.phase == Phase::Taper).count();
    let build = &weeks[..weeks.len() - taper];
    let easier = build.iter().filter(|week| week.cutback).count();
    if taper > most || build.iter().any(|week| week.phase == Phase::Taper) {
        return Some(format!("{taper} weeks of taper"));
    }
    if build.windows(2).any(|pair| pair[0].cutback && pair[1].cutback) || easier > build.len().div_ceil(3) {
        return Some(format!("{easier} of {} weeks are easier ones", build.len()));
    }
    let heavy = (1..build.len()).find(|at| {
        let before = totals[..*at].iter().copied().fold(0.0, f64::max);
        build[*at].cutback && totals[*at] > 0.90 * before
    });
    heavy.map(|at| format!("week {at} is called an easier one: {totals:?}"))
}
