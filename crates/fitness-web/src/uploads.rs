//! Files that were uploaded and are being imported: how far each is, until the server ends. What came of one is in the
//! athlete's sync history as well.

use fitness_core::ids::UserId;
use fitness_ingest::{Outcome, Progress};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// As many ended imports are remembered before the oldest is forgotten.
const REMEMBERED: usize = 200;

/// How far an import is.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// Files are looked at; so many of so many, and so many activities found.
    Reading { total: Option<u64>, files: u64, activities: u64 },
    /// All files are in, and what they mean is being worked out.
    WorkingOut { activities: u64 },
    /// Everything is in.
    Done(Arc<Outcome>),
    /// It did not work; what was taken in before that is kept.
    Failed,
}

impl Stage {
    /// Whether it has ended.
    pub(crate) const fn over(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Failed)
    }
}

/// One upload.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    pub(crate) user: UserId,
    pub(crate) stage: Stage,
}

/// All of them, by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uploads(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    all: BTreeMap<u64, Upload>,
}

impl Uploads {
    /// Begins one; `None` when the athlete has one that has not ended.
    pub(crate) fn begin(&self, user: UserId) -> Option<Tracked> {
        let mut inner = self.lock();
        if inner.all.values().any(|upload| upload.user == user && !upload.stage.over()) {
            return None;
        }
        while inner.all.len() >= REMEMBERED {
            let oldest = inner.all.iter().find(|(_, upload)| upload.stage.over()).map(|(id, _)| *id)?;
            inner.all.remove(&oldest);
        }
        inner.last += 1;
        let id = inner.last;
        let stage = Stage::Reading { total: None, files: 0, activities: 0 };
        inner.all.insert(id, Upload { user, stage });
        Some(Tracked { id, uploads: self.clone() })
    }

    /// How far one of an athlete's is.
    pub(crate) fn find(&self, user: UserId, id: u64) -> Option<Stage> {
        self.lock().all.get(&id).filter(|upload| upload.user == user).map(|upload| upload.stage.clone())
    }

    /// The one of an athlete's that has not ended.
    pub(crate) fn under_way(&self, user: UserId) -> Option<u64> {
        let inner = self.lock();
        let mut own = inner.all.iter().filter(|(_, upload)| upload.user == user && !upload.stage.over());
        own.next().map(|(id, _)| *id)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Whoever panicked while holding it left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that is under way, as whoever does the work sees it. Dropped without an end, it failed.
#[derive(Debug)]
pub(crate) struct Tracked {
    pub(crate) id: u64,
    uploads: Uploads,
}

impl Tracked {
    /// Everything is in.
    pub(crate) fn done(self, outcome: Outcome) {
        self.set(|_| Stage::Done(Arc::new(outcome)));
    }

    fn set(&self, next: impl FnOnce(&Stage) -> Stage) {
        if let Some(upload) = self.uploads.lock().all.get_mut(&self.id) {
            upload.stage = next(&upload.stage);
        }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.set(|stage| if stage.over() { stage.clone() } else { Stage::Failed });
    }
}

impl Progress for Tracked {
    fn total(&mut self, total: u64) {
        self.set(|_| Stage::Reading { total: Some(total), files: 0, activities: 0 });
    }

    fn done(&mut self, files: u64, activities: u64) {
        self.set(|stage| {
            let total = if let Stage::Reading { total, .. } = stage { *total } else { None };
            Stage::Reading { total, files, activities }
        });
    }

    fn worked_out(&mut self, activities: u64) {
        self.set(|_| Stage::WorkingOut { activities });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_athlete_has_one_import_at_a_time_and_sees_only_their_own() {
        let uploads = Uploads::default();
        let (ann, ben) = (UserId::new(1), UserId::new(2));
        let mut first = uploads.begin(ann).unwrap();
        assert!(uploads.begin(ann).is_none());
        let second = uploads.begin(ben).unwrap();
        assert!(uploads.find(ben, first.id).is_none());
        Progress::done(&mut first, 3, 2);
        assert!(matches!(uploads.find(ann, first.id), Some(Stage::Reading { files: 3, activities: 2, .. })));
        let id = first.id;
        first.done(Outcome::default());
        assert!(matches!(uploads.find(ann, id), Some(Stage::Done(_))));
        assert_eq!(uploads.under_way(ann), None);
        let id = second.id;
        drop(second);
        assert!(matches!(uploads.find(ben, id), Some(Stage::Failed)), "nobody ended it");
        assert!(uploads.begin(ann).is_some());
    }
}
