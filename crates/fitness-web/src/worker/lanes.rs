//! Lanes: each kind of job runs beside the others, a few at a time, and none for ever.

use fitness_store::IMPORT_JOB;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// The kind of job that makes the night's backup; it belongs to the owner.
pub const BACKUP_JOB: &str = "backup";

/// What runs in one lane.
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

    /// The kind of its jobs.
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

/// What a lane may use.
#[derive(Debug, Clone, Copy)]
pub struct LaneLimits {
    /// So many jobs run at once, each of another athlete.
    pub concurrency: usize,
    /// A job that takes longer has failed, and is tried again later.
    pub deadline: Duration,
}

/// The limits of every lane.
#[derive(Debug, Clone, Copy)]
pub struct Lanes {
    /// Asks services for new data. These jobs mostly wait, so many run at once. The HTTP client gives up on a service after
    /// about five minutes; the deadline catches what the client does not notice.
    pub sync: LaneLimits,
    /// Writing briefs. Few, as a model on the same machine answers one after the other.
    pub brief: LaneLimits,
    /// Working out metrics: as many as a small machine has cores to spare.
    pub recompute: LaneLimits,
    /// The night's backup.
    pub backup: LaneLimits,
    /// Importing uploads. One of several gigabytes takes long on a small machine.
    pub import: LaneLimits,
}

impl Lanes {
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

impl Default for Lanes {
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
