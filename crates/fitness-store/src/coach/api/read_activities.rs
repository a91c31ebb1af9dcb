//! What is told of activities.

use super::{CoachingDesk, failed, span};
use crate::training::activities::StoredActivity;
use fitness_core::coach_api::DeskError;
use fitness_core::coach_api::requests::{AskActivities, AskActivity, MAX_ACTIVITIES};
use fitness_core::coach_api::responses::{Activities, ActivityDetail, ToldActivity, ToldLap};
use fitness_core::domain::observation::ObservationKind;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, Speed, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::{plain_number, visible};
use fitness_core::metrics::activity::{Judged, Measures};
use fitness_core::metrics::zones::ZoneTimes;
use std::collections::BTreeMap;

type Told<T> = Result<T, DeskError>;

/// Days that are looked at when nobody says which.
const DAYS: i64 = 28;
/// Activities that are told when nobody says how many.
const USUAL: u32 = 30;
/// Laps that are told; a model has no use for a hundred lengths of a pool.
const LAPS: usize = 60;

impl CoachingDesk {
    pub(super) async fn tell_activities(&self, ask: AskActivities) -> Told<Activities> {
        let through = ask.through.unwrap_or(self.today);
        let (from, through) = span(ask.from.unwrap_or_else(|| through.plus(-DAYS)), through)?;
        let limit = ask.limit.unwrap_or(USUAL);
        if !(1..=MAX_ACTIVITIES).contains(&limit) {
            return Err(DeskError::refused(format!("`limit` is 1 to {MAX_ACTIVITIES}.")));
        }
        let mut stored = self.store().list_activities(self.user(), from, through).await.map_err(failed)?;
        stored.retain(|one| ask.sport.is_none_or(|sport| sport == one.activity.sport));
        let left_off = stored.len().saturating_sub(limit as usize) as u64;
        let newest = stored.iter().rev().take(limit as usize);
        Ok(Activities { activities: newest.map(|one| told(one, self.units)).collect(), left_off })
    }

    pub(super) async fn tell_activity(&self, ask: AskActivity) -> Told<ActivityDetail> {
        let (store, user, id) = (self.store(), self.user(), ask.activity_id);
        let stored = store.find_activity(user, id).await.map_err(failed)?;
        let stored = stored.ok_or(DeskError::NotFound("activity"))?;
        let (measures, judged) = store.find_metrics(user, id).await.map_err(failed)?.unzip();
        let judged = judged.flatten();
        let sport = stored.activity.sport;
        let felt = store.list_observations(user, stored.day, stored.day).await.map_err(failed)?;
        let effort = felt.iter().filter(|one| one.accepted).find_map(|one| {
            let about = one.observed.kind() == ObservationKind::Rpe && one.observed.activity() == Some(id);
            one.observed.value().filter(|_| about)
        });
        Ok(ActivityDetail {
            device: stored.activity.device.as_deref().map(|device| visible(device).to_string()),
            climb: stored.activity.ascent.map(|climb| self.units.climb(climb).to_string()),
            load_by: load_by(judged.as_ref()),
            effort: effort.map(|effort| format!("{effort} of 10")),
            laps: (stored.activity.laps.iter().take(LAPS))
                .map(|lap| {
                    let time = lap.moving.or(lap.elapsed);
                    ToldLap {
                        distance: lap.distance.map(|far| self.units.distance_of(sport, far).to_string()),
                        time: time.map(TimeSpan::clock),
                        pace: pace(sport, lap.distance, time, self.units),
                        heart_rate: lap.avg_heart_rate.map(|bpm| format!("{bpm} bpm")),
                    }
                })
                .collect(),
            heart_rate_zones: judged
                .as_ref()
                .and_then(|judged| judged.heart_zones.as_ref())
                .map(zones)
                .unwrap_or_default(),
            best_efforts: measures.as_ref().map(|measures| efforts(measures, self.units)).unwrap_or_default(),
            measures: measures.as_ref().map(further).unwrap_or_default(),
            workout: self.workout_of(id).await?,
            activity: told(&stored, self.units),
        })
    }
}

fn told(one: &StoredActivity, units: UnitSystem) -> ToldActivity {
    let (activity, time) = (&one.activity, one.activity.training_time());
    ToldActivity {
        activity_id: one.id,
        date: one.day,
        sport: activity.sport,
        name: activity.name.as_deref().map(|name| visible(name).to_string()).unwrap_or_default(),
        distance: activity.distance.map(|far| units.distance_of(activity.sport, far).to_string()),
        time: time.map(TimeSpan::clock),
        pace: pace(activity.sport, activity.distance, time, units),
        heart_rate: activity.avg_heart_rate.map(|bpm| format!("{bpm} bpm")),
        load: one.load.map(|load| plain_number(load, 0)),
    }
}

fn pace(
    sport: Sport,
    distance: Option<Distance>,
    time: Option<TimeSpan>,
    units: UnitSystem,
) -> Option<String> {
    let speed = distance.zip(time).and_then(|(distance, time)| Speed::over(distance, time))?;
    units.speed_of(sport, speed).map(|shown| shown.to_string())
}

fn load_by(judged: Option<&Judged>) -> String {
    match judged.map(|judged| &judged.load) {
        Some(Ok(load)) => load.method.to_string(),
        Some(Err(why)) => format!("none: {why}"),
        None => "not worked out yet".to_owned(),
    }
}

fn zones(times: &ZoneTimes) -> BTreeMap<String, String> {
    let clock = |seconds: u64| TimeSpan::from_secs(i64::try_from(seconds).unwrap_or_default()).clock();
    let named =
        (1..).zip(&times.seconds).map(|(zone, seconds): (usize, _)| (format!("Z{zone}"), clock(*seconds)));
    (times.below > 0).then(|| ("below".to_owned(), clock(times.below))).into_iter().chain(named).collect()
}

fn efforts(measures: &Measures, units: UnitSystem) -> BTreeMap<String, String> {
    let told = |effort: &fitness_core::metrics::efforts::Effort| {
        (units.distance(effort.distance).to_string(), effort.time.clock())
    };
    measures.efforts.iter().map(told).collect()
}

fn further(measures: &Measures) -> BTreeMap<String, String> {
    let mut further = BTreeMap::new();
    if let Ok(decoupling) = &measures.decoupling {
        further.insert("decoupling".to_owned(), format!("{:+.1} %", decoupling.percent));
    }
    if let Ok(power) = &measures.power
        && let Ok(normalized) = &power.normalized
    {
        further.insert("normalized_power".to_owned(), format!("{:.0} W", normalized.value));
    }
    further
}
