//! Coach API: activities.

use super::{StoreCoachApi, check_period, to_coach_error};
use crate::training::activities::StoredActivity;
use fitness_core::coach_api::CoachApiError;
use fitness_core::coach_api::requests::{ActivitiesRequest, ActivityRequest, MAX_ACTIVITIES};
use fitness_core::coach_api::responses::{ActivityDetail, ActivityItem, ActivityList, LapItem};
use fitness_core::domain::observation::ObservationKind;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, Speed, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::activity::{ActivityMetrics, Measures};
use fitness_core::metrics::zones::ZoneTimes;
use fitness_core::presentation::names::device_name;
use fitness_core::presentation::activity::{load_method_label, load_with_method};
use std::collections::BTreeMap;

type CoachResult<T> = Result<T, CoachApiError>;

/// Default period for the activity list.
const DEFAULT_DAYS: i64 = 28;
const DEFAULT_LIMIT: u32 = 30;
/// A model does not need a hundred pool lengths.
const MAX_LAPS: usize = 60;

impl StoreCoachApi {
    pub(super) async fn read_activities(&self, ask: ActivitiesRequest) -> CoachResult<ActivityList> {
        let through = ask.through.unwrap_or(self.today);
        let (from, through) =
            check_period(ask.from.unwrap_or_else(|| through.plus_days(-DEFAULT_DAYS)), through)?;
        let limit = ask.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_ACTIVITIES).contains(&limit) {
            return Err(CoachApiError::invalid(format!("`limit` must be 1 to {MAX_ACTIVITIES}.")));
        }
        let mut stored =
            self.store().list_activities(self.user(), from, through).await.map_err(to_coach_error)?;
        stored.retain(|one| ask.sport.is_none_or(|sport| sport == one.activity.sport));
        let left_off = stored.len().saturating_sub(limit as usize) as u64;
        let newest = stored.iter().rev().take(limit as usize);
        Ok(ActivityList {
            activities: newest.map(|one| describe_activity(one, self.units)).collect(),
            left_off,
        })
    }

    pub(super) async fn read_activity(&self, ask: ActivityRequest) -> CoachResult<ActivityDetail> {
        let (store, user, id) = (self.store(), self.user(), ask.activity_id);
        let stored = store.find_activity(user, id).await.map_err(to_coach_error)?;
        let stored = stored.ok_or(CoachApiError::NotFound("activity"))?;
        let (measures, judged) = store.find_activity_metrics(user, id).await.map_err(to_coach_error)?.unzip();
        let judged = judged.flatten();
        let sport = stored.activity.sport;
        let felt = store.list_observations(user, stored.day, stored.day).await.map_err(to_coach_error)?;
        let effort = felt.iter().filter(|one| one.accepted).find_map(|one| {
            let about = one.data.kind() == ObservationKind::Rpe && one.data.activity() == Some(id);
            one.data.value().filter(|_| about)
        });
        Ok(ActivityDetail {
            device: stored.activity.device.as_deref().map(device_name),
            climb: stored.ascent().map(|climb| self.units.format_climb(climb).to_string()),
            load_by: describe_load_method(judged.as_ref()),
            effort: effort.map(|effort| format!("{effort} of 10")),
            laps: (stored.activity.laps.iter().take(MAX_LAPS))
                .map(|lap| {
                    let time = lap.moving.or(lap.elapsed);
                    LapItem {
                        distance: lap
                            .distance
                            .map(|far| self.units.format_distance_for(sport, far).to_string()),
                        time: time.map(TimeSpan::format_clock),
                        pace: format_pace(sport, lap.distance, time, self.units),
                        heart_rate: lap.avg_heart_rate.map(|bpm| format!("{bpm} bpm")),
                    }
                })
                .collect(),
            heart_rate_zones: judged
                .as_ref()
                .and_then(|judged| judged.heart_zones.as_ref())
                .map(format_zones)
                .unwrap_or_default(),
            best_efforts: measures
                .as_ref()
                .map(|measures| format_efforts(measures, self.units))
                .unwrap_or_default(),
            measures: measures.as_ref().map(format_other_metrics).unwrap_or_default(),
            workout: self.find_workout_for_activity(id).await?,
            activity: describe_activity(&stored, self.units),
        })
    }
}

fn describe_activity(one: &StoredActivity, units: UnitSystem) -> ActivityItem {
    let (activity, time) = (&one.activity, one.training_time());
    ActivityItem {
        activity_id: one.id,
        date: one.day,
        sport: activity.sport,
        name: activity.name.as_deref().map(|name| escape_invisible(name).to_string()).unwrap_or_default(),
        distance: activity.distance.map(|far| units.format_distance_for(activity.sport, far).to_string()),
        time: time.map(TimeSpan::format_clock),
        pace: format_pace(activity.sport, activity.distance, time, units),
        heart_rate: activity.avg_heart_rate.map(|bpm| format!("{bpm} bpm")),
        load: load_with_method(one.load, one.load_method),
    }
}

fn format_pace(
    sport: Sport,
    distance: Option<Distance>,
    time: Option<TimeSpan>,
    units: UnitSystem,
) -> Option<String> {
    let speed =
        distance.zip(time).and_then(|(distance, time)| Speed::from_distance_and_time(distance, time))?;
    units.format_speed_for(sport, speed).map(|shown| shown.to_string())
}

fn describe_load_method(judged: Option<&ActivityMetrics>) -> String {
    match judged.map(|judged| &judged.load) {
        Some(Ok(load)) => format!("{} ({})", load_method_label(load.method), load.quality.label()),
        Some(Err(why)) => format!("none: {why}"),
        None => "not computed yet".to_owned(),
    }
}

fn format_zones(times: &ZoneTimes) -> BTreeMap<String, String> {
    let clock = |seconds: u64| TimeSpan::from_secs(i64::try_from(seconds).unwrap_or_default()).format_clock();
    let named =
        (1..).zip(&times.seconds).map(|(zone, seconds): (usize, _)| (format!("Z{zone}"), clock(*seconds)));
    (times.below > 0).then(|| ("below".to_owned(), clock(times.below))).into_iter().chain(named).collect()
}

fn format_efforts(measures: &Measures, units: UnitSystem) -> BTreeMap<String, String> {
    let told = |effort: &fitness_core::metrics::efforts::BestEffort| {
        (units.format_distance(effort.distance).to_string(), effort.time.format_clock())
    };
    measures.efforts.iter().map(told).collect()
}

fn format_other_metrics(measures: &Measures) -> BTreeMap<String, String> {
    let mut further = BTreeMap::new();
    if let Ok(decoupling) = &measures.decoupling {
        further.insert("decoupling".to_owned(), format!("{:+.1}%", decoupling.percent));
    }
    if let Ok(power) = &measures.power
        && let Ok(normalized) = &power.normalized
    {
        further.insert("normalized_power".to_owned(), format!("{:.0} W", normalized.value));
    }
    further
}
