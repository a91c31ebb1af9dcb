//! Plan fixture for tests.

use super::{GoalDistance, Plan, PlanConstraints, PlanStatus};
use crate::domain::content_hash::ContentHash;
use crate::domain::ids::PlanId;
use crate::domain::note::Author;
use crate::domain::units::Distance;

/// An active half marathon from Monday 15 June to Sunday 20 September 2026.
pub(crate) fn half_marathon() -> Plan {
    Plan {
        id: PlanId::new(1),
        name: "Half".to_owned(),
        goal: GoalDistance::Half,
        distance: Some(Distance::HALF_MARATHON),
        start_date: "2026-06-15".parse().unwrap(),
        race_date: "2026-09-20".parse().unwrap(),
        target_time: None,
        terms: PlanConstraints::default(),
        status: PlanStatus::Active,
        author: Author::Athlete,
        content_hash: ContentHash::hash_bytes(b""),
        revision: 1,
        superseded_by: None,
        begun_on: None,
        created_at: "2026-06-01T00:00:00Z".parse().unwrap(),
        activated_at: None,
        archived_at: None,
    }
}
