//! Data of the charts.

use crate::http::error::PageError;
use crate::page::PageContext;
use chrono::Datelike as _;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::metrics::MetricResult;
use fitness_core::metrics::fitness::{FITNESS_DAYS, shown_form};
use fitness_core::metrics::predict::{LOOK_BACK_DAYS, Prediction};
use fitness_core::metrics::trajectory::Point;
use fitness_core::metrics::{MissingReason, RequiredInput};
use fitness_core::plan::GoalDistance;
use fitness_core::string_enum;
use fitness_store::training::activity_search::ActivityTotals;
use std::collections::BTreeMap;

/// The period one point of a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeriodLength {
    Day,
    Week,
    Month,
    Quarter,
}

impl PeriodLength {
    /// The first day of the period a day is in.
    pub(super) fn period_start(self, day: Day) -> Day {
        match self {
            Self::Day => day,
            Self::Week => day.iso_week().monday(),
            Self::Month => day.plus_days(1 - i64::from(day.date().day())),
            Self::Quarter => {
                let month = day.date().month0() / 3 * 3 + 1;
                Day::new(day.date().year(), month, 1).unwrap_or(day)
            }
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from: Day,
    /// The last day with data, complete or not.
    pub(super) through: Day,
    /// The last complete day.
    pub(super) complete: Day,
    /// The first day with data.
    first_data: Day,
    is_daily: bool,
}

impl Span {
    /// The last `back` days of data, all with `None`. No span without data.
    pub(super) async fn load(view: &PageContext, back: Option<i64>) -> Result<Option<Self>, PageError> {
        let frontier = view.freshness.frontier;
        let Some(complete) = frontier.complete_through().map(|day| day.min(view.today)) else {
            return Ok(None);
        };
        let through = frontier.open_day().map_or(complete, |open| open.min(view.today).max(complete));
        let Some(first) = view.store().first_data_day(view.user()).await? else { return Ok(None) };
        let from = back.map_or(first, |days| through.plus_days(1 - days));
        Ok(Some(Self { from: from.min(through), through, complete, first_data: first, is_daily: false }))
    }

    /// The same span with one point per day, for CSV.
    pub(super) const fn daily(mut self) -> Self {
        self.is_daily = true;
        self
    }

    /// The period per point: one day up to `most` days.
    fn step(&self, most: i64) -> PeriodLength {
        match self.from.days_until(self.through) {
            _ if self.is_daily => PeriodLength::Day,
            days if days <= most => PeriodLength::Day,
            days if days <= 900 => PeriodLength::Week,
            _ => PeriodLength::Month,
        }
    }

    /// The period per point of a small chart.
    pub(super) fn small_step(&self) -> PeriodLength {
        match self.step(45) {
            PeriodLength::Month if self.from.days_until(self.through) > 2000 => PeriodLength::Quarter,
            step => step,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FitnessPoint {
    /// The last day of the period.
    pub(super) day: Day,
    /// Sum over the period.
    pub(super) load: f64,
    pub(super) fitness: Option<f64>,
    pub(super) fatigue: Option<f64>,
    pub(super) form: f64,
    /// Form as the difference of the fitness and fatigue shown for the evening before.
    pub(super) shown_form: f64,
}

/// Fitness, fatigue and form, and the projection of the plan.
#[derive(Debug)]
pub(super) struct FitnessSeries {
    pub(super) span: Span,
    pub(super) step: PeriodLength,
    pub(super) points: Vec<FitnessPoint>,
    /// Training days and their load.
    pub(super) trained: Vec<(Day, f64)>,
    /// Projection if the plan is followed, through the day before the race.
    pub(super) trajectory: Vec<Point>,
    /// Race day of the active plan.
    pub(super) race: Option<Day>,
    /// Whether there is enough history to name a form band.
    pub(super) has_settled: bool,
    /// The last day with evening values. The last point of a week may be a later day.
    pub(super) last_evening: Option<Day>,
}

impl FitnessSeries {
    pub(super) async fn load(view: &PageContext, span: Span) -> Result<Self, PageError> {
        let (store, user) = (view.store(), view.user());
        let days = store.list_fitness_points(user, span.from, span.through).await?;
        let step = span.step(190);
        let mut points: Vec<FitnessPoint> = Vec::new();
        for (at, line) in days.iter().enumerate() {
            let evening = at.checked_sub(1).and_then(|before| days.get(before));
            let evening = evening.filter(|evening| evening.day.next() == line.day);
            let values = evening.and_then(|evening| evening.fitness.zip(evening.fatigue));
            let next = FitnessPoint {
                day: line.day,
                load: line.load.unwrap_or_default(),
                fitness: line.fitness,
                fatigue: line.fatigue,
                form: line.form,
                shown_form: values.map_or(line.form, |(fitness, fatigue)| shown_form(fitness, fatigue)),
            };
            match points.last_mut() {
                Some(last) if step.period_start(last.day) == step.period_start(line.day) => {
                    let (load, fitness, fatigue) = (last.load, last.fitness, last.fatigue);
                    *last = FitnessPoint {
                        load: load + next.load,
                        // The current day has no evening values yet.
                        fitness: next.fitness.or(fitness),
                        fatigue: next.fatigue.or(fatigue),
                        ..next
                    };
                }
                _ => points.push(next),
            }
        }
        let trained = days.iter().filter_map(|line| Some((line.day, line.load.filter(|load| *load > 0.0)?)));
        let trained = trained.collect();
        let last_evening = days.iter().rfind(|line| line.fitness.is_some()).map(|line| line.day);
        let first = store.first_data_day(user).await?;
        let learned = first.is_some_and(|first| first.days_until(span.complete) >= i64::from(FITNESS_DAYS));
        let (mut ahead, mut race) = (Vec::new(), None);
        if let Some(plan) = store.find_active_plan(user).await?
            && let Ok(outlook) = store.plan_trajectory(user, plan.id).await?
        {
            race = Some(outlook.race_day);
            ahead = outlook.as_written.map(|line| line.points).unwrap_or_default();
        }
        Ok(Self { span, step, points, trained, trajectory: ahead, race, has_settled: learned, last_evening })
    }

    /// The last point, whose form is a morning value.
    pub(super) fn morning(&self) -> Option<&FitnessPoint> {
        self.points.last()
    }

    /// The last point with evening values.
    pub(super) fn last(&self) -> Option<&FitnessPoint> {
        self.points.iter().rfind(|point| point.fitness.is_some())
    }
}

string_enum! {
    /// What the volume chart adds up.
    #[derive(Default)]
    pub(super) enum Measure("measure") {
        #[default]
        Distance = "distance",
        Time = "time",
        Load = "load",
    }
}

impl Measure {
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Distance => "Distance",
            Self::Time => "Time",
            Self::Load => "Load",
        }
    }
}

/// Totals by week or month.
#[derive(Debug)]
pub(super) struct Volume {
    pub(super) measure: Measure,
    pub(super) step: PeriodLength,
    /// The sport whose distance is added up: distances of different sports do not compare.
    pub(super) sport: Sport,
    /// First day and totals of each period.
    pub(super) sums: Vec<(Day, ActivityTotals)>,
    /// First day of the current period.
    pub(super) open_period: Day,
}

impl Volume {
    pub(super) async fn load(view: &PageContext, span: Span, measure: Measure) -> Result<Self, PageError> {
        let step = if span.from.days_until(span.through) <= 900 || span.is_daily {
            PeriodLength::Week
        } else {
            PeriodLength::Month
        };
        let from = step.period_start(span.from);
        let days = view.store().list_day_totals(view.user(), from, span.through).await?;
        let mut by_sport: BTreeMap<Sport, TimeSpan> = BTreeMap::new();
        for (_, sport, totals) in days.iter().filter(|(.., totals)| totals.distance > Distance::ZERO) {
            *by_sport.entry(*sport).or_default() += totals.time;
        }
        let most = by_sport.into_iter().max_by_key(|(_, time)| *time);
        let sport = most.map_or(Sport::Running, |(sport, _)| sport);
        let mut sums: BTreeMap<Day, ActivityTotals> = BTreeMap::new();
        for day in from.through(span.through) {
            sums.entry(step.period_start(day)).or_default();
        }
        for (day, of, totals) in days {
            let sum = sums.entry(step.period_start(day)).or_default();
            sum.count += totals.count;
            sum.time += totals.time;
            sum.load += totals.load;
            if of == sport {
                sum.distance += totals.distance;
            }
        }
        let open = step.period_start(span.complete.next());
        Ok(Self { measure, step, sport, sums: sums.into_iter().collect(), open_period: open })
    }

    pub(super) fn value(&self, totals: &ActivityTotals, units: UnitSystem) -> f64 {
        match self.measure {
            Measure::Distance if self.sport == Sport::Swimming => totals.distance.meters(),
            Measure::Distance if units == UnitSystem::Imperial => totals.distance.miles(),
            Measure::Distance => totals.distance.km(),
            Measure::Time => totals.time.seconds() / 3600.0,
            Measure::Load => totals.load,
        }
    }

    pub(super) fn format_value(&self, totals: &ActivityTotals, units: UnitSystem) -> String {
        match self.measure {
            Measure::Distance => units.format_distance_for(self.sport, totals.distance).to_string(),
            Measure::Time => totals.time.format_hours_minutes(),
            Measure::Load => format!("load {:.0}", totals.load),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BestEffort {
    pub(super) distance: Distance,
    pub(super) time: TimeSpan,
    pub(super) day: Day,
    pub(super) activity: ActivityId,
}

/// The predicted finish over time.
#[derive(Debug)]
pub(super) struct PredictionHistory {
    pub(super) target: Distance,
    pub(super) history: Vec<(Day, MetricResult<Prediction>)>,
}

const MAX_PREDICTIONS: i64 = 13;

impl BestEffort {
    /// Fastest times and predictions of a span; both read the same runs.
    pub(super) async fn load(
        view: &PageContext,
        span: Span,
    ) -> Result<(Vec<Self>, PredictionHistory), PageError> {
        let (store, user) = (view.store(), view.user());
        let log = store.training_log(user, span.from.plus_days(-LOOK_BACK_DAYS)).await?;
        let plan = store.find_active_plan(user).await?;
        let target =
            plan.and_then(|plan| plan.distance).or(GoalDistance::TenK.distance()).unwrap_or_default();
        let mut best: BTreeMap<Distance, Self> = BTreeMap::new();
        let runs =
            log.iter().flat_map(|log| &log.runs).filter(|run| (span.from..=span.through).contains(&run.day));
        for run in runs {
            for effort in &run.efforts {
                let one =
                    Self { distance: effort.distance, time: effort.time, day: run.day, activity: run.id };
                let standing = best.entry(effort.distance).or_insert(one);
                if one.time < standing.time {
                    *standing = one;
                }
            }
        }
        let seen = log.map(|log| {
            let last = log.latest(view.today);
            let days = span.from.days_until(last).max(0);
            let every = (days / MAX_PREDICTIONS).max(1);
            let mut seen_from: Vec<Day> =
                (0..=days / every).map(|back| last.plus_days(-back * every)).collect();
            seen_from.reverse();
            log.predict_on(target, &seen_from)
        });
        let seen = seen.unwrap_or_default();
        Ok((best.into_values().collect(), PredictionHistory { target, history: seen }))
    }
}

impl PredictionHistory {
    pub(super) fn name(&self, units: UnitSystem) -> String {
        let goal = GoalDistance::ALL.iter().find(|goal| goal.distance() == Some(self.target));
        goal.map_or_else(|| units.distance_name(self.target), |goal| goal.label().to_owned())
    }

    pub(super) fn missing_reason(&self) -> String {
        let last = self.history.iter().rev().find_map(|(_, found)| found.as_ref().err());
        last.cloned().unwrap_or(MissingReason::missing(RequiredInput::RaceOf5Km)).to_string()
    }
}

/// Training minutes by day for a year.
#[derive(Debug)]
pub(super) struct YearHeatmap {
    pub(super) from: Day,
    pub(super) through: Day,
    pub(super) minutes: BTreeMap<Day, f64>,
    /// First and last day with complete data.
    pub(super) known: (Day, Day),
}

impl YearHeatmap {
    /// `None` for days without data.
    pub(super) fn minutes_on(&self, day: Day) -> Option<f64> {
        let (first, last) = self.known;
        self.minutes.get(&day).copied().or_else(|| (first..=last).contains(&day).then_some(0.0))
    }
}

/// The 53 weeks up to the last day with data.
pub(super) async fn load_year(view: &PageContext, span: Span) -> Result<YearHeatmap, PageError> {
    let from = span.through.iso_week().monday().plus_days(-52 * 7);
    let mut minutes: BTreeMap<Day, f64> = BTreeMap::new();
    for (day, _, totals) in view.store().list_day_totals(view.user(), from, span.through).await? {
        *minutes.entry(day).or_default() += totals.time.seconds() / 60.0;
    }
    Ok(YearHeatmap { from, through: span.through, minutes, known: (span.first_data, span.complete) })
}
