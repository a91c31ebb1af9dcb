//! Working out what the data means: measures of new recordings, then loads and days from the first one that changed.
//!
//! What is stored says itself from which day on it is stale, so this can be broken off at any moment and goes on where
//! it is needed. Should somebody change something meanwhile, it begins again.

use crate::Error;
use crate::import::Stop;
use fitness_core::adherence::data_frontier::Frontier;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::observation::{Observation, ObservationKind};
use fitness_core::metrics::activity::measure;
use fitness_core::metrics::day::CONTEXT_DAYS;
use fitness_core::metrics::pipeline::{
    Athlete, Before, History, MEASURES_VERSION, Session, SessionLoad, clues, derive, felt,
};
use fitness_core::metrics::predict::Mark;
use fitness_core::metrics::thresholds::detect::{Candidate, Clue, LOOKBACK_DAYS};
use fitness_store::{Derived, Measured, Stale, Store, Unmeasured};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// Recordings measured at once: enough for every core, few enough for the memory.
const AT_ONCE: usize = 48;
/// How often to begin again when somebody keeps changing things.
const TRIES: usize = 20;

/// Two centuries of days: before and after anything anybody recorded.
const EVER: i64 = 73_000;

/// What was worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Recomputed {
    /// Recordings that were measured.
    pub measured: u64,
    /// Activities that were judged.
    pub judged: u64,
    /// Days that were worked out.
    pub days: u64,
}

/// Works out whatever is stale. `progress` hears how many recordings were measured so far.
///
/// # Errors
/// When the database refuses.
pub async fn recompute(
    store: &Store,
    user: UserId,
    progress: &mut (dyn FnMut(u64) + Send),
    stop: &Stop,
) -> Result<Recomputed, Error> {
    let mut done = Recomputed::default();
    for _ in 0..TRIES {
        let seen = store.stale(user).await?;
        if !measure_new(store, user, seen, &mut done, progress, stop).await? {
            continue;
        }
        if stop.is_asked() {
            return Ok(done);
        }
        let stale = store.stale(user).await?;
        // What came in after the recordings were measured has some that were not.
        if !stale.is_of_the_same_data_as(&seen) {
            continue;
        }
        let frontier = store.frontier(user).await?;
        let Some(begin) = where_to_begin(store, user, stale, frontier).await? else { return Ok(done) };
        let derived = work_out(store, user, begin, frontier).await?;
        let (judged, days) = (derived.judged.len() as u64, derived.days.len() as u64);
        if store.put_derived(user, stale, derived).await? {
            (done.judged, done.days) = (judged, days);
            return Ok(done);
        }
    }
    Err(Error::Store(fitness_store::Error::Busy))
}

/// Measures every recording that is new. `false` when somebody changed something meanwhile.
async fn measure_new(
    store: &Store,
    user: UserId,
    stale: Stale,
    done: &mut Recomputed,
    progress: &mut (dyn FnMut(u64) + Send),
    stop: &Stop,
) -> Result<bool, Error> {
    for some in store.list_unmeasured(user, MEASURES_VERSION).await?.chunks(AT_ONCE) {
        if stop.is_asked() {
            break;
        }
        let new = store.read_unmeasured(user, some).await?;
        if new.is_empty() {
            continue;
        }
        let count = new.len() as u64;
        let measured = tokio::task::spawn_blocking(move || new.par_iter().map(measured).collect())
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

fn measured(new: &Unmeasured) -> (ActivityId, Day, fitness_core::metrics::activity::Measures, Vec<Clue>) {
    let (recording, lengths) = new.unpack();
    let measures = measure(&new.activity, recording.as_ref(), &lengths);
    let clues = clues(&new.activity, &measures);
    (new.id, new.activity.day(), measures, clues)
}

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// With the first day there is.
    First,
    /// With a day, going on from the evening before it.
    On(Day),
}

/// Where to begin; `None` when everything is worked out.
async fn where_to_begin(
    store: &Store,
    user: UserId,
    stale: Stale,
    frontier: Frontier,
) -> Result<Option<Begin>, Error> {
    let Some(next) = stale.settled_through.map(Day::next) else {
        let something = stale.from.is_some() || frontier.complete().is_some();
        return Ok(something.then_some(Begin::First));
    };
    if let Some(changed) = stale.from {
        return Ok(Some(Begin::On(changed.min(next))));
    }
    let new_day = frontier.complete().is_some_and(|complete| complete >= next);
    let new_morning = match frontier.open() {
        Some(open) => store.list_day_metrics(user, open, open).await?.is_empty(),
        None => false,
    };
    Ok((new_day || new_morning).then_some(Begin::On(next)))
}

/// Everything from a day on.
async fn work_out(store: &Store, user: UserId, begin: Begin, frontier: Frontier) -> Result<Derived, Error> {
    let Some(first) = store.first_day(user).await? else { return Ok(Derived::default()) };
    let state = match begin {
        Begin::On(day) if day > first => store.find_day_state(user, day.previous()).await?,
        Begin::On(_) | Begin::First => None,
    };
    let begin = state.map_or(first, |state| state.day.next());
    let measured = store.list_measured(user, begin).await?;
    let reach = frontier.open().or(frontier.complete());
    let last = measured.last().map(|last| last.activity.day()).max(reach).unwrap_or(begin);
    let context = begin.plus(-(CONTEXT_DAYS as i64));

    let profile = store.profile(user).await?;
    let (detected, thresholds): (Vec<_>, Vec<_>) = (store.list_thresholds(user).await?.into_iter())
        .partition(|threshold| threshold.origin == ThresholdOrigin::Estimated);
    let zones = store.list_zones(user).await?;
    let races: Vec<Candidate> = (store.list_races(user).await?.into_iter())
        .filter(|race| Mark::new(race.result.distance, race.result.time).is_ok())
        .map(|race| Candidate {
            day: race.result.day,
            clue: Clue::Run { distance: race.result.distance, time: race.result.time },
        })
        .collect();
    let wellness = store.list_wellness(user, context, last).await?;
    // Whenever they are of: a rating keeps its day when its activity moves to another.
    let observations = store.list_observations(user, first.plus(-EVER), last.plus(EVER)).await?;
    let exertion = exertion(&observations);
    let feel = feel(&observations);
    let earlier = Earlier::read(store, user, begin, state.is_some(), &exertion).await?;
    let earlier_detected: Vec<_> = detected.into_iter().filter(|threshold| threshold.from < begin).collect();
    // Years of days take a processor for a while; the threads that answer requests must not wait for it.
    let derived = tokio::task::spawn_blocking(move || {
        let sessions: Vec<Session<'_>> = (measured.iter())
            .map(|Measured { id, activity, measures, .. }| Session {
                id: *id,
                activity,
                measures,
                exertion: exertion.get(id).copied(),
            })
            .collect();
        let before = state.as_ref().map(|state| Before {
            state,
            sessions: &earlier.sessions,
            detected: &earlier_detected,
            clues: &earlier.clues,
            felt: &earlier.felt,
        });
        let athlete = Athlete {
            sex: profile.sex,
            sleep_need: profile.sleep_need,
            thresholds: &thresholds,
            zones: &zones,
            races: &races,
        };
        let history = History {
            athlete,
            first: begin,
            before,
            sessions: &sessions,
            wellness: &wellness,
            feel: &feel,
            frontier,
        };
        let from = before.map(|_| begin);
        derive(&history).map(|worked| Derived {
            from,
            judged: worked.judged,
            days: worked.days,
            detected: worked.detected,
        })
    });
    derived.await.expect("deriving does not panic").map_err(|error| {
        Error::Store(fitness_store::Error::Unreadable(format!("what was worked out before: {error}")))
    })
}

/// What is needed of the days before the first one.
#[derive(Default)]
struct Earlier {
    sessions: Vec<SessionLoad>,
    clues: Vec<Candidate>,
    felt: Vec<(f64, f64)>,
}

impl Earlier {
    async fn read(
        store: &Store,
        user: UserId,
        begin: Day,
        wanted: bool,
        exertion: &HashMap<ActivityId, u8>,
    ) -> Result<Self, Error> {
        if !wanted {
            return Ok(Self::default());
        }
        let context = begin.plus(-(CONTEXT_DAYS as i64));
        let sessions = (store.list_activities(user, context, begin.previous()).await?.into_iter())
            .map(|stored| SessionLoad::of(&stored.activity, stored.rated_load()))
            .collect();
        let clues = store.list_clues(user, begin.plus(-LOOKBACK_DAYS), begin.previous()).await?;
        let rated: Vec<ActivityId> = exertion.keys().copied().collect();
        let felt = (store.read_judged(user, &rated, begin).await?.iter())
            .filter_map(|(id, measures, judged)| felt(exertion.get(id).copied(), measures, judged))
            .collect();
        Ok(Self { sessions, clues, felt })
    }
}

/// How hard sessions felt, by the athlete's latest word.
fn exertion(observations: &[Observation]) -> HashMap<ActivityId, u8> {
    let rated = |observation: &&Observation| {
        observation.accepted && observation.observed.kind() == ObservationKind::Rpe
    };
    let of_session =
        |observation: &Observation| observation.observed.activity().zip(observation.observed.value());
    observations.iter().filter(rated).filter_map(of_session).collect()
}

/// How the athlete felt on days, by their latest word.
fn feel(observations: &[Observation]) -> BTreeMap<Day, u8> {
    let rated = |observation: &&Observation| {
        observation.accepted && observation.observed.kind() == ObservationKind::Mood
    };
    let mut feel = BTreeMap::new();
    for observation in observations.iter().filter(rated) {
        let observed = &observation.observed;
        let Some(value) = observed.value() else { continue };
        feel.extend(observed.from().through(observed.through()).map(|day| (day, value)));
    }
    feel
}
