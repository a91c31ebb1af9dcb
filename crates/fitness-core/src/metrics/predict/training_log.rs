//! Extracts results and training volume for predictions from an athlete's runs.
//!
//! Everything about a day uses only that day and earlier ones, so backtests do not see future data.

use super::backtest::past_prediction;
use super::race::is_course_distance;
use super::{
    Backtest, PastPrediction, Prediction, PredictionInputs, RaceResult, RecentTraining, ResultKind,
    TrainingContext, WeeklyVolume, backtest, predict,
};
use crate::domain::athlete::Sex;
use crate::domain::calendar::Day;
use crate::domain::ids::ActivityId;
use crate::domain::units::{Distance, Pace, TimeSpan};
use crate::metrics::MetricResult;
use crate::metrics::efforts;
use crate::metrics::recovery::baseline::median;

/// Days of runs and results that a prediction uses: two years for marathons, plus ten weeks of
/// training before that.
pub const LOOK_BACK_DAYS: i64 = 800;
/// Weeks of volume used; the last ends a week before the reference day.
const WEEKS: i64 = 8;
/// Days within which a best effort must be the fastest.
const YEAR: i64 = 365;
/// Minimum heart rate of a hard effort, as a share of threshold HR.
const HARD_HR_FRACTION: f64 = 0.95;
/// A whole run below this share of threshold HR was easy. Our choice: marathons are raced at 0.88
/// to 0.95, easy runs are below 0.85.
const MIN_RACE_HR_FRACTION: f64 = 0.88;
/// Without a heart rate, a run this much faster than usual was not easy. Our choice.
const FASTER_THAN_USUAL: f64 = 1.08;
/// The usual pace is the median of these days and needs this many runs.
const USUAL_DAYS: i64 = 90;
const USUAL_RUNS: usize = 5;
/// Courses with a larger net elevation change per metre are not comparable with a race.
const MAX_NET_GRADE: f64 = 0.01;
/// Duration of efforts that are rated by heart rate.
const HR_EFFORT_DURATION: std::ops::RangeInclusive<TimeSpan> =
    TimeSpan::from_mins(20)..=TimeSpan::from_mins(60);

/// The data of a run that predictions use.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: ActivityId,
    pub day: Day,
    pub distance: Option<Distance>,
    pub time: Option<TimeSpan>,
    /// Best efforts over standard distances.
    pub efforts: Vec<efforts::BestEffort>,
    /// The athlete's threshold heart rate on that day.
    pub threshold_heart_rate: Option<f64>,
}

/// An athlete's runs and race results.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingLog {
    /// Every run, in any order.
    pub runs: Vec<Run>,
    /// Results confirmed or entered by the athlete.
    pub races: Vec<RaceResult>,
    /// The first day with data.
    pub first_day: Day,
    /// The last complete day.
    pub complete_through: Day,
    pub sex: Option<Sex>,
}

impl TrainingLog {
    /// Races, and hard training efforts: the fastest of a year over their distance, on a course
    /// with a net elevation change below 1 % (if known). Hard means at least 95 % of threshold HR
    /// over 20 to 60 minutes; if the effort is the whole run, also 88 % over any duration or,
    /// without heart rate, a pace 8 % faster than the median run of the 90 days before.
    #[must_use]
    pub fn results(&self) -> Vec<RaceResult> {
        let mut results = self.races.clone();
        results.extend(self.efforts(|run, effort, before| {
            let whole = run.is_whole_run(effort) && run.is_not_easy(effort, before);
            run.is_hard(effort) || whole
        }));
        results
    }

    /// Runs that may have been races, for the athlete to confirm: whole runs over a race distance
    /// in the fastest time of a year, hard or not.
    #[must_use]
    pub fn likely_races(&self) -> Vec<RaceResult> {
        let found = self.efforts(|run, effort, _| run.is_whole_run(effort));
        // A time beaten within a year, before or after, was probably not a race.
        let beaten = |one: &RaceResult| {
            self.races.iter().chain(&found).any(|other| {
                let near = other.on.zip(one.on).is_some_and(|(a, b)| a.days_until(b).abs() < YEAR);
                near && other.distance == one.distance && other.time < one.time
            })
        };
        found.iter().filter(|one| !beaten(one)).copied().collect()
    }

    /// Efforts that were the fastest of a year, on a flat course, not on a race day, and for which
    /// `holds` is true given the earlier runs.
    fn efforts(&self, holds: impl Fn(&Run, &efforts::BestEffort, &[&Run]) -> bool) -> Vec<RaceResult> {
        let mut runs: Vec<&Run> = self.runs.iter().collect();
        runs.sort_by_key(|run| run.day);
        let mut found = Vec::new();
        let raced = |day: Day| self.races.iter().any(|race| race.on == Some(day));
        for (number, run) in runs.iter().enumerate() {
            if raced(run.day) {
                continue;
            }
            let before = &runs[..number];
            let year = before.iter().rev().take_while(|earlier| earlier.day.days_until(run.day) < YEAR);
            for effort in &run.efforts {
                let faster = |earlier: &&Run| {
                    let same = earlier.efforts.iter().find(|other| other.distance == effort.distance);
                    same.is_some_and(|other| other.time <= effort.time)
                };
                let level = effort.net_grade.is_none_or(|grade| grade.abs() < MAX_NET_GRADE);
                if level && holds(run, effort, before) && !year.clone().any(faster) {
                    found.push(RaceResult {
                        distance: effort.distance,
                        time: effort.time,
                        on: Some(run.day),
                        effort: ResultKind::Training,
                    });
                }
            }
        }
        found
    }

    /// Predicts a finish from the results and training up to a day, including the personal
    /// correction.
    ///
    /// # Errors
    /// As [`predict`].
    pub fn predict(&self, target: Distance, as_of: Day) -> MetricResult<Prediction> {
        self.predict_at(target, as_of, None)
    }

    /// Like [`predict`](Self::predict) with another weekly distance; results, personal correction
    /// and training pace stay as measured.
    ///
    /// # Errors
    /// As [`predict`].
    pub fn predict_at(
        &self,
        target: Distance,
        as_of: Day,
        told: Option<Distance>,
    ) -> MetricResult<Prediction> {
        let results = self.results();
        let history: Vec<PastPrediction> = self
            .backtest()
            .events
            .iter()
            .filter(|event| event.on <= as_of)
            .filter_map(past_prediction)
            .collect();
        let TrainingContext { weekly, training, sex } = self.context_at(as_of, told);
        predict(
            target,
            &PredictionInputs { results: &results, weekly, training, sex, history: &history, as_of },
        )
    }

    /// Predictions as of several days, each from the [`LOOK_BACK_DAYS`] before it only.
    #[must_use]
    pub fn predict_on(&self, target: Distance, days: &[Day]) -> Vec<(Day, MetricResult<Prediction>)> {
        let seen = |day: &Day| {
            let from = day.plus_days(-LOOK_BACK_DAYS);
            let log = Self {
                runs: self.runs.iter().filter(|run| (from..=*day).contains(&run.day)).cloned().collect(),
                races: self
                    .races
                    .iter()
                    .filter(|race| race.on.is_none_or(|on| on <= *day))
                    .copied()
                    .collect(),
                first_day: self.first_day.max(from),
                complete_through: self.complete_through.min(*day),
                sex: self.sex,
            };
            (*day, log.predict(target, *day))
        };
        days.iter().map(seen).collect()
    }

    /// The reference day: the last complete one, or the day of a later result.
    #[must_use]
    pub fn latest(&self, today: Day) -> Day {
        let told = self.races.iter().filter_map(|race| race.on).filter(|day| *day <= today).max();
        self.complete_through.min(today).max(told.unwrap_or(self.complete_through.min(today)))
    }

    /// Backtest over all past races.
    #[must_use]
    pub fn backtest(&self) -> Backtest {
        backtest(&self.results(), |day| self.context(day))
    }

    /// Training data at the end of a day, optionally with a weekly distance entered by the athlete.
    #[must_use]
    pub fn context_at(&self, on: Day, told: Option<Distance>) -> TrainingContext {
        let measured = self.context(on);
        let Some(distance) = told else { return measured };
        TrainingContext {
            weekly: Some(WeeklyVolume { distance, weeks: None }),
            training: measured.training.map(|training| RecentTraining { weekly: distance, ..training }),
            ..measured
        }
    }

    /// Training data at the end of a day.
    #[must_use]
    pub fn context(&self, on: Day) -> TrainingContext {
        let known = self.complete_through.min(on);
        // Whole weeks, the last ending a week before the day, within the data.
        let weeks: Vec<(Day, Day)> = (1..=WEEKS)
            .map(|week| (on.plus_days(-7 * (week + 1)), on.plus_days(-7 * week - 1)))
            .filter(|(from, through)| *from >= self.first_day && *through <= known)
            .collect();
        let within = |day: Day| weeks.iter().any(|(from, through)| (*from..=*through).contains(&day));
        let runs = self.runs.iter().filter(|run| within(run.day));
        let (mut all, mut timed, mut time) = (0_i64, 0_i64, TimeSpan::ZERO);
        for run in runs {
            let Some(distance) = run.distance else { continue };
            all += distance.mm();
            if let Some(took) = run.time {
                timed += distance.mm();
                time += took;
            }
        }
        let count = weeks.len() as i64;
        if count == 0 {
            return TrainingContext { sex: self.sex, ..TrainingContext::default() };
        }
        let weekly = Distance::from_mm(all / count);
        let weeks = weeks.len() as u32;
        let pace = Pace::from_seconds_per_km(time.seconds() / Distance::from_mm(timed).km());
        TrainingContext {
            weekly: Some(WeeklyVolume { distance: weekly, weeks: Some(weeks) }),
            training: pace.map(|pace| RecentTraining { weeks, weekly, pace }),
            sex: self.sex,
        }
    }
}

impl Run {
    /// Whether the whole run was the distance of an effort within it.
    fn is_whole_run(&self, effort: &efforts::BestEffort) -> bool {
        self.distance.is_some_and(|distance| is_course_distance(distance, effort.distance))
    }

    /// Heart rate as a share of threshold HR.
    fn hr_fraction(&self, effort: &efforts::BestEffort) -> Option<f64> {
        effort.heart_rate.zip(self.threshold_heart_rate).map(|(heart, threshold)| heart / threshold)
    }

    /// Whether the effort was hard by heart rate.
    fn is_hard(&self, effort: &efforts::BestEffort) -> bool {
        HR_EFFORT_DURATION.contains(&effort.time)
            && self.hr_fraction(effort).is_some_and(|strain| strain >= HARD_HR_FRACTION)
    }

    /// Whether the effort was at least not easy: by heart rate, else by the pace of earlier runs.
    fn is_not_easy(&self, effort: &efforts::BestEffort, before: &[&Self]) -> bool {
        if let Some(strain) = self.hr_fraction(effort) {
            return strain >= MIN_RACE_HR_FRACTION;
        }
        let lately = before.iter().rev().take_while(|earlier| earlier.day.days_until(self.day) <= USUAL_DAYS);
        let speeds: Vec<f64> = lately
            .filter_map(|run| {
                Some(run.distance?.meters() / run.time.filter(|time| *time > TimeSpan::ZERO)?.seconds())
            })
            .collect();
        let usual = median(&speeds).filter(|_| speeds.len() >= USUAL_RUNS);
        usual.is_some_and(|usual| {
            effort.distance.meters() >= FASTER_THAN_USUAL * usual * effort.time.seconds()
        })
    }
}

/// The race distance that a recorded distance matches: within 0.98 and 1.05 of 5 km, 10 km, a half
/// or a full marathon.
#[must_use]
pub fn official_distance(recorded: Distance) -> Option<Distance> {
    [Distance::from_mm(5_000_000), Distance::from_mm(10_000_000), Distance::HALF_MARATHON, Distance::MARATHON]
        .into_iter()
        .find(|course| is_course_distance(recorded, *course))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i64) -> Day {
        "2026-01-01".parse::<Day>().unwrap().plus_days(number)
    }

    fn km(km: f64) -> Distance {
        Distance::from_km(km).unwrap()
    }

    fn effort(distance: f64, minutes: i64, heart_rate: f64) -> efforts::BestEffort {
        let heart_rate = Some(heart_rate);
        efforts::BestEffort {
            distance: km(distance),
            start: TimeSpan::ZERO,
            time: TimeSpan::from_mins(minutes),
            heart_rate,
            net_grade: None,
        }
    }

    fn run(number: i64, distance: f64, minutes: i64, efforts: &[efforts::BestEffort]) -> Run {
        Run {
            id: ActivityId::new(number + 1),
            day: day(number),
            distance: Some(km(distance)),
            time: Some(TimeSpan::from_mins(minutes)),
            efforts: efforts.to_vec(),
            threshold_heart_rate: Some(170.0),
        }
    }

    fn log(runs: &[Run], races: &[RaceResult]) -> TrainingLog {
        TrainingLog {
            runs: runs.to_vec(),
            races: races.to_vec(),
            first_day: day(0),
            complete_through: day(400),
            sex: None,
        }
    }

    #[test]
    fn hard_efforts_and_whole_distances_are_results_and_easy_ones_are_not() {
        let (hard, easy, whole, slower) = (
            [effort(5.0, 21, 165.0)],
            [effort(5.0, 20, 140.0)],
            [effort(10.0, 45, 152.0)],
            [effort(5.0, 22, 168.0)],
        );
        let runs = [
            run(1, 12.0, 60, &hard),
            run(2, 14.0, 70, &easy),
            run(3, 10.1, 46, &whole),
            run(4, 9.0, 40, &slower),
        ];
        let found: Vec<(Option<Day>, Distance)> =
            log(&runs, &[]).results().into_iter().map(|result| (result.on, result.distance)).collect();
        assert_eq!(found, [(Some(day(1)), km(5.0)), (Some(day(3)), km(10.0))]);
        // An easy run over a race distance is not a result, but a likely race to ask about.
        let jog = [run(3, 10.1, 60, &[effort(10.0, 59, 140.0)])];
        assert_eq!(log(&jog, &[]).results(), []);
        assert_eq!(log(&jog, &[]).likely_races().len(), 1);
        // Neither are hard runs downhill or uphill; 9 m per kilometre count as flat.
        for (grade, count) in [(-0.012, 0), (0.01, 0), (0.009, 1), (-0.0099, 1)] {
            let sloped = efforts::BestEffort { net_grade: Some(grade), ..hard[0] };
            assert_eq!(log(&[run(1, 12.0, 60, &[sloped])], &[]).results().len(), count, "{grade}");
        }
        // Without a heart rate it takes a pace that is 8 % faster than usual.
        let unmeasured = |minutes| efforts::BestEffort { heart_rate: None, ..effort(10.0, minutes, 0.0) };
        let usual = |runs: i64| (0..runs).map(|number| run(number, 8.0, 48, &[])).collect::<Vec<_>>();
        for (minutes, earlier, count) in [(55, 5, 1), (56, 5, 0), (55, 4, 0)] {
            let runs = [usual(earlier), vec![run(10, 10.1, minutes, &[unmeasured(minutes)])]].concat();
            assert_eq!(log(&runs, &[]).results().len(), count, "{minutes} after {earlier}");
        }
        // After a year an old best no longer counts.
        let later = [run(1, 12.0, 60, &hard), run(366, 9.0, 40, &slower)];
        assert_eq!(log(&later, &[]).results().len(), 2);
        // A race day has one result.
        let raced = RaceResult {
            distance: km(5.0),
            time: TimeSpan::from_mins(20),
            on: Some(day(1)),
            effort: ResultKind::Race,
        };
        assert_eq!(log(&runs[..1], &[raced]).results(), [raced]);
    }

    #[test]
    fn the_week_is_the_mean_of_eight_that_end_a_week_before() {
        let runs: Vec<Run> = (0..100).map(|number| run(number, 7.0, 35, &[])).collect();
        let told = log(&runs, &[]);
        let context = told.context(day(90));
        assert_eq!(context.weekly, Some(WeeklyVolume { distance: km(49.0), weeks: Some(8) }));
        assert_eq!(context.training.unwrap().pace.seconds_per_km(), 300.0);
        // At the beginning there are fewer weeks, and before the first none.
        assert_eq!(told.context(day(30)).weekly.unwrap().weeks, Some(3));
        assert_eq!(told.context(day(5)).weekly, None);
        // Days without synced data are not rest days.
        let behind = TrainingLog { complete_through: day(60), ..told.clone() };
        assert_eq!(behind.context(day(90)).weekly, Some(WeeklyVolume { distance: km(49.0), weeks: Some(4) }));
        // The last week does not count, and nothing after the day does.
        let more: Vec<Run> = (0..100).map(|n| run(n, if n > 82 { 70.0 } else { 7.0 }, 35, &[])).collect();
        assert_eq!(log(&more, &[]).context(day(90)).weekly, context.weekly);
    }

    #[test]
    fn entered_weekly_distance_keeps_measured_pace() {
        let runs: Vec<Run> = (0..100).map(|number| run(number, 7.0, 35, &[])).collect();
        let raced = RaceResult {
            distance: Distance::HALF_MARATHON,
            time: TimeSpan::from_mins(105),
            on: Some(day(80)),
            effort: ResultKind::Race,
        };
        let told = log(&runs, &[raced]);
        let context = told.context_at(day(90), Some(km(60.0)));
        assert_eq!(context.weekly, Some(WeeklyVolume { distance: km(60.0), weeks: None }));
        let training = context.training.unwrap();
        assert_eq!((training.weekly, training.pace.seconds_per_km()), (km(60.0), 300.0));
        assert_eq!(told.context_at(day(90), None), told.context(day(90)));
        let prediction = told.predict_at(Distance::MARATHON, day(90), Some(km(60.0))).unwrap();
        assert!(
            prediction.members.iter().any(|member| member.method == super::super::PredictionMethod::Tanda)
        );
        let basis = prediction.basis(crate::domain::units::UnitSystem::Metric);
        assert!(
            basis.contains("the 60.0 km a week you entered, at the 5:00 /km of your last 8 weeks"),
            "{basis}"
        );
    }

    #[test]
    fn official_distance_tolerates_gps_error() {
        assert_eq!(official_distance(km(21.3)), Some(Distance::HALF_MARATHON));
        assert_eq!(official_distance(km(41.5)), Some(Distance::MARATHON));
        assert_eq!(official_distance(km(5.24)), Some(km(5.0)));
        assert_eq!(official_distance(km(15.0)), None);
        assert_eq!(official_distance(Distance::ZERO), None);
    }
}
