//! Lanes: each kind of job has its own concurrency limit and deadline.

use fitness_store::IMPORT_JOB;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// Job kind of the nightly backup; it belongs to the owner.
pub const BACKUP_JOB: &str = "backup";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    Sync,
    Brief,
    Recompute,
    Backup,
    Import,
}

impl Lane {
    pub(crate) const ALL: [Self; 5] = [Self::Sync, Self::Brief, Self::Recompute, Self::Backup, Self::Import];

    /// The job kind, as stored.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Brief => "brief",
            Self::Recompute => "recompute",
            Self::Backup => BACKUP_JOB,
            Self::Import => IMPORT_JOB,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct LaneLimits {
    /// Jobs that run at the same time, each for a different athlete.
    pub concurrency: usize,
    /// A job that takes longer fails and is retried later.
    pub deadline: Duration,
}

#[derive(Debug, Clone, Copy)]
pub struct AllLaneLimits {
    /// These jobs mostly wait for the network, so many run at once. The HTTP client gives up on a
    /// service after about five minutes; the deadline is for hangs the client does not notice.
    pub sync: LaneLimits,
    /// Few, because a model on the same machine handles one request at a time.
    pub brief: LaneLimits,
    /// CPU bound: as many as a small machine has cores to spare.
    pub recompute: LaneLimits,
    pub backup: LaneLimits,
    /// An upload of several gigabytes takes hours on a small machine.
    pub import: LaneLimits,
}

impl AllLaneLimits {
    pub(crate) const fn limits(&self, lane: Lane) -> LaneLimits {
        match lane {
            Lane::Sync => self.sync,
            Lane::Brief => self.brief,
            Lane::Recompute => self.recompute,
            Lane::Backup => self.backup,
            Lane::Import => self.import,
        }
    }
}

impl Default for AllLaneLimits {
    fn default() -> Self {
        let lane = |concurrency, minutes| LaneLimits { concurrency, deadline: MINUTE * minutes };
        Self {
            sync: lane(64, 10),
            brief: lane(4, 15),
            recompute: lane(2, 60),
            backup: lane(1, 4 * 60),
            import: lane(2, 12 * 60),
        }
    }
}
