//! Gear: shoes, bikes and other equipment, with the distance covered.

use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, GearId};
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::string_enum::string_enum;
use serde::Serialize;
use std::collections::BTreeMap;

string_enum! {
    pub enum GearKind("kind of gear") {
        Shoes = "shoes",
        Bike = "bike",
        Other = "other",
    }
}

impl GearKind {
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Shoes => "Shoes",
            Self::Bike => "Bike",
            Self::Other => "Other",
        }
    }

    /// The distance after which a reminder to replace it is shown, unless the athlete sets another.
    /// Makers of running shoes recommend 500 to 800 km.
    #[must_use]
    pub const fn default_retire_at(self) -> Option<Distance> {
        match self {
            Self::Shoes => Some(Distance::from_mm(700_000_000)),
            Self::Bike | Self::Other => None,
        }
    }
}

/// Values of gear that the athlete enters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GearDetails {
    pub kind: GearKind,
    pub name: String,
    /// Distance before the first activity here.
    #[serde(rename = "initial_mm")]
    pub initial: Distance,
    /// Distance after which a reminder is shown.
    #[serde(rename = "retire_at_mm")]
    pub retire_at: Option<Distance>,
}

/// Why gear cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GearError {
    #[error("a name has 1 to {MAX_NAME_CHARS} characters")]
    Name,
    #[error("a distance is at most 1,000,000 km, and a reminder is above 0 km")]
    Distance,
    #[error("there can be at most {MAX_GEAR} pieces of gear")]
    TooMany,
}

const MAX_NAME_CHARS: usize = 100;
/// Maximum number of pieces of gear of a user.
pub const MAX_GEAR: usize = 200;
const MAX_DISTANCE: Distance = Distance::from_mm(1_000_000_000_000);

impl GearDetails {
    /// # Errors
    /// When the name or a distance is not possible.
    pub fn check(&self) -> Result<(), GearError> {
        if self.name.trim().is_empty() || self.name.chars().count() > MAX_NAME_CHARS {
            return Err(GearError::Name);
        }
        let possible = |distance: Distance| distance >= Distance::ZERO && distance <= MAX_DISTANCE;
        if !possible(self.initial) || self.retire_at.is_some_and(|at| !possible(at) || at == Distance::ZERO) {
            return Err(GearError::Distance);
        }
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gear {
    pub id: GearId,
    #[serde(flatten)]
    pub details: GearDetails,
    /// The last day it was used; `None` while it is in use.
    pub retired_on: Option<Day>,
}

/// The gear of a sport from a day on; `None` for no gear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GearDefault {
    pub sport: Sport,
    pub from: Day,
    pub gear: Option<GearId>,
}

/// An activity, as far as gear is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GearActivity {
    pub id: ActivityId,
    pub sport: Sport,
    pub day: Day,
    pub distance: Option<Distance>,
}

/// Gear with its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GearUse {
    #[serde(flatten)]
    pub gear: Gear,
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    pub activities: u64,
    /// Sports that use it by default today.
    pub default_for: Vec<Sport>,
}

impl GearUse {
    /// Whether it is in use although its distance is reached.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.gear.retired_on.is_none()
            && self.gear.details.retire_at.is_some_and(|most| self.distance >= most)
    }
}

/// The gear of an activity: the one the athlete chose for it, else the default of its sport on its
/// day. Retired gear is not the default of later days.
#[must_use]
pub fn gear_for(
    activity: &GearActivity,
    chosen: &BTreeMap<ActivityId, Option<GearId>>,
    defaults: &[GearDefault],
    all: &[Gear],
) -> Option<GearId> {
    if let Some(choice) = chosen.get(&activity.id) {
        return *choice;
    }
    let default = default_on(activity.sport, activity.day, defaults)?;
    let gear = all.iter().find(|gear| gear.id == default)?;
    gear.retired_on.is_none_or(|last| activity.day <= last).then_some(default)
}

fn default_on(sport: Sport, day: Day, defaults: &[GearDefault]) -> Option<GearId> {
    let valid = defaults.iter().filter(|default| default.sport == sport && default.from <= day);
    valid.max_by_key(|default| default.from)?.gear
}

/// The distance and the activities of every piece of gear.
#[must_use]
pub fn gear_use(
    all: Vec<Gear>,
    activities: &[GearActivity],
    chosen: &BTreeMap<ActivityId, Option<GearId>>,
    defaults: &[GearDefault],
    today: Day,
) -> Vec<GearUse> {
    let mut sums: BTreeMap<GearId, (i64, u64)> = BTreeMap::new();
    for activity in activities {
        if let Some(gear) = gear_for(activity, chosen, defaults, &all) {
            let (distance, count) = sums.entry(gear).or_default();
            *distance = distance.saturating_add(activity.distance.map_or(0, Distance::mm));
            *count += 1;
        }
    }
    let used = |gear: Gear| {
        let (distance, activities) = sums.get(&gear.id).copied().unwrap_or_default();
        let is_default = |sport: &&Sport| {
            gear.retired_on.is_none() && default_on(**sport, today, defaults) == Some(gear.id)
        };
        GearUse {
            distance: Distance::from_mm(gear.details.initial.mm().saturating_add(distance)),
            activities,
            default_for: Sport::ALL.iter().filter(is_default).copied().collect(),
            gear,
        }
    };
    all.into_iter().map(used).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn distance_counts_by_choice_then_by_the_default_of_the_day() {
        let gear = |id: i64, retired: Option<&str>| Gear {
            id: GearId::new(id),
            details: GearDetails {
                kind: GearKind::Shoes,
                name: format!("Shoes {id}"),
                initial: Distance::from_mm(100_000_000),
                retire_at: Some(Distance::from_mm(120_000_000)),
            },
            retired_on: retired.map(day),
        };
        let run = |id: i64, on: &str| GearActivity {
            id: ActivityId::new(id),
            sport: Sport::Running,
            day: day(on),
            distance: Some(Distance::from_mm(10_000_000)),
        };
        let from = |on: &str, id: i64| GearDefault {
            sport: Sport::Running,
            from: day(on),
            gear: Some(GearId::new(id)),
        };
        let all = vec![gear(1, Some("2026-05-31")), gear(2, None)];
        let activities = [
            run(1, "2026-04-30"), // before any default
            run(2, "2026-05-01"),
            run(3, "2026-05-31"),
            run(4, "2026-06-01"), // the default is retired
            run(5, "2026-06-10"),
            run(6, "2026-06-11"), // chosen: none
            run(7, "2026-04-30"), // chosen: 2
            GearActivity { sport: Sport::Cycling, ..run(8, "2026-06-10") },
        ];
        let chosen = BTreeMap::from([(ActivityId::new(6), None), (ActivityId::new(7), Some(GearId::new(2)))]);
        let defaults = [from("2026-05-01", 1), from("2026-06-10", 2)];
        let used = gear_use(all, &activities, &chosen, &defaults, day("2026-06-14"));
        let km: Vec<(i64, u64)> = used.iter().map(|g| (g.distance.mm() / 1_000_000, g.activities)).collect();
        assert_eq!(km, [(120, 2), (120, 2)]);
        assert_eq!(used.iter().map(GearUse::is_due).collect::<Vec<_>>(), [false, true], "retired is not due");
        assert_eq!(used[1].default_for, [Sport::Running]);
        assert!(used[0].default_for.is_empty());
    }

    #[test]
    fn impossible_gear_is_refused() {
        let good = GearDetails {
            kind: GearKind::Shoes,
            name: "Ghost".to_owned(),
            initial: Distance::ZERO,
            retire_at: GearKind::Shoes.default_retire_at(),
        };
        assert_eq!(good.check(), Ok(()));
        assert_eq!(GearDetails { name: " ".to_owned(), ..good.clone() }.check(), Err(GearError::Name));
        assert_eq!(GearDetails { name: "x".repeat(101), ..good.clone() }.check(), Err(GearError::Name));
        let zero = GearDetails { retire_at: Some(Distance::ZERO), ..good.clone() };
        assert_eq!(zero.check(), Err(GearError::Distance));
        let far = GearDetails { initial: Distance::from_mm(i64::MAX), ..good };
        assert_eq!(far.check(), Err(GearError::Distance));
    }
}
