//! Newtype ids, so that a plan id cannot be passed where a workout id is expected.
//!
//! The database assigns ids and never reuses them, so old links and audit rows stay valid.

macro_rules! ids {
    ( $( $(#[$meta:meta])* $name:ident; )+ ) => { $(
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            #[must_use]
            pub const fn new(id: i64) -> Self {
                Self(id)
            }

            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )+ };
}

ids! {
    /// An athlete with an account. Comes from a session or from `--user`, never from a model.
    UserId;
    /// A training plan, whatever its status.
    PlanId;
    /// A workout of a plan. Stable across revisions.
    WorkoutId;
    /// A change to an active plan suggested by the coach.
    ProposalId;
    /// An action that needs a human: activate, archive, delete, apply, edit, revert.
    HumanActionId;
    /// A recorded or imported activity.
    ActivityId;
    /// A data source: an account, a folder, an export.
    SourceId;
    /// A race result, or a likely race that the athlete declined.
    RaceId;
    /// Shoes, a bike or other equipment.
    GearId;
    /// One run of an import or a sync.
    SyncRunId;
    NoteId;
    /// A dated observation: effort, soreness, mood, illness, injury, absence.
    ObservationId;
    BriefId;
    /// A conversation with the coach.
    ChatId;
    SessionId;
    ApiTokenId;
    JobId;
}
