//! Tests of facts with a synthetic athlete of 150 days.

mod examples;
mod formatting;
mod plan_day;
mod properties;
mod template;

use super::*;
use crate::adherence::data_frontier::{DataFrontier, ImportCoverage};
use crate::adherence::grade::{GradedWorkout, Verdict};
use crate::domain::activity::Activity;
use crate::domain::athlete::{Profile, Threshold, ThresholdKind, ThresholdOrigin};
use crate::domain::calendar::Instant;
use crate::domain::ids::{ActivityId, PlanId, ProposalId, RaceId, WorkoutId};
use crate::domain::observation::AbsenceReason;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::wellness::{DailyWellness, Sleep};
use crate::metrics::MetricResult;
use crate::metrics::activity::{ActivityMetrics, Measures, ZoneSets, compute_activity_metrics, measure};
use crate::metrics::day::{DayInput, DayMetrics, DaySettings, compute_days};
use crate::metrics::fitness::DayLoad;
use crate::metrics::load::{AthleteThresholds, Load, RpeWithCalibration};
use crate::metrics::predict::{Prediction, PredictionInputs, RaceResult, ResultKind, predict};
use crate::metrics::thresholds::in_force::{ThresholdInForce, in_force};
use crate::plan::{GoalDistance, Plan, PlanStatus, PlannedWorkout, Workout, WorkoutKind, fixtures};
use chrono::TimeDelta;
use std::collections::BTreeMap;

/// The first day of data; the 150th is 29 June.
fn first() -> Day {
    day("2026-01-31")
}

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn frontier_through(complete: Day, open: Option<Day>) -> DataFrontier {
    DataFrontier::from_runs([ImportCoverage::new(Some(complete), open)])
}

/// A session before it is measured.
#[derive(Debug, Clone)]
struct Done {
    day: Day,
    sport: Sport,
    km: Option<f64>,
    minutes: i64,
    heart: Option<u16>,
}

/// Everything a snapshot refers to.
#[derive(Debug, Clone)]
struct World {
    today: Day,
    frontier: DataFrontier,
    done: Vec<Done>,
    wellness: Vec<DailyWellness>,
    feel: BTreeMap<Day, u8>,
    thresholds: Vec<Threshold>,
    races: Vec<PastRace>,
    plan: Option<Plan>,
    planned: Vec<PlannedWorkout>,
    graded: Vec<GradedWorkout>,
    waiting: Vec<ProposalId>,
    marked: Option<AbsenceReason>,
    profile: Profile,
}

/// What the store would hold for a world.
struct Stored {
    sessions: Vec<(ActivityId, Activity, Measures, ActivityMetrics)>,
    days: Vec<DayMetrics>,
    limits: Vec<ThresholdInForce>,
    predictions: Vec<(RaceDistance, MetricResult<Prediction>)>,
}

impl World {
    /// An athlete without data.
    fn empty() -> Self {
        Self {
            today: first().plus_days(149),
            frontier: DataFrontier::NONE,
            done: Vec::new(),
            wellness: Vec::new(),
            feel: BTreeMap::new(),
            thresholds: Vec::new(),
            races: Vec::new(),
            plan: None,
            planned: Vec::new(),
            graded: Vec::new(),
            waiting: Vec::new(),
            marked: None,
            profile: Profile::default(),
        }
    }

    /// A runner on the morning of 29 June: last night is synced, today is incomplete.
    fn runner() -> Self {
        let today = first().plus_days(149);
        let mut world = Self {
            frontier: frontier_through(today.previous(), Some(today)),
            thresholds: vec![
                threshold(ThresholdKind::ThresholdSpeed, 4.0, "2026-06-01", ThresholdOrigin::Set),
                threshold(ThresholdKind::ThresholdSpeed, 3.8, "2026-04-25", ThresholdOrigin::Set),
                threshold(ThresholdKind::ThresholdSpeed, 3.8, "2026-01-01", ThresholdOrigin::Set),
                threshold(ThresholdKind::MaxHeartRate, 189.0, "2026-01-01", ThresholdOrigin::Reported),
                threshold(ThresholdKind::SwimSpeed, 0.9, "2026-06-20", ThresholdOrigin::Estimated),
            ],
            races: vec![PastRace {
                id: RaceId::new(3),
                result: RaceResult {
                    distance: Distance::HALF_MARATHON,
                    time: TimeSpan::from_secs(6300),
                    on: Some(day("2026-05-17")),
                    effort: ResultKind::Race,
                },
            }],
            plan: Some(half_marathon()),
            planned: vec![
                session(1, "2026-06-27", "Easy 8", Some(8.0)),
                session(2, "2026-06-29", "4x1 km @ 5K pace", Some(10.0)),
            ],
            graded: vec![graded(1, "2026-06-27", Verdict::Hit), graded(2, "2026-06-29", Verdict::Pending)],
            profile: Profile { sleep_need: Some(TimeSpan::from_mins(480)), ..Profile::default() },
            ..Self::empty()
        };
        for (number, day) in (0_usize..).zip(first().through(today)) {
            // Runs of 8, 10, 6 and 16 km in a week, at 5:30.
            let week = [Some(8.0), None, Some(10.0), None, Some(6.0), Some(16.0), None];
            if let Some(km) = week[number % 7].filter(|_| day < today) {
                world.done.push(Done {
                    day,
                    sport: Sport::Running,
                    km: Some(km),
                    minutes: (km * 5.5) as i64,
                    heart: Some(141),
                });
            }
            world.feel.insert(day, [3, 4, 3, 2][number % 4]);
            world.wellness.push(DailyWellness {
                hrv_ms: Some([48.0, 55.0, 61.0, 52.0][number % 4]),
                resting_heart_rate: Some([49, 50, 51, 52, 48][number % 5]),
                sleep: Some(Sleep {
                    asleep: Some(TimeSpan::from_mins([420, 450, 480][number % 3])),
                    ..Sleep::default()
                }),
                stress_avg: Some([25, 30, 35][number % 3]),
                body_battery_high: Some([80, 90][number % 2]),
                respiration: Some(14.2),
                weight_kg: (number % 10 == 0).then_some(70.3),
                ..DailyWellness::empty(day)
            });
        }
        world
    }

    /// Computes what the store would hold.
    fn stored(&self) -> Stored {
        let sessions: Vec<_> = self.done.iter().enumerate().map(|(at, done)| self.judged(at, done)).collect();
        let wellness: BTreeMap<Day, &DailyWellness> =
            self.wellness.iter().map(|day| (day.day, day)).collect();
        let on = |day: Day| sessions.iter().filter(move |(_, activity, ..)| activity.day() == day);
        let load = |session: &(ActivityId, Activity, Measures, ActivityMetrics)| {
            (session.1.sport, session.3.load.as_ref().ok().map(Load::with_quality))
        };
        let inputs: Vec<DayInput<'_>> = first()
            .through(first().plus_days(149))
            .map(|day| DayInput {
                day,
                load: DayLoad::from_activities(on(day).map(load)),
                wellness: wellness.get(&day).copied(),
                feel: self.feel.get(&day).copied(),
                longest_run: on(day).filter_map(|(_, activity, ..)| activity.distance).max(),
            })
            .collect();
        let settings = DaySettings { sleep_need: self.profile.sleep_need };
        let days = compute_days(&inputs, self.frontier, &settings).unwrap();
        let holds = |kind: &ThresholdKind| in_force(&self.thresholds, *kind, self.today).ok();
        let limits = ThresholdKind::ALL.iter().filter_map(holds).collect();
        let results: Vec<RaceResult> = self.races.iter().map(|race| race.result).collect();
        let finish = |distance: RaceDistance| {
            let inputs = PredictionInputs {
                results: &results,
                weekly: None,
                training: None,
                sex: None,
                history: &[],
                as_of: self.today,
            };
            let target = distance.distance().or(self.plan.as_ref().and_then(|plan| plan.distance))?;
            Some((distance, predict(target, &inputs)))
        };
        let predictions = RaceDistance::ALL.iter().copied().filter_map(finish).collect();
        Stored { sessions, days, limits, predictions }
    }

    fn judged(&self, at: usize, done: &Done) -> (ActivityId, Activity, Measures, ActivityMetrics) {
        let began: Instant = format!("{}T06:00:00Z", done.day).parse().unwrap();
        let time = TimeSpan::from_mins(done.minutes);
        let activity = Activity {
            moving: Some(time),
            distance: done.km.and_then(Distance::from_km),
            avg_heart_rate: done.heart,
            ..Activity::new(done.sport, began + TimeDelta::seconds(at as i64 % 3600), 0)
        };
        let measures = measure(&activity, None, &[]);
        let limits = AthleteThresholds::for_day(done.day, &self.thresholds, None);
        let judged = compute_activity_metrics(
            &activity,
            &measures,
            &limits,
            ZoneSets::default(),
            RpeWithCalibration::default(),
        );
        (ActivityId::new(at as i64 + 1), activity, measures, judged)
    }

    fn facts(&self) -> Facts {
        self.stored().facts(self)
    }
}

impl Stored {
    fn past(&self) -> Vec<PastActivity<'_>> {
        let sessions = self.sessions.iter();
        sessions
            .map(|(id, activity, measures, judged)| PastActivity {
                id: *id,
                activity,
                measures,
                metrics: judged,
            })
            .collect()
    }

    fn facts(&self, world: &World) -> Facts {
        build_facts(&Snapshot {
            today: world.today,
            frontier: world.frontier,
            days: &self.days,
            activities: &self.past(),
            activities_from: first(),
            thresholds: &self.limits,
            predictions: &self.predictions,
            races: &world.races,
            plan: world.plan.as_ref(),
            adherence: Some(ActivePlanInput {
                workouts: &world.planned,
                graded: &world.graded,
                pending_proposals: &world.waiting,
            }),
            absence: world.marked,
            profile: &world.profile,
        })
    }
}

fn session(id: i64, on: &str, name: &str, km: Option<f64>) -> PlannedWorkout {
    PlannedWorkout {
        id: WorkoutId::new(id),
        workout: Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Easy,
            name: name.to_owned(),
            distance: km.and_then(Distance::from_km),
            ..Workout::rest(day(on))
        },
    }
}

fn graded(id: i64, on: &str, verdict: Verdict) -> GradedWorkout {
    let workout = WorkoutId::new(id);
    GradedWorkout { workout, day: day(on), verdict, planned: None, actual: None, excused: None }
}

fn threshold(kind: ThresholdKind, value: f64, from: &str, origin: ThresholdOrigin) -> Threshold {
    Threshold { kind, value, from: day(from), origin }
}

fn half_marathon() -> Plan {
    Plan {
        id: PlanId::new(7),
        name: "Autumn half".to_owned(),
        start_date: day("2026-06-01"),
        race_date: day("2026-09-08"),
        target_time: Some(TimeSpan::from_mins(102)),
        activated_at: Some("2026-05-31T08:00:00Z".parse().unwrap()),
        ..fixtures::half_marathon()
    }
}

/// Formatted value, or `—` and why it is missing.
fn facts_for(facts: &Facts, id: &str) -> String {
    match (facts.find(id), facts.missing_reason(id)) {
        (Some(fact), None) => fact.format(UnitSystem::Metric),
        (None, Some(why)) => format!("— {why}"),
        other => panic!("{id} is neither known nor missing: {other:?}"),
    }
}
