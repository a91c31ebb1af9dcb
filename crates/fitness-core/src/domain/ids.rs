//! Newtype ids: a plan's id can never be handed in where a workout's is meant.
//!
//! Ids are given out by the database and never reused, so an old link or an old audit row can only ever
//! mean the thing it meant.

macro_rules! ids {
    ( $( $(#[$meta:meta])* $name:ident; )+ ) => { $(
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Wraps a number that the database gave out.
            #[must_use]
            pub const fn new(id: i64) -> Self {
                Self(id)
            }

            /// The number as the database knows it.
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
    /// A workout of a plan; survives revisions, so a later change can name it.
    WorkoutId;
    /// A change the coach suggests to an active plan.
    ProposalId;
    /// Something only a human did: activate, archive, delete, apply, edit, revert.
    HumanActionId;
    /// A recorded or imported activity.
    ActivityId;
    /// A place data comes from: an account, a folder, an export.
    SourceId;
    /// A race result, or a likely one that was none.
    RaceId;
    /// One run of an import or a sync.
    SyncRunId;
    /// A note in the athlete's words.
    NoteId;
    /// A dated observation: effort, soreness, mood, illness, injury, absence.
    ObservationId;
    /// A morning brief.
    BriefId;
    /// A conversation with the coach.
    ChatId;
    /// A signed-in browser.
    SessionId;
    /// A token that lets another program read and draft.
    ApiTokenId;
    /// A piece of work to be done later.
    JobId;
}
