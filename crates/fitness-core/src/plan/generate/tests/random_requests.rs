//! Pseudo-random requests, always the same: goals, levels, plan lengths, weekdays, blackouts,
//! absences, tune-up races, targets, ages, old data. Every plan is safe with at most two warnings,
//! or the request is refused.

use super::athletes::{as_of, plan_request, runner, with_result, without_data_for};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::observation::AbsenceReason;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::plan::lint::{Finding, LintInput, Severity, errors, lint};
use crate::plan::{
    GenerateError, GeneratedPlan, GoalDistance, Level, Phase, PlanRequest, TrainingBaseline, TuneUp,
    UnavailablePeriod, Week, Weekdays, WorkoutKind, generate, planned_running_distance,
};
use std::collections::BTreeMap;

/// SplitMix64: the same numbers on every machine.
struct Rng(u64);

impl Rng {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 up to a number.
    fn below(&mut self, end: usize) -> usize {
        (self.next_u64() % end as u64) as usize
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability in percent.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn choose<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn km(km: f64) -> Option<Distance> {
    Distance::from_km((km * 10.0).round() / 10.0)
}

fn athlete(draw: &mut Rng, race: Distance) -> TrainingBaseline {
    let weekly = draw.choose(&[3.0, 8.0, 14.0, 18.0, 24.0, 28.0, 33.0, 40.0, 48.0, 58.0, 68.0, 80.0, 110.0]);
    let runs = match weekly {
        ..20.0 => 3,
        ..35.0 => draw.choose(&[3, 4]),
        ..60.0 => draw.choose(&[4, 5]),
        _ => draw.choose(&[5, 6]),
    };
    let mut athlete = if draw.chance(8) {
        let mut unknown = TrainingBaseline::unknown(as_of());
        unknown.self_reported.level = Some(draw.choose(Level::ALL));
        unknown.self_reported.base = draw.chance(80).then(|| km(weekly)).flatten();
        unknown.self_reported.longest =
            draw.chance(50).then(|| km(weekly * draw.between(0.15, 0.5))).flatten();
        unknown
    } else {
        let weeks = draw.choose(&[6, 20, 70]);
        let known = runner(weekly, runs, weeks);
        if draw.chance(60) { with_result(known, race) } else { known }
    };
    if athlete.has_recorded_base() && draw.chance(15) {
        athlete.self_reported.base = km(weekly * draw.between(0.5, 1.6));
    }
    if athlete.has_recorded_base() && draw.chance(15) {
        athlete.self_reported.longest = km(weekly * draw.between(0.12, 0.5));
    }
    if draw.chance(25) {
        // Nothing was run in the last days.
        let last = as_of().plus_days(-draw.choose(&[5, 9, 16, 20, 25, 31, 38, 52, 75, 88, 120]));
        athlete.runs.retain(|run| run.day < last);
    }
    athlete.age = draw.choose(&[None, Some(28), Some(41), Some(52), Some(66)]);
    athlete
}

fn days(draw: &mut Rng) -> Weekdays {
    if draw.chance(40) {
        return Weekdays::ALL;
    }
    let mut days = Weekdays::NONE;
    let count = draw.choose(&[3, 4, 4, 5, 5, 6]);
    while days.len() < count {
        days = days.with(Weekday::try_from(draw.below(7) as u8).unwrap());
    }
    days
}

/// This many consecutive days, somewhere in the plan.
fn random_period(draw: &mut Rng, wish: &PlanRequest, lengths: &[i64]) -> (Day, Day) {
    let span = wish.start.days_until(wish.race);
    let from = wish.start.plus_days(draw.below(span.max(1) as usize) as i64);
    (from, from.plus_days(draw.choose(lengths) - 1))
}

fn random_unavailable_periods(draw: &mut Rng, wish: &PlanRequest) -> Vec<UnavailablePeriod> {
    let why = draw.choose(&[
        AbsenceReason::Ill,
        AbsenceReason::Injured,
        AbsenceReason::Injured,
        AbsenceReason::Away,
    ]);
    let severity =
        (why != AbsenceReason::Away).then(|| draw.choose(&[None, Some(1), Some(2), Some(3)])).flatten();
    let (from, through) = if draw.chance(60) {
        // Of these days.
        let from = as_of().plus_days(-draw.choose(&[0, 2, 6, 12]));
        (from, as_of().plus_days(draw.choose(&[-3, 0, 3, 8, 15])).max(from))
    } else {
        random_period(draw, wish, &[1, 3, 6, 10, 16])
    };
    vec![UnavailablePeriod { why, from, through, severity }]
}

fn request(number: u64) -> (PlanRequest, TrainingBaseline) {
    let mut draw = Rng(number);
    let goal = draw.choose(&[
        GoalDistance::FiveK,
        GoalDistance::TenK,
        GoalDistance::Half,
        GoalDistance::Full,
        GoalDistance::Full,
        GoalDistance::Custom,
    ]);
    let distance = (goal == GoalDistance::Custom)
        .then(|| km(draw.choose(&[3.0, 8.0, 12.0, 16.1, 25.0, 30.0, 50.0, 80.0])));
    let mut wish = plan_request(
        goal,
        draw.choose(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 26, 40]) * 7 - 1,
    );
    wish.distance = distance.flatten();
    wish.race = wish.race.plus_days(draw.choose(&[0, 0, -1, -3, 2]));
    wish.start = wish.start.plus_days(draw.choose(&[0, 0, 0, 1, 3, 5]));
    wish.availability.days = days(&mut draw);
    wish.units = draw.choose(&[UnitSystem::Metric, UnitSystem::Metric, UnitSystem::Imperial]);
    wish.strength = draw.chance(25);
    wish.cross = draw.chance(15).then_some(Sport::Cycling);
    if draw.chance(15) {
        wish.long_day = Some(Weekday::try_from(draw.below(7) as u8).unwrap());
    }
    let race = wish.goal.distance().or(wish.distance).unwrap();
    let mut athlete = athlete(&mut draw, race);
    if draw.chance(40) {
        for _ in 0..draw.choose(&[1, 1, 2, 3]) {
            let (from, last) = random_period(&mut draw, &wish, &[1, 2, 4, 7, 9, 12, 15, 22, 30]);
            wish.availability.blackouts.extend(from.through(last));
        }
        wish.availability.blackouts.remove(&wish.race);
    }
    if draw.chance(25) {
        let span = wish.start.days_until(wish.race);
        let on = wish.start.plus_days(draw.below(span.max(1) as usize) as i64);
        let distance = km(draw.choose(&[5.0, 10.0, 21.1])).unwrap();
        wish.tune_up = Some(TuneUp { on, distance });
    }
    if draw.chance(40) && race.km() <= 50.0 {
        let usual = athlete.prediction.as_ref().ok().map(|known| known.exact.time.seconds());
        let usual = usual.unwrap_or_else(|| race.km() * 330.0);
        wish.target = TimeSpan::from_seconds((usual * draw.between(0.75, 1.15)).round());
    }
    if draw.chance(25) {
        athlete.unavailable_periods = random_unavailable_periods(&mut draw, &wish);
        let hurt = |mark: &UnavailablePeriod| {
            mark.why == AbsenceReason::Injured
                && mark.from <= as_of().next()
                && mark.through.days_until(as_of()) < 14
        };
        athlete.injured = athlete.unavailable_periods.iter().any(hurt);
    }
    if athlete.has_recorded_base() && draw.chance(12) {
        athlete = without_data_for(draw.choose(&[10, 15, 30, 60, 90, 150, 300]), athlete);
    }
    (wish, athlete)
}

/// Athletes of several levels whose data ended some time ago and who state no base, for every race
/// and several plan lengths.
fn stale_data_requests() -> impl Iterator<Item = (PlanRequest, TrainingBaseline)> {
    const LEVELS: [(f64, usize, i64); 6] =
        [(12.0, 3, 70), (22.0, 3, 70), (28.0, 4, 20), (37.0, 4, 70), (52.0, 5, 70), (80.0, 6, 70)];
    const ENDED: [i64; 8] = [14, 20, 30, 60, 75, 90, 150, 300];
    const WEEKS: [i64; 7] = [4, 6, 9, 12, 16, 20, 30];
    const RACES: [(GoalDistance, f64); 5] = [
        (GoalDistance::FiveK, 0.0),
        (GoalDistance::TenK, 0.0),
        (GoalDistance::Half, 0.0),
        (GoalDistance::Full, 0.0),
        (GoalDistance::Custom, 16.1),
    ];
    let all = (0..LEVELS.len()).flat_map(|level| (0..ENDED.len()).map(move |ended| (level, ended)));
    let all = all.flat_map(|two| (0..WEEKS.len()).map(move |weeks| (two, weeks)));
    let all = all.flat_map(|three| (0..RACES.len()).map(move |race| (three, race)));
    all.enumerate().map(|(number, (((level, ended), weeks), race))| {
        let ((weekly, runs, history), (goal, far)) = (LEVELS[level], RACES[race]);
        let (ended, weeks) = (ENDED[ended], WEEKS[weeks]);
        let mut wish = plan_request(goal, weeks * 7 - 1 + [0, 3, -1][number % 3]);
        wish.distance = km(far).filter(|_| goal == GoalDistance::Custom);
        wish.start = wish.start.plus_days([0, 1, 3, 0][number % 4]);
        if number.is_multiple_of(5) {
            wish.availability.days = "tue,thu,sat,sun".parse().unwrap();
        }
        let mut athlete = without_data_for(ended, runner(weekly, runs, history));
        athlete.age = [None, Some(34), Some(53), Some(64)][(number + ended as usize) % 4];
        (wish, athlete)
    })
}

/// Their runs since then are unknown. A plan is as after a break, and refused only if too few weeks
/// are left to start from zero.
#[test]
fn stale_data_still_gets_a_plan_where_the_weeks_allow() {
    let (mut made, mut too_short, mut trouble) = (0, 0, Vec::new());
    for (number, (wish, athlete)) in stale_data_requests().enumerate() {
        let told = || {
            format!(
                "{} days, {}",
                athlete.days_without_data(),
                describe_request(number as u64, &wish, &athlete)
            )
        };
        let left = (wish.start.days_until(wish.race) + 1) / 7;
        match generate(&wish, &athlete) {
            Ok(plan) => {
                made += 1;
                let said = plan.notes.iter().any(|said| said.contains("later runs are unknown"));
                let unsaid = (!said).then(|| format!("it does not say so: {:?}", plan.notes));
                let problem = problem(&wish, &athlete, &plan).or(unsaid);
                trouble.extend(problem.map(|problem| format!("{}:\n  {problem}", told())));
            }
            Err(GenerateError::Base { weeks, unknown: true, .. }) if left < weeks => too_short += 1,
            Err(why) => trouble.push(format!("{}:\n  {why}", told())),
        }
    }
    eprintln!("{made} plans, {too_short} with too few weeks");
    assert!(trouble.is_empty(), "{} of {made}:\n{}", trouble.len(), trouble.join("\n"));
    assert!(made >= 1100, "{made} plans, {too_short} with too few weeks");
}

/// Number of requests; `FITNESS_SWEEP` sets more.
fn requests() -> u64 {
    std::env::var("FITNESS_SWEEP").ok().and_then(|count| count.parse().ok()).unwrap_or(700)
}

/// The request in one line.
fn describe_request(number: u64, wish: &PlanRequest, athlete: &TrainingBaseline) -> String {
    let PlanRequest { goal, start, race, availability, tune_up, target, .. } = wish;
    let days: Vec<String> = availability.blackouts.iter().map(ToString::to_string).collect();
    format!(
        "{number}: {goal} {:?}, {start} to {race}, {} without {}, {tune_up:?}, target {target:?}, base {:?}, {:?}, typed {:?}, \
         age {:?}, {:?}",
        wish.distance.map(Distance::km),
        availability.days,
        days.join(" "),
        athlete.base().map(Distance::km),
        athlete.level(),
        athlete.self_reported,
        athlete.age,
        athlete.unavailable_periods
    )
}

/// What is wrong with a plan, if anything is.
fn problem(wish: &PlanRequest, athlete: &TrainingBaseline, plan: &GeneratedPlan) -> Option<String> {
    let GeneratedPlan { draft, findings, .. } = plan;
    let warnings: Vec<&Finding> = findings.iter().filter(|f| f.severity == Severity::Warning).collect();
    if warnings.len() > 2 {
        let said: Vec<String> = warnings.iter().map(|f| format!("{} {}", f.rule, f.text)).collect();
        return Some(said.join("\n      "));
    }
    if errors(findings).next().is_some() {
        return Some(format!("errors: {findings:?}"));
    }
    let is_short = |sentence: &str| {
        sentence.starts_with(|letter: char| letter.is_ascii_uppercase())
            && sentence.matches("; ").count() <= 1
    };
    let are_sentences =
        |text: &str| text.strip_suffix('.').is_some_and(|text| text.split(". ").all(is_short));
    if !warnings.iter().all(|f| are_sentences(&f.text)) {
        return Some(format!("not short sentences: {warnings:?}"));
    }
    // `fitness plan lint` will report the same findings.
    if lint(&LintInput::from_draft(draft), athlete, wish.units) != *findings {
        return Some("the linter says something else".to_owned());
    }
    for workout in draft.workouts().iter().filter(|w| !w.is_rest()) {
        let day = workout.date;
        if workout.kind != WorkoutKind::Race && !wish.availability.allows(day) {
            return Some(format!("{} on {day}, which is not free", workout.name));
        }
        if athlete.unavailable_periods.iter().any(|mark| mark.contains(day)) {
            return Some(format!("{} on {day}, which is marked", workout.name));
        }
        if day < wish.start {
            return Some(format!("{} on {day}, before the start", workout.name));
        }
    }
    if let Some(said) = taper_problem(wish, athlete, plan) {
        return Some(said);
    }
    let last = draft.workouts().last()?;
    let races = draft.workouts().iter().filter(|w| w.kind == WorkoutKind::Race).count();
    if (last.date, last.kind) != (wish.race, WorkoutKind::Race)
        || races != 1 + usize::from(wish.tune_up.is_some())
    {
        return Some(format!("{races} races, the last day is {} with {}", last.date, last.name));
    }
    None
}

/// A taper week that is the biggest of the plan so far; not a taper if hardly anything was run
/// before it.
fn taper_problem(wish: &PlanRequest, athlete: &TrainingBaseline, plan: &GeneratedPlan) -> Option<String> {
    let hardly = 0.25 * athlete.base().map_or(0.0, Distance::km);
    let km = |first: Day| planned_running_distance(plan.draft.workouts(), Week { first }, wish.race).km();
    let mut fullest = f64::NEG_INFINITY;
    for week in &plan.weeks {
        let km = km(week.first);
        if week.phase == Phase::Taper && fullest > hardly && km > fullest + 1e-6 {
            return Some(format!(
                "a taper of {km}, after at most {fullest}, in the week from {}",
                week.first
            ));
        }
        fullest = fullest.max(km);
    }
    None
}

#[test]
fn random_requests_get_safe_plans_with_at_most_two_warnings() {
    let (mut made, mut refused, mut trouble, mut unsafe_ones) =
        (0, BTreeMap::<String, u64>::new(), Vec::new(), Vec::new());
    for number in 0..requests() {
        let (wish, athlete) = request(number);
        let told = || describe_request(number, &wish, &athlete);
        match generate(&wish, &athlete) {
            Ok(plan) => {
                made += 1;
                trouble.extend(
                    problem(&wish, &athlete, &plan).map(|problem| format!("{}:\n  {problem}", told())),
                );
            }
            Err(why) => {
                if let GenerateError::Unsafe { .. } = why {
                    unsafe_ones.push(format!("{}:\n  {why}", told()));
                }
                let word = format!("{why:?}").split([' ', '(']).next().unwrap_or_default().to_owned();
                *refused.entry(word).or_default() += 1;
            }
        }
    }
    eprintln!("{made} plans, refused {refused:?}\n{}", unsafe_ones.join("\n"));
    assert!(trouble.is_empty(), "{} of {made} plans:\n{}", trouble.len(), trouble.join("\n"));
    // Refusals because of too many warnings are rare.
    let helpless = unsafe_ones.iter().any(|said| !said.contains(" To get a plan, "));
    assert!(
        !helpless && unsafe_ones.len() as u64 * 100 <= requests(),
        "{} refused as unsafe:\n{}",
        unsafe_ones.len(),
        unsafe_ones.join("\n")
    );
    // Many requests are by athletes whose break or old data left no base for the race.
    assert!(made * 100 >= requests() * 55, "{made} plans, refused {refused:?}");
}
