//! Periodic check that the database stores writes. `/readyz` reports the newest result and its age;
//! the check itself never runs inside a request.

use fitness_store::{DatabaseHealth, Store};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

const INTERVAL: Duration = Duration::from_secs(30);
/// After a failed check.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// A slower write counts as failed.
const TIMEOUT: Duration = Duration::from_secs(15);
/// An older result means that the check itself hangs.
const MAX_RESULT_AGE: Duration = Duration::from_secs(120);

/// How long a failed write of a request makes the server not ready.
const FAILED_WRITE_EXPIRES: Duration = Duration::from_secs(60);

/// The newest result of the check. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct HealthMonitor(Arc<Mutex<WriteCheckState>>);

#[derive(Debug, Clone, Copy, Default)]
struct WriteCheckState {
    checked: Option<CheckResult>,
    write_failed_at: Option<Instant>,
}

#[derive(Debug, Clone, Copy)]
struct CheckResult {
    checked_at: Instant,
    /// `None` when the write failed; the log says why.
    health: Option<DatabaseHealth>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready(String),
    NotReady(String),
}

impl HealthMonitor {
    /// Checks the database every 30 seconds until cancelled.
    pub async fn run(&self, store: &Store) {
        loop {
            let healthy = self.check(store).await;
            tokio::time::sleep(if healthy { INTERVAL } else { RETRY_INTERVAL }).await;
        }
    }

    /// Checks the database once; whether it stores writes.
    pub async fn check(&self, store: &Store) -> bool {
        let health = match tokio::time::timeout(TIMEOUT, store.check_health()).await {
            Ok(Ok(health)) => {
                if health.is_low_on_space() {
                    tracing::warn!(free_bytes = health.free_bytes, "low disk space");
                }
                Some(health)
            }
            Ok(Err(why)) => {
                tracing::error!(%why, "database write check failed");
                None
            }
            Err(_) => {
                tracing::error!(timeout = TIMEOUT.as_secs(), "database write check timed out");
                None
            }
        };
        self.state().checked = Some(CheckResult { checked_at: Instant::now(), health });
        health.is_some()
    }

    /// Call when the disk refused a write of a request. On PostgreSQL the check itself may still
    /// succeed, because it needs no new page.
    pub(crate) fn write_failed(&self) {
        self.state().write_failed_at = Some(Instant::now());
    }

    pub(crate) fn readiness(&self) -> Readiness {
        let WriteCheckState { checked, write_failed_at } = *self.state();
        if let Some(age) = write_failed_at.map(|at| at.elapsed()).filter(|age| *age < FAILED_WRITE_EXPIRES) {
            return Readiness::NotReady(format!(
                "The disk refused a write {} s ago. The server's log says why.",
                age.as_secs()
            ));
        }
        let Some(checked) = checked else { return Readiness::Ready("ready\n".to_owned()) };
        let age = checked.checked_at.elapsed();
        match checked.health {
            _ if age > MAX_RESULT_AGE => Readiness::NotReady(format!(
                "The database was last checked {} s ago; the check hangs.",
                age.as_secs()
            )),
            None => Readiness::NotReady(format!(
                "The database does not store writes (checked {} s ago). The server's log says why.",
                age.as_secs()
            )),
            Some(health) => {
                let space = if health.is_low_on_space() { "disk space: low\n" } else { "" };
                Readiness::Ready(format!("ready\nlast write check: {} s ago\n{space}", age.as_secs()))
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, WriteCheckState> {
        // The value is replaced as a whole; a panic elsewhere cannot leave it half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn readiness_old_result_is_not_ready() {
        let monitor = HealthMonitor::default();
        let health = Some(DatabaseHealth { free_bytes: Some(1) });
        monitor.state().checked = Some(CheckResult { checked_at: Instant::now(), health });
        let ready = Readiness::Ready("ready\nlast write check: 0 s ago\ndisk space: low\n".to_owned());
        assert_eq!(monitor.readiness(), ready);
        tokio::time::advance(Duration::from_secs(180)).await;
        assert!(matches!(monitor.readiness(), Readiness::NotReady(why) if why.contains("180 s ago")));
    }

    #[tokio::test(start_paused = true)]
    async fn readiness_counts_a_failed_write_of_a_request_for_a_minute() {
        let monitor = HealthMonitor::default();
        let health = Some(DatabaseHealth { free_bytes: None });
        monitor.write_failed();
        tokio::time::advance(Duration::from_secs(30)).await;
        monitor.state().checked = Some(CheckResult { checked_at: Instant::now(), health });
        assert!(matches!(monitor.readiness(), Readiness::NotReady(why) if why.contains("30 s ago")));
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(matches!(monitor.readiness(), Readiness::Ready(_)));
    }
}
