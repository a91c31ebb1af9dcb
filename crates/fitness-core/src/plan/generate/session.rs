//! The sessions of a week: what each run is, step by step, with a pace only where a dated result supports one.

use super::days::{self, Slots, Taken, Want};
use super::volume::{Phase, PlanWeek, Shape};
use super::{TuneUp, Wish, is_open};
use crate::calendar::Day;
use crate::plan::limits::{self, Class};
use crate::plan::{
    Background, Level, Step, StepDuration, StepTarget, StepType, TargetRange, Week, Workout, WorkoutKind,
};
use crate::sport::Sport;
use crate::units::{Distance, TimeSpan};

/// Every workout of the plan but the days off.
pub(super) fn fill(shape: &Shape, wish: &Wish, athlete: &Background, weeks: &[PlanWeek]) -> Vec<Workout> {
    let mut counts: Vec<usize> = (weeks.iter().filter(|week| week.phase != Phase::Taper))
        .map(|week| shape.runs_for(week.km, week.long))
        .collect();
    counts.sort_unstable();
    let usual_runs = counts.get(counts.len() / 2).copied().unwrap_or(shape.runs);
    let maker = Maker { shape, wish, speeds: Speeds::of(athlete, wish, shape), usual_runs };
    let longs = days::long_days(wish, weeks);
    let mut taken = Taken {
        longs: longs.iter().flatten().copied().collect(),
        hard: vec![wish.race],
        runs: vec![wish.race],
    };
    taken.hard.extend(wish.tune_up.map(|tune_up| tune_up.on));
    let mut workouts = maker.lead_in(weeks.first().map_or(wish.race, |week| week.week.first));
    for (number, (week, long)) in weeks.iter().zip(longs).enumerate() {
        workouts.extend(maker.week(number, week, long, weeks.len(), &mut taken));
    }
    if let Some(TuneUp { on, distance }) = wish.tune_up {
        workouts.push(maker.race(on, distance, "Race along the way"));
    }
    workouts.push(maker.race(wish.race, shape.race, "Race day"));
    workouts
}

/// What the athlete can run how fast; seconds per kilometre.
struct Speeds {
    easy: Option<f64>,
    /// From a result at most 120 days old.
    threshold: Option<f64>,
    interval: Option<f64>,
    race: Option<f64>,
    marathon: Option<f64>,
    load_per_hour: Option<f64>,
    finish: Option<TimeSpan>,
}

impl Speeds {
    fn of(athlete: &Background, wish: &Wish, shape: &Shape) -> Self {
        let paces = athlete.paces.map(|dated| dated.paces);
        let finish = athlete.prediction.as_ref().ok().map(|prediction| prediction.exact.time);
        // Training follows what the athlete can do, or an easier wish; never a faster one.
        let race_time = finish.map(|time| wish.target.map_or(time, |target| target.max(time)));
        Self {
            easy: shape.pace,
            threshold: paces.map(|paces| paces.threshold.seconds_per_km()),
            interval: paces.map(|paces| paces.interval.seconds_per_km()),
            marathon: paces.map(|paces| paces.marathon.seconds_per_km()),
            race: race_time.filter(|_| paces.is_some()).map(|time| time.seconds() / shape.race.km()),
            load_per_hour: athlete.load_per_hour,
            finish: race_time.or(wish.target),
        }
    }
}

/// A hard session of a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recipe {
    Hills,
    Tempo,
    Intervals,
    RacePace,
}

struct Maker<'a> {
    shape: &'a Shape,
    wish: &'a Wish,
    speeds: Speeds,
    /// Runs in most weeks before the taper: a taper keeps them.
    usual_runs: usize,
}

impl Maker<'_> {
    /// The days before the first full week: easy, and in proportion.
    fn lead_in(&self, until: Day) -> Vec<Workout> {
        let shape = self.shape;
        let week = Week::ending(until.previous());
        let open: Vec<Day> = week
            .days()
            .filter(|day| {
                *day >= self.wish.start && is_open(self.wish, *day) && Some(*day) != self.tune_up_day()
            })
            .collect();
        let usual = self.wish.availability.days.len().max(1) as f64;
        let runs = ((shape.runs * open.len()) as f64 / usual).round() as usize;
        let each = shape.round(shape.base / shape.runs.max(1) as f64 * 0.9);
        let each = each.min(shape.floor(shape.longest.min(self.longest_useful()))).max(shape.shortest());
        let slots = self.slots(&open, None, Want { runs, hard: 0 }, &Taken::default(), |_| true);
        slots
            .easy
            .iter()
            .map(|day| {
                let near = day.until(self.wish.race) <= 3;
                self.easy(*day, if near { each.min(self.last_days_km()) } else { each }, false)
            })
            .collect()
    }

    /// Kilometres of a run in the last three days: well below an hour.
    fn last_days_km(&self) -> f64 {
        self.shape.floor(self.speeds.easy.map_or(6.0, |easy| 50.0 * 60.0 / easy)).max(self.shape.shortest())
    }

    /// Kilometres beyond which a run is longer than the race asks for.
    fn longest_useful(&self) -> f64 {
        limits::longest_at_most(self.shape.level, self.shape.race)
    }

    fn tune_up_day(&self) -> Option<Day> {
        self.wish.tune_up.map(|tune_up| tune_up.on)
    }

    fn slots(
        &self,
        open: &[Day],
        long: Option<Day>,
        want: Want,
        taken: &Taken,
        barred: impl Fn(Day) -> bool,
    ) -> Slots {
        days::assign(self.shape, self.wish, open, long, want, taken, barred)
    }

    fn week(
        &self,
        number: usize,
        plan: &PlanWeek,
        long: Option<Day>,
        count: usize,
        taken: &mut Taken,
    ) -> Vec<Workout> {
        let (shape, wish) = (self.shape, self.wish);
        let race_week = number + 1 == count;
        let mut open: Vec<Day> = (plan.week.days())
            .filter(|day| is_open(wish, *day) && *day != wish.race && Some(*day) != self.tune_up_day())
            .collect();
        // The day before the race is off for those who need two days off anyway, if there are others.
        if race_week && shape.level == Level::Novice && open.len() > 2 {
            open.retain(|day| *day != wish.race.previous());
        }
        let usual = self.usual_runs;
        let tune_up = wish.tune_up.filter(|tune_up| plan.week.contains(tune_up.on));
        let runs = match (race_week, tune_up) {
            (true, _) => usual.max(3),
            (false, Some(_)) => usual - 1,
            (false, None) if plan.phase == Phase::Taper => usual,
            (false, None) => shape.runs_for(plan.km, plan.long),
        };
        let block = self.long_block(plan, count - number - 1);
        let recipes = self.recipes(plan, number, block.is_some(), tune_up.is_some());
        let last_hard = wish.race.plus(-4);
        let slots = self.slots(&open, long, Want { runs, hard: recipes.len() }, taken, |day| day > last_hard);
        taken.hard.extend(&slots.hard);
        taken.runs.extend(slots.long.iter().chain(&slots.hard).chain(&slots.easy));

        let raced = tune_up.map_or(0.0, |tune_up| tune_up.distance.km());
        let long_km = if slots.long.is_some() { plan.long } else { 0.0 };
        let others = (slots.hard.len() + slots.easy.len()).max(1) as f64;
        let even = ((plan.km - long_km - raced).max(0.0) / others).max(shape.shortest());
        let longest_other =
            if long_km > 0.0 { long_km * 0.9 } else { shape.longest.max(shape.step * 6.0) * 0.8 };
        let longest_other = longest_other.min(self.longest_useful());
        let mut made = Vec::new();
        let mut left = plan.km - long_km - raced;
        for (day, recipe) in slots.hard.iter().zip(&recipes) {
            let session = self.hard(*day, *recipe, plan, even.min(longest_other));
            left -= session.distance.map_or(even, Distance::km);
            made.push(session);
        }
        let strides = self.strides_on(plan, &slots, made.len());
        let shares = self.shares(left, slots.easy.len(), longest_other);
        made.extend(slots.easy.iter().zip(shares).map(|(day, km)| {
            let km = if day.until(wish.race) <= 3 { km.min(self.last_days_km()) } else { km };
            self.easy(*day, km, Some(*day) == strides)
        }));
        made.extend(slots.long.map(|day| self.long(day, long_km, block)));
        made.extend(self.support(&slots, plan, &open, race_week));
        made
    }

    /// What is left of a week in so many runs of whole steps, as even as can be, none of them longer than `most`.
    fn shares(&self, km: f64, runs: usize, most: f64) -> Vec<f64> {
        let step = self.shape.step;
        let steps = (km / step + 1e-9).floor().max(0.0) as usize;
        let (each, more) = (steps / runs.max(1), steps % runs.max(1));
        let most = self.shape.floor(most);
        let share = |run: usize| (each + usize::from(run < more)) as f64 * step;
        (0..runs).map(|run| share(run).min(most).max(self.shape.shortest())).collect()
    }

    /// The easy run of a week that ends with strides, where the week is not hard enough without.
    fn strides_on(&self, plan: &PlanWeek, slots: &Slots, hard: usize) -> Option<Day> {
        let wanted = !self.shape.injured && (hard == 0 || plan.phase == Phase::Base || hard < 2);
        let far = |day: &Day| slots.long.iter().chain(&slots.hard).map(|other| other.until(*day).abs()).min();
        slots
            .easy
            .iter()
            .copied()
            .filter(|day| day.until(self.wish.race) >= 2 && wanted)
            .max_by_key(|day| (far(day), *day))
    }

    fn recipes(&self, plan: &PlanWeek, number: usize, block: bool, tune_up: bool) -> Vec<Recipe> {
        let shape = self.shape;
        let at_most = match shape.level {
            _ if shape.injured || tune_up => 0,
            Level::Novice => 1,
            _ if shape.sixty || shape.runs <= 3 || plan.cutback || block => 1,
            _ => 2,
        };
        let second = number % 2 == 1;
        let mut recipes = match (plan.phase, shape.class) {
            (Phase::Base, _) if shape.level == Level::Novice && (second || number < 2) => vec![],
            (Phase::Base, _) => vec![Recipe::Hills],
            (Phase::Build, Class::FiveK | Class::TenK) if second => vec![Recipe::Tempo, Recipe::Intervals],
            (Phase::Build | Phase::Peak, Class::FiveK) => vec![Recipe::Intervals, Recipe::Tempo],
            (Phase::Build, Class::TenK) => vec![Recipe::Intervals, Recipe::Tempo],
            (Phase::Build, _) => vec![Recipe::Tempo],
            (Phase::Peak, Class::TenK) => vec![Recipe::RacePace, Recipe::Intervals],
            (Phase::Peak, Class::Half) => vec![Recipe::RacePace, Recipe::Tempo],
            (Phase::Peak, Class::Full) if block => vec![],
            (Phase::Peak, Class::Full) => vec![Recipe::Tempo],
            (Phase::Taper, _) => vec![Recipe::RacePace],
        };
        recipes.truncate(at_most);
        recipes
    }

    /// Kilometres of a marathon's long run at the pace of the race, every second week of the peak.
    fn long_block(&self, plan: &PlanWeek, to_race: usize) -> Option<f64> {
        let shape = self.shape;
        let fits = shape.class == Class::Full
            && plan.phase == Phase::Peak
            && !plan.cutback
            && !shape.injured
            && to_race % 2 == 1
            && plan.long >= 14.0;
        let (share, most) = match shape.level {
            Level::Novice => (0.28, 8.0),
            Level::Intermediate => (0.42, 14.0),
            Level::Advanced => (0.48, 18.0),
        };
        fits.then(|| shape.floor((plan.long * share).min(most)))
    }

    /// How far a session's hard part may go in a week, and how long it takes.
    fn hard(&self, day: Day, recipe: Recipe, plan: &PlanWeek, even: f64) -> Workout {
        let fraction = match (plan.phase, plan.cutback) {
            (Phase::Taper, _) => 0.5,
            (_, true) => 0.7,
            (Phase::Peak, _) => 1.0,
            _ => 0.85,
        };
        match recipe {
            Recipe::Hills => self.hills(day, plan.km, even),
            Recipe::Tempo => self.tempo(day, plan.km, even, fraction),
            Recipe::Intervals => self.intervals(day, plan.km, even, fraction),
            Recipe::RacePace => self.race_pace(day, plan.km, even, fraction),
        }
    }

    fn hills(&self, day: Day, week: f64, even: f64) -> Workout {
        let reps = ((week * 0.07 / 0.25) as usize).clamp(4, 8);
        let parts = Parts { reps, work: Work::Seconds(60.0, None), recovery: 90.0 };
        let words = "Hard uphill, about 8 of 10; walk or jog down";
        self.session(day, WorkoutKind::Hills, format!("Hills {reps} × 1 min"), words, even, &parts)
    }

    fn tempo(&self, day: Day, week: f64, even: f64, fraction: f64) -> Workout {
        let pace = self.speeds.threshold;
        let minutes = (40.0 * fraction).min(self.minutes(week * 0.098, pace)).floor();
        if minutes < 8.0 {
            return self.easy(day, self.shape.round(even), true);
        }
        let reps = match minutes {
            ..16.0 => 1,
            ..31.0 => 2,
            _ => 3,
        };
        let each = (minutes / reps as f64).floor();
        let work = Work::Seconds(each * 60.0, pace.map(around));
        let name =
            if reps == 1 { format!("Tempo {each} min") } else { format!("Tempo {reps} × {each} min") };
        let words = "Comfortably hard, about 7 of 10: a pace you could hold for an hour";
        self.session(day, WorkoutKind::Tempo, name, words, even, &Parts { reps, work, recovery: 120.0 })
    }

    fn intervals(&self, day: Day, week: f64, even: f64, fraction: f64) -> Workout {
        let pace = self.speeds.interval;
        let km = (week * 0.078).min(10.0) * fraction;
        let each = [1.0, 0.8, 0.6, 0.4].into_iter().find(|each| km / each >= 3.0);
        let Some(each) = each else { return self.easy(day, self.shape.round(even), true) };
        let reps = ((km / each) as usize).clamp(3, 8);
        let meters = each * 1000.0;
        let work = Work::Meters(meters, pace.map(around));
        // As long to recover as the work took, a little less for the long ones.
        let recovery = (pace.unwrap_or(300.0) * each * 0.75 / 15.0).round() * 15.0;
        let words = "Hard, about 9 of 10: a pace you could hold for ten minutes";
        let name = format!("Intervals {reps} × {meters:.0} m");
        self.session(day, WorkoutKind::Intervals, name, words, even, &Parts { reps, work, recovery })
    }

    fn race_pace(&self, day: Day, week: f64, even: f64, fraction: f64) -> Workout {
        let shape = self.shape;
        let pace = self.speeds.race;
        let target = pace.map(at_race);
        let km = week * 0.098;
        let (reps, work, name) = match shape.class {
            Class::FiveK | Class::TenK => {
                let km = km.min(6.0) * fraction;
                let sizes = [2.0, 1.0, 0.5].into_iter().skip(usize::from(shape.class == Class::FiveK));
                let each: f64 = sizes.into_iter().find(|each| km >= 2.0 * each).unwrap_or(0.4);
                let reps = ((km / each) as usize).max(2);
                let meters = each * 1000.0;
                (reps, Work::Meters(meters, target), format!("Race pace {reps} × {meters:.0} m"))
            }
            Class::Half | Class::Full => {
                let minutes = (40.0 * fraction).min(self.minutes(km, pace)).max(5.0).floor();
                let reps = if minutes < 16.0 { 1 } else { 2 };
                let each = (minutes / reps as f64).floor();
                let name = if reps == 1 {
                    format!("Race pace {each} min")
                } else {
                    format!("Race pace {reps} × {each} min")
                };
                (reps, Work::Seconds(each * 60.0, target), name)
            }
        };
        let words = "As hard as the race will start: strong and even, not faster";
        self.session(day, WorkoutKind::RacePace, name, words, even, &Parts { reps, work, recovery: 120.0 })
    }

    /// Minutes that so many kilometres take at a pace; at nine tenths of the easy one where no result gives a pace.
    fn minutes(&self, km: f64, pace: Option<f64>) -> f64 {
        pace.or(self.speeds.easy.map(|easy| easy * 0.9)).map_or(12.0, |pace| km * pace / 60.0)
    }

    /// A hard session with its way in and out.
    fn session(
        &self,
        day: Day,
        kind: WorkoutKind,
        name: String,
        effort: &str,
        even: f64,
        parts: &Parts,
    ) -> Workout {
        let shape = self.shape;
        let quick = self.speeds.easy.map_or(300.0, |easy| easy * 0.9);
        let (work_km, work_seconds) = parts.work.amount(quick);
        let reps = parts.reps as f64;
        let pauses = parts.recovery * (reps - 1.0).max(0.0);
        let jogged = pauses / self.speeds.easy.map_or(420.0, |easy| easy * 1.2);
        let hard_km = work_km * reps + jogged;
        let total = shape.floor(even.max(hard_km + 2.4 + shape.step));
        let way = ((total - hard_km) / 2.0).max(1.0);
        let way = (way * 10.0).round() / 10.0;
        let mut steps = vec![plain(StepType::Warmup, StepDuration::Distance(way * 1000.0), "Easy")];
        for rep in 0..parts.reps {
            if rep > 0 {
                steps.push(plain(StepType::Recovery, StepDuration::Time(parts.recovery), "Jog or walk"));
            }
            steps.push(parts.work.step(effort));
        }
        steps.push(plain(StepType::Cooldown, StepDuration::Distance(way * 1000.0), "Easy"));
        let seconds = self.speeds.easy.map(|easy| 2.0 * way * easy + work_seconds * reps + pauses);
        Workout {
            kind,
            name,
            intensity: Some(effort.to_owned()),
            key: true,
            steps,
            ..self.run(day, total, seconds, 1.25)
        }
    }

    fn easy(&self, day: Day, km: f64, strides: bool) -> Workout {
        let km = self.shape.round(km);
        let base = self.run(day, km, self.speeds.easy.map(|easy| easy * km), 1.0);
        let effort = "Easy, about 3 of 10: you can talk in whole sentences";
        let mut steps = vec![plain(StepType::Active, StepDuration::Distance(km * 1000.0), effort)];
        if !strides {
            return Workout {
                kind: WorkoutKind::Easy,
                name: "Easy run".to_owned(),
                intensity: Some(effort.to_owned()),
                steps,
                ..base
            };
        }
        for _ in 0..4 {
            steps.push(plain(StepType::Active, StepDuration::Time(20.0), "Quick and relaxed, not a sprint"));
            steps.push(plain(StepType::Recovery, StepDuration::Time(60.0), "Walk or jog"));
        }
        Workout {
            kind: WorkoutKind::Strides,
            name: "Easy run with strides".to_owned(),
            intensity: Some(effort.to_owned()),
            description: Some(
                "Run easily; towards the end four quick stretches of 20 seconds, with a minute to recover."
                    .to_owned(),
            ),
            steps,
            ..base
        }
    }

    fn long(&self, day: Day, km: f64, block: Option<f64>) -> Workout {
        let km = self.shape.round(km);
        let effort = "Easy, about 3 to 4 of 10; slower than you think";
        let plain_long = |steps| Workout {
            kind: WorkoutKind::Long,
            name: "Long run".to_owned(),
            intensity: Some(effort.to_owned()),
            key: true,
            steps,
            ..self.run(day, km, self.speeds.easy.map(|easy| easy * km), 1.0)
        };
        let Some(block) = block.filter(|block| *block >= 2.0) else {
            return plain_long(vec![plain(StepType::Active, StepDuration::Distance(km * 1000.0), effort)]);
        };
        let pace = self.speeds.race.or(self.speeds.marathon).filter(|_| self.speeds.race.is_some());
        let out = ((km - block) * 0.75 * 10.0).round() / 10.0;
        let back = ((km - block - out) * 10.0).round() / 10.0;
        let hard = Work::Meters(block * 1000.0, pace.map(at_race));
        let steps = vec![
            plain(StepType::Warmup, StepDuration::Distance(out * 1000.0), "Easy"),
            hard.step("At the pace you want to race the marathon at"),
            plain(StepType::Cooldown, StepDuration::Distance(back.max(0.5) * 1000.0), "Easy"),
        ];
        let shown = self.wish.units.distance(Distance::from_km(block).unwrap_or_default());
        Workout { name: format!("Long run with {shown} at race pace"), ..plain_long(steps) }
    }

    fn race(&self, day: Day, distance: Distance, word: &str) -> Workout {
        let main = day == self.wish.race;
        let finish = self.speeds.finish.filter(|_| main);
        let hours = finish.map(|time| time.seconds() / 3600.0);
        let fits = |time: &TimeSpan| (TimeSpan::from_mins(5)..=TimeSpan::from_mins(480)).contains(time);
        Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Race,
            name: format!("{word}: {}", self.wish.units.distance(distance)),
            distance: Some(distance).filter(|distance| distance.km() <= 200.0),
            duration: finish.filter(fits),
            load: hours.map(|hours| (hours * 85.0).clamp(20.0, 500.0).round()),
            intensity: Some("All you have, evenly spent".to_owned()),
            key: true,
            ..Workout::rest(day)
        }
    }

    /// A run of so many kilometres and seconds, still without a purpose.
    fn run(&self, day: Day, km: f64, seconds: Option<f64>, effort: f64) -> Workout {
        let minutes = seconds.map(|seconds| (seconds / 60.0).round().clamp(5.0, 480.0));
        Workout {
            sport: Sport::Running,
            distance: Distance::from_km(km),
            duration: minutes.and_then(|minutes| TimeSpan::from_seconds(minutes * 60.0)),
            load: (minutes.zip(self.speeds.load_per_hour))
                .map(|(minutes, per_hour)| (minutes / 60.0 * per_hour * effort).clamp(0.0, 500.0).round()),
            ..Workout::rest(day)
        }
    }

    /// Strength and another sport, where they were asked for and leave the days off alone.
    fn support(&self, slots: &Slots, plan: &PlanWeek, open: &[Day], race_week: bool) -> Vec<Workout> {
        let (shape, wish) = (self.shape, self.wish);
        let mut made = Vec::new();
        let other =
            |day: Day, sport: Sport, kind: WorkoutKind, name: &str, minutes: i64, words: &str| Workout {
                sport,
                kind,
                name: name.to_owned(),
                duration: Some(TimeSpan::from_mins(minutes)),
                intensity: Some(words.to_owned()),
                ..Workout::rest(day)
            };
        if wish.strength && !race_week {
            let words = "Legs and trunk, well within your strength";
            made.extend(slots.easy.iter().take(2).map(|day| {
                other(*day, Sport::Strength, WorkoutKind::Strength, "Strength 25 min", 25, words)
            }));
        }
        if let Some(sport) = wish.cross.filter(|_| plan.phase != Phase::Taper) {
            let runs = usize::from(slots.long.is_some()) + slots.hard.len() + slots.easy.len();
            let off = match shape.level {
                Level::Novice => 2,
                Level::Intermediate | Level::Advanced => 1,
            };
            let used =
                |day: &Day| slots.long == Some(*day) || slots.hard.contains(day) || slots.easy.contains(day);
            if 7 - runs > off
                && let Some(day) = open.iter().find(|day| !used(day))
            {
                let words = "Easy: you can talk in whole sentences";
                made.push(other(*day, sport, WorkoutKind::CrossTraining, "Easy cross-training", 40, words));
            }
        }
        made
    }
}

/// The hard part of a session.
struct Parts {
    reps: usize,
    work: Work,
    /// Seconds between two.
    recovery: f64,
}

/// One hard stretch, with the pace to hold where there is one.
#[derive(Clone, Copy)]
enum Work {
    Seconds(f64, Option<TargetRange>),
    Meters(f64, Option<TargetRange>),
}

impl Work {
    /// Kilometres and seconds of one stretch; `otherwise` is the pace where none is given.
    fn amount(self, otherwise: f64) -> (f64, f64) {
        let middle = |range: TargetRange| match (range.low, range.high) {
            (Some(low), Some(high)) => f64::midpoint(low, high),
            _ => otherwise,
        };
        match self {
            Self::Seconds(seconds, range) => (seconds / range.map_or(otherwise, middle), seconds),
            Self::Meters(meters, range) => {
                (meters / 1000.0, meters / 1000.0 * range.map_or(otherwise, middle))
            }
        }
    }

    fn step(self, effort: &str) -> Step {
        let (duration, range) = match self {
            Self::Seconds(seconds, range) => (StepDuration::Time(seconds), range),
            Self::Meters(meters, range) => (StepDuration::Distance(meters), range),
        };
        Step {
            step_type: StepType::Active,
            duration,
            target: range.map_or(StepTarget::Open, StepTarget::Pace),
            notes: Some(effort.to_owned()),
        }
    }
}

fn plain(step_type: StepType, duration: StepDuration, notes: &str) -> Step {
    Step { step_type, duration, target: StepTarget::Open, notes: Some(notes.to_owned()) }
}

/// A pace to hold, two percent to either side.
fn around(pace: f64) -> TargetRange {
    TargetRange { low: Some((pace * 0.98).round()), high: Some((pace * 1.02).round()) }
}

/// The pace of the race: hardly faster, a little slower.
fn at_race(pace: f64) -> TargetRange {
    TargetRange { low: Some((pace * 0.99).round()), high: Some((pace * 1.02).round()) }
}
