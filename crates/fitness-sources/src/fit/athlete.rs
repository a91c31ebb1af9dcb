//! Thresholds and training zones that a watch writes into its recordings: the values it used on that
//! day.

use super::messages::Message;
use super::values::FitFields;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin, ZoneKind, Zones};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::zones::DatedZones;
use rustyfit::profile::mesgdef::{HrZone, PowerZone, Session, TimeInZone, ZonesTarget};
use rustyfit::profile::typedef::{self, MesgNum};

/// Number of the set of zones in `zones_target`, which the profile does not name: 0 for all sports,
/// 1 running, 2 cycling, 3 swimming.
const ZONE_SET: u8 = 254;
/// Garmin's threshold power of an athlete who never set one.
const DEFAULT_THRESHOLD_POWER: i64 = 200;
/// A device has at most ten zones.
const MAX_ZONES: usize = 10;

#[derive(Debug, Default)]
pub(super) struct AthleteBuilder {
    zone_set: Option<i64>,
    max_heart_rate: Option<i64>,
    threshold_heart_rate: Option<i64>,
    /// From a cycling session, which the power meter belongs to.
    session_threshold_power: Option<i64>,
    threshold_power: Option<i64>,
    /// Upper bounds, of a session.
    heart_rate_bounds: Vec<i64>,
    power_bounds: Vec<i64>,
    /// Upper bounds, one message per zone.
    heart_rate_zones: Vec<i64>,
    power_zones: Vec<i64>,
    session_count: usize,
}

/// Thresholds and zones with their day.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AthleteReport {
    pub thresholds: Vec<Threshold>,
    pub zones: Vec<DatedZones>,
}

impl AthleteBuilder {
    pub(super) fn add_message(&mut self, message: &Message<'_>) {
        let fields = FitFields::new(message);
        // 0 means not set.
        let positive = |number| fields.integer(number).filter(|value| *value > 0);
        match message.number() {
            MesgNum::ZONES_TARGET => {
                self.zone_set = self.zone_set.or_else(|| fields.integer(ZONE_SET));
                self.max_heart_rate = self.max_heart_rate.or_else(|| positive(ZonesTarget::MAX_HEART_RATE));
                self.threshold_heart_rate =
                    self.threshold_heart_rate.or_else(|| positive(ZonesTarget::THRESHOLD_HEART_RATE));
                self.threshold_power =
                    self.threshold_power.or_else(|| positive(ZonesTarget::FUNCTIONAL_THRESHOLD_POWER));
            }
            MesgNum::TIME_IN_ZONE
                if fields.integer(TimeInZone::REFERENCE_MESG) == Some(i64::from(MesgNum::SESSION.0)) =>
            {
                // The values that were used, which zones_target may lack.
                self.max_heart_rate = positive(TimeInZone::MAX_HEART_RATE).or(self.max_heart_rate);
                self.threshold_heart_rate =
                    positive(TimeInZone::THRESHOLD_HEART_RATE).or(self.threshold_heart_rate);
                self.threshold_power =
                    positive(TimeInZone::FUNCTIONAL_THRESHOLD_POWER).or(self.threshold_power);
                if self.heart_rate_bounds.is_empty() {
                    self.heart_rate_bounds = fields.integers(TimeInZone::HR_ZONE_HIGH_BOUNDARY);
                    self.power_bounds = fields.integers(TimeInZone::POWER_ZONE_HIGH_BOUNDARY);
                }
            }
            MesgNum::SESSION => {
                let sport = fields.narrow(Session::SPORT).map(typedef::Sport);
                self.session_count += usize::from(sport != Some(typedef::Sport::TRANSITION));
                if sport == Some(typedef::Sport::CYCLING) {
                    self.session_threshold_power =
                        self.session_threshold_power.or_else(|| positive(Session::THRESHOLD_POWER));
                }
            }
            MesgNum::HR_ZONE if self.heart_rate_zones.len() < MAX_ZONES => {
                self.heart_rate_zones.extend(fields.integer(HrZone::HIGH_BPM));
            }
            MesgNum::POWER_ZONE if self.power_zones.len() < MAX_ZONES => {
                self.power_zones.extend(fields.integer(PowerZone::HIGH_VALUE));
            }
            _ => {}
        }
    }

    /// What applied on the day of the first activity. `has_power` says whether it has a power meter.
    ///
    /// Our thresholds belong to the athlete, not to a sport. Of a watch with zones per sport those of
    /// running are used, and the threshold power of cycling.
    pub(super) fn into_report(self, day: Day, sport: Sport, has_power: bool) -> AthleteReport {
        let for_all = matches!(self.zone_set, None | Some(0 | 1)) && self.session_count <= 1;
        let of_ride = self.threshold_power.filter(|watts| {
            sport == Sport::Cycling
                && self.session_count <= 1
                && (has_power && *watts != DEFAULT_THRESHOLD_POWER)
        });
        let power = self.session_threshold_power.or(of_ride);
        let candidates = [
            (ThresholdKind::MaxHeartRate, self.max_heart_rate.filter(|_| for_all)),
            (ThresholdKind::ThresholdHeartRate, self.threshold_heart_rate.filter(|_| for_all)),
            (ThresholdKind::ThresholdPower, power),
        ];
        let origin = ThresholdOrigin::Reported;
        let thresholds = candidates.into_iter().filter_map(|(kind, value)| {
            let (value, (low, high)) = (value? as f64, kind.bounds());
            (low..=high).contains(&value).then_some(Threshold { kind, value, from: day, origin })
        });
        let zone_sport = match self.zone_set {
            Some(1) => Sport::Running,
            Some(2) => Sport::Cycling,
            Some(3) => Sport::Swimming,
            _ => Sport::Other,
        };
        let single = self.session_count <= 1;
        let heart_rate = zones_from(&self.heart_rate_bounds, false)
            .or_else(|| zones_from(&self.heart_rate_zones, true))
            .filter(|_| single);
        let power = zones_from(&self.power_bounds, false)
            .or_else(|| zones_from(&self.power_zones, true))
            .filter(|_| single && sport == Sport::Cycling);
        let dated = |kind, sport, zones: Option<Zones>| {
            zones.map(|zones| DatedZones { kind, sport, from: day, origin, zones })
        };
        let zones = [
            dated(ZoneKind::HeartRate, zone_sport, heart_rate),
            dated(ZoneKind::Power, Sport::Cycling, power),
        ];
        AthleteReport { thresholds: thresholds.collect(), zones: zones.into_iter().flatten().collect() }
    }
}

/// Zones from upper bounds. The first bound is the upper one of zone 1, or (`starts_at_zone_1` is
/// false) the lower one of it. The last bound is the athlete's maximum.
fn zones_from(bounds: &[i64], starts_at_zone_1: bool) -> Option<Zones> {
    // Unused zones at the end are 0.
    let used = bounds.iter().rposition(|bound| *bound > 0).map_or(0, |last| last + 1);
    let lower = &bounds[..used.checked_sub(1)?];
    let first = starts_at_zone_1.then_some(0);
    let lower: Vec<f64> = first.into_iter().chain(lower.iter().copied()).map(|bound| bound as f64).collect();
    (lower.len() > 1).then(|| Zones::new(lower).ok()).flatten()
}
