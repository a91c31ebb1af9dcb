//! Workouts of a week: which there are, how the distance is split, and on which days.

use super::absences::{self, ReturnPeriod};
use super::blackouts::TINY_WEEK_KM;
use super::paces::PlanPaces;
use super::repair::Repairs;
use super::volume::{Phase, PlanWeek, VolumeInput};
use super::weekdays::{self, AssignedDays, WeekDemand, WeekRunDays};
use super::{PlanRequest, TuneUp, is_available, single_run_limit, strength};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{Level, TrainingBaseline, Week, Workout, WorkoutKind};

/// All workouts of the plan except rest days.
pub(super) fn build_workouts(
    shape: &VolumeInput,
    wish: &PlanRequest,
    athlete: &TrainingBaseline,
    weeks: &[PlanWeek],
    mending: &Repairs,
) -> Vec<Workout> {
    let mut counts: Vec<usize> = (weeks.iter().filter(|week| week.phase != Phase::Taper))
        .map(|week| shape.runs_for(week.km, week.long_run_km))
        .collect();
    counts.sort_unstable();
    let usual_runs = counts.get(counts.len() / 2).copied().unwrap_or(shape.runs);
    let ways = absences::return_periods(wish, athlete);
    let maker = WorkoutBuilder {
        shape,
        wish,
        paces: PlanPaces::for_athlete(athlete, wish, shape),
        usual_runs,
        return_periods: &ways,
        repairs: mending,
    };
    let longs = weekdays::long_run_days(wish, weeks);
    let mut taken = AssignedDays {
        longs: longs.iter().flatten().copied().collect(),
        hard: vec![wish.race],
        runs: vec![wish.race],
    };
    taken.hard.extend(wish.tune_up.map(|tune_up| tune_up.on));
    let mut workouts = maker.lead_in(weeks.first(), athlete);
    for (number, (week, long)) in weeks.iter().zip(longs).enumerate() {
        workouts.extend(maker.week_workouts(number, week, long, weeks.len(), &mut taken));
    }
    if let Some(TuneUp { on, distance }) = wish.tune_up {
        workouts.push(maker.race_workout(on, distance, "Tune-up race"));
    }
    workouts.push(maker.race_workout(wish.race, shape.race, "Race day"));
    let whole: Vec<Week> = weeks.iter().map(|week| week.week).collect();
    strength::add(wish, &whole, |minutes, effort| maker.paces.load(minutes, effort), &mut workouts);
    absences::ease_workouts(&maker, &ways, &mut workouts);
    mending.apply_to_runs(&maker, &mut workouts);
    single_run_limit::cap_runs(&maker, athlete, &mut workouts);
    single_run_limit::cap_taper(&maker, weeks, &mut workouts);
    workouts
}

/// Kinds of hard workouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QualityKind {
    Hills,
    Tempo,
    Intervals,
    RacePace,
}

pub(super) struct WorkoutBuilder<'a> {
    pub(super) shape: &'a VolumeInput,
    pub(super) wish: &'a PlanRequest,
    pub(super) paces: PlanPaces,
    /// Median runs per week before the taper; the taper keeps them.
    pub(super) usual_runs: usize,
    /// Return periods after absences.
    pub(super) return_periods: &'a [ReturnPeriod],
    /// Adjustments from earlier attempts.
    pub(super) repairs: &'a Repairs,
}

impl WorkoutBuilder<'_> {
    /// The days before the first full week: easy, in proportion, and within what recent runs allow.
    fn lead_in(&self, first: Option<&PlanWeek>, athlete: &TrainingBaseline) -> Vec<Workout> {
        let shape = self.shape;
        let until = first.map_or(self.wish.race, |week| week.week.first);
        let week = Week::ending(until.previous());
        let open: Vec<Day> = week
            .days()
            .filter(|day| {
                *day >= self.wish.start && is_available(self.wish, *day) && Some(*day) != self.tune_up_day()
            })
            .collect();
        let usual = self.wish.availability.days.len().max(1) as f64;
        let runs = ((shape.runs * open.len()) as f64 / usual).round() as usize;
        // After a break or an illness the first week is lighter, and these days are no fuller.
        let rate = first.map_or(f64::INFINITY, |week| week.km).min(shape.base * self.usual_share());
        let most = self.allowed_km(week, athlete).min(rate * runs as f64 / shape.runs.max(1) as f64);
        let most = most * self.repairs.week_share(self.wish.start);
        let runs = runs.min((most / shape.min_small_week_run_km() + 1e-9) as usize);
        let each = shape.floor(most / runs.max(1) as f64);
        let longest = if shape.longest > 0.0 { shape.longest } else { training_norms::SHORT_RUN_KM };
        let each =
            each.min(shape.floor(longest.min(self.longest_useful()))).max(shape.min_small_week_run_km());
        let slots =
            self.week_slots(&open, None, WeekDemand { runs, hard: 0 }, &AssignedDays::default(), |_| true);
        slots
            .easy
            .iter()
            .map(|day| {
                let near = day.days_until(self.wish.race) <= 3;
                self.easy_run(*day, if near { each.min(self.final_days_km()) } else { each }, false)
            })
            .collect()
    }

    /// Share of a usual week for the days before the first full week.
    fn usual_share(&self) -> f64 {
        if self.shape.days_without_run >= training_norms::BREAK_DAYS {
            AFTER_BREAK_SHARE
        } else {
            FIRST_DAYS_SHARE
        }
    }

    /// Kilometres that R2 allows from the plan's first day to the end of that week.
    fn allowed_km(&self, week: Week, athlete: &TrainingBaseline) -> f64 {
        let before = (1..=4).filter_map(|back| athlete.week(week.plus(-back))).map(Distance::km);
        let Some(fullest) = before.reduce(f64::max).filter(|_| athlete.has_recorded_base()) else {
            return f64::INFINITY;
        };
        if fullest <= 0.0 {
            return training_norms::FIRST_WEEK_FROM_ZERO;
        }
        let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
        let most =
            (fullest * MAX_FIRST_DAYS_INCREASE).max((fullest + by).min(below) - self.shape.rounding_step);
        (most - athlete.distance_between(week.first, self.wish.start.previous()).km()).max(0.0)
    }

    /// Longest run in the last three days: well below an hour. Kilometres.
    fn final_days_km(&self) -> f64 {
        self.shape.floor(self.paces.easy.map_or(6.0, |easy| 50.0 * 60.0 / easy)).max(self.shape.min_run_km())
    }

    /// Longest run that the race requires, in kilometres.
    fn longest_useful(&self) -> f64 {
        training_norms::max_longest_run(self.shape.level, self.shape.race)
    }

    fn tune_up_day(&self) -> Option<Day> {
        self.wish.tune_up.map(|tune_up| tune_up.on)
    }

    fn week_slots(
        &self,
        open: &[Day],
        long: Option<Day>,
        want: WeekDemand,
        taken: &AssignedDays,
        barred: impl Fn(Day) -> bool,
    ) -> WeekRunDays {
        weekdays::assign_days(self.shape, self.wish, open, long, want, taken, barred)
    }

    fn week_workouts(
        &self,
        number: usize,
        plan: &PlanWeek,
        long: Option<Day>,
        count: usize,
        taken: &mut AssignedDays,
    ) -> Vec<Workout> {
        let (shape, wish) = (self.shape, self.wish);
        let race_week = number + 1 == count;
        let mut open: Vec<Day> = (plan.week.days())
            .filter(|day| is_available(wish, *day) && *day != wish.race && Some(*day) != self.tune_up_day())
            .collect();
        // Novices rest on the day before the race, if enough other days are left to keep the
        // taper's number of runs (the race counts as one).
        let enough = open.len() as f64 >= training_norms::MIN_TAPER_RUN_SHARE * self.usual_runs as f64;
        if race_week && shape.level == Level::Novice && open.len() > 2 && enough {
            open.retain(|day| *day != wish.race.previous());
        }
        let usual = self.usual_runs;
        let tune_up = wish.tune_up.filter(|tune_up| plan.week.contains(tune_up.on));
        let runs = match (race_week, tune_up) {
            // A partial race week keeps one day off.
            (true, _) if plan.week.first < wish.start => usual.min(open.len().saturating_sub(1)),
            // The race counts as a training day.
            (true, _) => usual.max(3).min(6 - training_norms::min_rest_days(shape.level)),
            (false, Some(_)) => usual - 1,
            // One more run if the usual number cannot hold the volume: long runs are short during a
            // return.
            (false, None)
                if plan.phase == Phase::Taper
                    && plan.km <= plan.long_run_km * (1.0 + 0.9 * (usual as f64 - 1.0)) =>
            {
                usual
            }
            (false, None) if plan.phase == Phase::Taper => {
                usual.max(shape.runs_for(plan.km, plan.long_run_km))
            }
            (false, None) => shape.runs_for(plan.km, plan.long_run_km),
        };
        // During a return, or with a tiny usual week, plan fewer runs rather than tiny ones.
        let (one, rest) = if long.is_some() { (1, plan.km - plan.long_run_km) } else { (0, plan.km) };
        let fit = (one + (rest / shape.min_small_week_run_km() + 1e-9) as usize).max(1);
        let runs = if plan.is_return || shape.base < TINY_WEEK_KM { runs.min(fit) } else { runs };
        let careful = |day: Day| self.return_periods.iter().any(|way| way.contains(day));
        let block = self.race_pace_block_km(plan, count - number - 1).filter(|_| !long.is_some_and(careful));
        let recipes = self.quality_kinds(plan, number, block.is_some(), tune_up.is_some());
        let last_hard = wish.race.plus_days(-4);
        let slots = self.week_slots(&open, long, WeekDemand { runs, hard: recipes.len() }, taken, |day| {
            day > last_hard || careful(day) || self.repairs.is_easy_day(day)
        });
        taken.hard.extend(&slots.hard);
        taken.runs.extend(slots.long.iter().chain(&slots.hard).chain(&slots.easy));

        let raced = tune_up.map_or(0.0, |tune_up| tune_up.distance.km());
        let long_km = if slots.long.is_some() { plan.long_run_km } else { 0.0 };
        let others = (slots.hard.len() + slots.easy.len()).max(1) as f64;
        let left = plan.km - long_km - raced;
        let least = (shape.floor(left / others)).clamp(shape.min_small_week_run_km(), shape.min_run_km());
        let even = (left.max(0.0) / others).max(least);
        let longest_other =
            if long_km > 0.0 { long_km * 0.9 } else { shape.longest.max(shape.rounding_step * 6.0) * 0.8 };
        let longest_other = longest_other.min(self.longest_useful());
        let mut made = Vec::new();
        let mut left = left;
        for (day, recipe) in slots.hard.iter().zip(&recipes) {
            let session = self.quality_workout(*day, *recipe, plan, even.min(longest_other));
            left -= session.distance.map_or(even, Distance::km);
            made.push(session);
        }
        let strides = self.strides_day(plan, &slots, made.len());
        let shares = self.split_km(left, slots.easy.len(), (least, longest_other));
        made.extend(slots.easy.iter().zip(shares).map(|(day, km)| {
            let km = if day.days_until(wish.race) <= 3 { km.min(self.final_days_km()) } else { km };
            self.easy_run(*day, km, Some(*day) == strides)
        }));
        made.extend(slots.long.map(|day| self.long_run(day, long_km, block)));
        made.extend(self.cross_training(&slots, plan, &open));
        made
    }

    /// Splits the remaining volume evenly into runs in whole rounding steps, each between the
    /// bounds.
    fn split_km(&self, km: f64, runs: usize, (least, most): (f64, f64)) -> Vec<f64> {
        let step = self.shape.rounding_step;
        let steps = (km / step + 1e-9).floor().max(0.0) as usize;
        let (each, more) = (steps / runs.max(1), steps % runs.max(1));
        let most = self.shape.floor(most);
        let share = |run: usize| (each + usize::from(run < more)) as f64 * step;
        (0..runs).map(|run| share(run).min(most).max(least)).collect()
    }

    /// The easy run that ends with strides, if the week has room for more intensity.
    fn strides_day(&self, plan: &PlanWeek, slots: &WeekRunDays, hard: usize) -> Option<Day> {
        let wanted = !self.shape.injured && (hard == 0 || plan.phase == Phase::Base || hard < 2);
        let far =
            |day: &Day| slots.long.iter().chain(&slots.hard).map(|other| other.days_until(*day).abs()).min();
        slots
            .easy
            .iter()
            .copied()
            .filter(|day| day.days_until(self.wish.race) >= 2 && wanted)
            .filter(|day| !self.return_periods.iter().any(|way| way.contains(*day)))
            .max_by_key(|day| (far(day), *day))
    }

    fn quality_kinds(&self, plan: &PlanWeek, number: usize, block: bool, tune_up: bool) -> Vec<QualityKind> {
        let shape = self.shape;
        let at_most = match shape.level {
            _ if shape.injured || tune_up || plan.is_return => 0,
            // No published evidence for fast training beyond 50 km.
            _ if shape.race > training_norms::MAX_EVIDENCE_DISTANCE => 0,
            Level::Novice => 1,
            _ if shape.is_over_sixty || shape.runs <= 3 || plan.cutback || block => 1,
            _ => 2,
        };
        let second = number % 2 == 1;
        let mut recipes = match (plan.phase, shape.class) {
            (Phase::Base, _) if shape.level == Level::Novice && (second || number < 2) => vec![],
            (Phase::Base, _) => vec![QualityKind::Hills],
            (Phase::Build, RaceClass::FiveK | RaceClass::TenK) if second => {
                vec![QualityKind::Tempo, QualityKind::Intervals]
            }
            (Phase::Build | Phase::Peak, RaceClass::FiveK) => {
                vec![QualityKind::Intervals, QualityKind::Tempo]
            }
            (Phase::Build, RaceClass::TenK) => vec![QualityKind::Intervals, QualityKind::Tempo],
            (Phase::Build, _) => vec![QualityKind::Tempo],
            (Phase::Peak, RaceClass::TenK) => vec![QualityKind::RacePace, QualityKind::Intervals],
            (Phase::Peak, RaceClass::Half) => vec![QualityKind::RacePace, QualityKind::Tempo],
            (Phase::Peak, RaceClass::Full) if block => vec![],
            (Phase::Peak, RaceClass::Full) => vec![QualityKind::Tempo],
            (Phase::Taper, _) => vec![QualityKind::RacePace],
        };
        recipes.truncate(at_most);
        recipes
    }

    /// Kilometres at race pace in a marathon plan's long run, every second week of the peak phase.
    fn race_pace_block_km(&self, plan: &PlanWeek, to_race: usize) -> Option<f64> {
        let shape = self.shape;
        let fits = shape.class == RaceClass::Full
            && shape.race <= training_norms::MAX_EVIDENCE_DISTANCE
            && plan.phase == Phase::Peak
            && !plan.cutback
            && !shape.injured
            && !plan.is_return
            && to_race % 2 == 1
            && plan.long_run_km >= 14.0;
        let (share, most) = match shape.level {
            Level::Novice => (0.28, 8.0),
            Level::Intermediate => (0.42, 14.0),
            Level::Advanced => (0.48, 18.0),
        };
        fits.then(|| shape.floor((plan.long_run_km * share).min(most)))
    }

    /// Cross-training, if requested and if enough rest days are left.
    fn cross_training(&self, slots: &WeekRunDays, plan: &PlanWeek, open: &[Day]) -> Option<Workout> {
        let sport = self.wish.cross.filter(|_| plan.phase != Phase::Taper)?;
        let runs = usize::from(slots.long.is_some()) + slots.hard.len() + slots.easy.len();
        let off = match self.shape.level {
            Level::Novice => 2,
            Level::Intermediate | Level::Advanced => 1,
        };
        let used =
            |day: &Day| slots.long == Some(*day) || slots.hard.contains(day) || slots.easy.contains(day);
        let day = open.iter().find(|day| !used(day)).filter(|_| 7 - runs > off)?;
        Some(Workout {
            sport,
            kind: WorkoutKind::CrossTraining,
            name: "Easy cross-training".to_owned(),
            duration: Some(TimeSpan::from_mins(CROSS_MINUTES)),
            load: self.paces.load(CROSS_MINUTES as f64, CROSS_LOAD_FACTOR),
            intensity: Some("Easy: you can talk in whole sentences".to_owned()),
            ..Workout::rest(*day)
        })
    }
}

/// Share of a usual week for the days before the first full week, normally and after a week or more
/// without a run.
const FIRST_DAYS_SHARE: f64 = 0.9;
const AFTER_BREAK_SHARE: f64 = 0.5;
/// Largest ratio of those days, with the runs just before them, to the biggest recent week.
const MAX_FIRST_DAYS_INCREASE: f64 = 1.05;

/// Minutes of cross-training, and its load as a share of easy running (it is not weight-bearing).
const CROSS_MINUTES: i64 = 40;
const CROSS_LOAD_FACTOR: f64 = 0.8;
