//! What a reader gives back: an activity as its file or service told it, with everything that was wrong.

use fitness_core::activity::Activity;
use fitness_core::calendar::Instant;
use fitness_core::stream::Recording;
use fitness_core::units::TimeSpan;
use serde::{Deserialize, Serialize};

/// One activity as its source told it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What was done.
    pub activity: Activity,
    /// Second by second, where it was recorded.
    pub recording: Option<Recording>,
    /// What some sports bring besides.
    pub details: Details,
    /// Whether the source calls it a race: a candidate for the athlete to confirm.
    pub race: bool,
    /// What was wrong with the file, short of making it unreadable.
    pub flaws: Vec<Flaw>,
}

/// What a source got wrong without making it useless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// The checksum does not match, or is missing.
    BadChecksum,
    /// The file ends in the middle; what came before was read.
    CutShort,
    /// There is no summary; it was made from the samples.
    NoSummary,
    /// Samples out of order were left out.
    OutOfOrder,
}

/// What some sports bring besides laps and samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Details {
    /// Lengths of a pool, in order.
    pub lengths: Vec<PoolLength>,
    /// Sets of strength work, in order.
    pub sets: Vec<StrengthSet>,
    /// Times between heartbeats, milliseconds, in order.
    pub rr_ms: Vec<u16>,
}

impl Details {
    /// Whether there is nothing besides.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty() && self.sets.is_empty() && self.rr_ms.is_empty()
    }
}

/// One length of a pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PoolLength {
    /// When it began.
    pub started_at: Instant,
    /// How long it took.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    /// Strokes taken.
    pub strokes: Option<u16>,
    /// `freestyle`, `breaststroke` and so on. Foreign text.
    pub stroke: Option<String>,
    /// Whether it was swum, as opposed to rested.
    pub active: bool,
}

/// One set of strength work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrengthSet {
    /// When it began.
    pub started_at: Option<Instant>,
    /// How long it took.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    /// How often.
    pub repetitions: Option<u16>,
    /// With how much, kilograms.
    pub weight_kg: Option<f64>,
    /// What, in the source's word. Foreign text.
    pub exercise: Option<String>,
    /// Whether it was work, as opposed to rest.
    pub active: bool,
}

/// Why a file could not be read at all, in a sentence for the athlete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl Unreadable {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}
