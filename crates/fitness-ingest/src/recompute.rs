//! Computes metrics: first measures of new recordings, then loads and daily metrics from the first
//! changed day on.
//!
//! The store records from which day on metrics are stale, so this can be interrupted and resumed at
//! any time. If data changes meanwhile, it starts again.

use crate::Error;
use crate::import::StopSignal;
use fitness_core::adherence::data_frontier::DataFrontier;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::observation::{Observation, ObservationKind};
use fitness_core::metrics::activity::measure;
use fitness_core::metrics::day::CONTEXT_DAYS;
use fitness_core::metrics::pipeline::{
    ActivityInput, ActivityLoad, Athlete, MEASURES_VERSION, PipelineInput, PriorState, rpe_and_load,
    run_pipeline, threshold_evidence,
};
use fitness_core::metrics::predict::Performance;
use fitness_core::metrics::thresholds::detect::{DatedThresholdEvidence, LOOKBACK_DAYS, ThresholdEvidence};
use fitness_store::{ComputedMetrics, MeasuredActivity, RecomputeState, Store, UnmeasuredActivity};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// Recordings per batch: enough for all cores, few enough for memory.
const MEASURE_BATCH_SIZE: usize = 48;
/// Maximum number of restarts because of concurrent changes.
const RETRY_LIMIT: usize = 20;

/// Two centuries, more than any data.
const UNBOUNDED_DAYS: i64 = 73_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct RecomputeCounts {
    pub measured: u64,
    /// Activities whose metrics were computed.
    pub judged: u64,
    /// Days whose metrics were computed.
    pub days: u64,
}

/// Recomputes stale metrics. `progress` gets the number of recordings measured so far.
pub async fn recompute(
    store: &Store,
    user: UserId,
    progress: &mut (dyn FnMut(u64) + Send),
    stop: &StopSignal,
) -> Result<RecomputeCounts, Error> {
    let mut done = RecomputeCounts::default();
    for _ in 0..RETRY_LIMIT {
        let seen = store.recompute_state(user).await?;
        if !measure_new(store, user, seen, &mut done, progress, stop).await? {
            continue;
        }
        if stop.is_stopped() {
            return Ok(done);
        }
        let stale = store.recompute_state(user).await?;
        // Data stored meanwhile may have new recordings.
        if !stale.has_same_inputs_as(&seen) {
            continue;
        }
        let frontier = store.frontier(user).await?;
        let Some(begin) = find_start(store, user, stale, frontier).await? else { return Ok(done) };
        let derived = compute_metrics(store, user, begin, frontier).await?;
        let (judged, days) = (derived.activity_metrics.len() as u64, derived.days.len() as u64);
        if store.put_computed_metrics(user, stale, derived).await? {
            (done.judged, done.days) = (judged, days);
            return Ok(done);
        }
    }
    Err(Error::Store(fitness_store::Error::Busy))
}

/// Measures new recordings. Returns `false` if data changed meanwhile.
async fn measure_new(
    store: &Store,
    user: UserId,
    stale: RecomputeState,
    done: &mut RecomputeCounts,
    progress: &mut (dyn FnMut(u64) + Send),
    stop: &StopSignal,
) -> Result<bool, Error> {
    for some in store.list_unmeasured(user, MEASURES_VERSION).await?.chunks(MEASURE_BATCH_SIZE) {
        if stop.is_stopped() {
            break;
        }
        let new = store.read_unmeasured(user, some).await?;
        if new.is_empty() {
            continue;
        }
        let count = new.len() as u64;
        let measured = tokio::task::spawn_blocking(move || new.par_iter().map(measure_activity).collect())
            .await
            .expect("measuring does not panic");
        if !store.put_measures(user, MEASURES_VERSION, stale, measured).await? {
            return Ok(false);
        }
        done.measured += count;
        progress(done.measured);
    }
    Ok(true)
}

fn measure_activity(
    new: &UnmeasuredActivity,
) -> (ActivityId, Day, fitness_core::metrics::activity::Measures, Vec<ThresholdEvidence>) {
    let (recording, lengths) = new.unpack();
    let measures = measure(&new.activity, recording.as_ref(), &lengths);
    let clues = threshold_evidence(&new.activity, &measures);
    (new.id, new.activity.day(), measures, clues)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecomputeStart {
    /// At the first day with data.
    First,
    /// At a day, continuing from the state of the day before.
    On(Day),
}

/// Where to start; `None` if nothing is stale.
async fn find_start(
    store: &Store,
    user: UserId,
    stale: RecomputeState,
    frontier: DataFrontier,
) -> Result<Option<RecomputeStart>, Error> {
    let Some(next) = stale.computed_through.map(Day::next) else {
        let something = stale.stale_from.is_some() || frontier.complete_through().is_some();
        return Ok(something.then_some(RecomputeStart::First));
    };
    if let Some(changed) = stale.stale_from {
        return Ok(Some(RecomputeStart::On(changed.min(next))));
    }
    let new_day = frontier.complete_through().is_some_and(|complete| complete >= next);
    let new_morning = match frontier.open_day() {
        Some(open) => store.list_day_metrics(user, open, open).await?.is_empty(),
        None => false,
    };
    Ok((new_day || new_morning).then_some(RecomputeStart::On(next)))
}

/// Computes everything from a day on.
async fn compute_metrics(
    store: &Store,
    user: UserId,
    begin: RecomputeStart,
    frontier: DataFrontier,
) -> Result<ComputedMetrics, Error> {
    let Some(first) = store.first_data_day(user).await? else { return Ok(ComputedMetrics::default()) };
    let state = match begin {
        RecomputeStart::On(day) if day > first => store.find_day_state(user, day.previous()).await?,
        RecomputeStart::On(_) | RecomputeStart::First => None,
    };
    let begin = state.map_or(first, |state| state.day.next());
    let measured = store.list_measured(user, begin).await?;
    let reach = frontier.open_day().or(frontier.complete_through());
    let last = measured.last().map(|last| last.activity.day()).max(reach).unwrap_or(begin);
    let context = begin.plus_days(-(CONTEXT_DAYS as i64));

    let profile = store.profile(user).await?;
    let (detected, thresholds): (Vec<_>, Vec<_>) = (store.list_thresholds(user).await?.into_iter())
        .partition(|threshold| threshold.origin == ThresholdOrigin::Estimated);
    let zones = store.list_zones(user).await?;
    let races: Vec<DatedThresholdEvidence> = (store.list_races(user).await?.into_iter())
        .filter(|race| Performance::new(race.result.distance, race.result.time).is_ok())
        .map(|race| DatedThresholdEvidence {
            day: race.result.day,
            evidence: ThresholdEvidence::Run { distance: race.result.distance, time: race.result.time },
        })
        .collect();
    let wellness = store.list_wellness(user, context, last).await?;
    // Of any day: a rating keeps its day when its activity moves.
    let observations = store
        .list_observations(user, first.plus_days(-UNBOUNDED_DAYS), last.plus_days(UNBOUNDED_DAYS))
        .await?;
    let exertion = rpe_by_activity(&observations);
    let feel = mood_by_day(&observations);
    let earlier = PriorData::load(store, user, begin, state.is_some(), &exertion).await?;
    let earlier_detected: Vec<_> = detected.into_iter().filter(|threshold| threshold.from < begin).collect();
    // On a blocking thread: years of days keep a core busy for a while.
    let derived = tokio::task::spawn_blocking(move || {
        let sessions: Vec<ActivityInput<'_>> = (measured.iter())
            .map(|MeasuredActivity { id, activity, measures, .. }| ActivityInput {
                id: *id,
                activity,
                measures,
                exertion: exertion.get(id).copied(),
            })
            .collect();
        let before = state.as_ref().map(|state| PriorState {
            state,
            activities: &earlier.sessions,
            detected: &earlier_detected,
            evidence: &earlier.evidence,
            rpe_pairs: &earlier.rpe_load_pairs,
        });
        let athlete = Athlete {
            sex: profile.sex,
            sleep_need: profile.sleep_need,
            thresholds: &thresholds,
            zones: &zones,
            races: &races,
        };
        let history = PipelineInput {
            athlete,
            first: begin,
            before,
            activities: &sessions,
            wellness: &wellness,
            feel: &feel,
            frontier,
        };
        let from = before.map(|_| begin);
        run_pipeline(&history).map(|worked| ComputedMetrics {
            from,
            activity_metrics: worked.activities,
            days: worked.days,
            detected_thresholds: worked.detected,
        })
    });
    derived
        .await
        .expect("deriving does not panic")
        .map_err(|error| Error::Store(fitness_store::Error::Unreadable(format!("stored metrics: {error}"))))
}

/// Data of the days before the first recomputed one.
#[derive(Default)]
struct PriorData {
    sessions: Vec<ActivityLoad>,
    evidence: Vec<DatedThresholdEvidence>,
    rpe_load_pairs: Vec<(f64, f64)>,
}

impl PriorData {
    async fn load(
        store: &Store,
        user: UserId,
        begin: Day,
        wanted: bool,
        exertion: &HashMap<ActivityId, u8>,
    ) -> Result<Self, Error> {
        if !wanted {
            return Ok(Self::default());
        }
        let context = begin.plus_days(-(CONTEXT_DAYS as i64));
        let sessions = (store.list_activities(user, context, begin.previous()).await?.into_iter())
            .map(|stored| ActivityLoad::new(&stored.activity, stored.load_with_quality()))
            .collect();
        let clues =
            store.list_threshold_candidates(user, begin.plus_days(-LOOKBACK_DAYS), begin.previous()).await?;
        let rated: Vec<ActivityId> = exertion.keys().copied().collect();
        let felt = (store.read_activity_metrics(user, &rated, begin).await?.iter())
            .filter_map(|(id, measures, judged)| rpe_and_load(exertion.get(id).copied(), measures, judged))
            .collect();
        Ok(Self { sessions, evidence: clues, rpe_load_pairs: felt })
    }
}

/// The latest RPE rating per activity.
fn rpe_by_activity(observations: &[Observation]) -> HashMap<ActivityId, u8> {
    let rated =
        |observation: &&Observation| observation.accepted && observation.data.kind() == ObservationKind::Rpe;
    let of_session = |observation: &Observation| observation.data.activity().zip(observation.data.value());
    observations.iter().filter(rated).filter_map(of_session).collect()
}

/// The latest mood rating per day.
fn mood_by_day(observations: &[Observation]) -> BTreeMap<Day, u8> {
    let rated =
        |observation: &&Observation| observation.accepted && observation.data.kind() == ObservationKind::Mood;
    let mut feel = BTreeMap::new();
    for observation in observations.iter().filter(rated) {
        let observed = &observation.data;
        let Some(value) = observed.value() else { continue };
        feel.extend(observed.from().through(observed.through()).map(|day| (day, value)));
    }
    feel
}
