//! Network errors of both services.

use crate::live_fixtures::*;
use fitness_sources::live::{DatasetError, DelayReason, FetchError, FetchOutcome, Source, UnexpectedContent};
use fitness_sources::testkit::{FakeClock, FakeGarmin, FakeIntervals, Misbehavior, RecordedRequest};
use std::io::Write;
use std::time::Duration;

/// One of the two fake services.
enum Fake {
    Garmin(FakeGarmin),
    Intervals(FakeIntervals),
}

impl Fake {
    async fn both() -> [Self; 2] {
        [Self::fresh(true).await, Self::fresh(false).await]
    }

    async fn fresh(garmin: bool) -> Self {
        if garmin {
            Self::Garmin(FakeGarmin::start(garmin_week()).await)
        } else {
            Self::Intervals(FakeIntervals::start(intervals_week()).await)
        }
    }

    async fn restart(&self) -> Self {
        Self::fresh(matches!(self, Self::Garmin(_))).await
    }

    fn misbehave_at(&self, request: usize, bad: Misbehavior) {
        match self {
            Self::Garmin(fake) => fake.misbehave_at(request, bad),
            Self::Intervals(fake) => fake.misbehave_at(request, bad),
        }
    }

    fn misbehave_on(&self, part: &str, bad: Misbehavior) {
        match self {
            Self::Garmin(fake) => fake.misbehave_on(part, usize::MAX, bad),
            Self::Intervals(fake) => fake.misbehave_on(part, usize::MAX, bad),
        }
    }

    fn requests(&self) -> Vec<RecordedRequest> {
        match self {
            Self::Garmin(fake) => fake.requests(),
            Self::Intervals(fake) => fake.requests(),
        }
    }

    async fn fetch(&self) -> (Result<FetchOutcome, FetchError>, RecordingListener, FakeClock) {
        match self {
            Self::Garmin(fake) => {
                let time = fake.clock(now());
                let (visit, ear) = fetch_garmin(fake, &time).await;
                (visit, ear, time)
            }
            Self::Intervals(fake) => {
                let time = fake.clock(now());
                let (visit, ear) = fetch_intervals(fake, &time).await;
                (visit, ear, time)
            }
        }
    }
}

/// Retry delays, in order.
fn again(time: &FakeClock) -> Vec<Duration> {
    let again = |wait: &DelayReason| matches!(wait, DelayReason::Retry(_)).then(|| wait.duration());
    time.delays().iter().filter_map(again).collect()
}

/// Fails one request; the retry succeeds, and the result is the same.
async fn assert_recovers(
    fake: &Fake,
    request: usize,
    bad: Misbehavior,
    expected: &(FetchOutcome, RecordingListener),
) -> Vec<Duration> {
    let fake = fake.restart().await;
    fake.misbehave_at(request, bad.clone());
    let (visit, ear, time) = fake.fetch().await;
    assert_eq!(visit.as_ref(), Ok(&expected.0), "{bad:?} at {request}");
    assert_eq!(ear.items, expected.1.items, "{bad:?} at {request}");
    let waits = again(&time);
    assert_eq!(waits.len(), 1, "{bad:?} at {request}");
    waits
}

#[tokio::test]
async fn response_stalled_at_any_byte_is_retried() {
    for fake in Fake::both().await {
        let (visit, ear, _) = fake.fetch().await;
        let expected = (visit.unwrap(), ear);
        let mut places = 0;
        for (index, seen) in fake.requests().iter().enumerate() {
            for byte in (0..seen.length).step_by(97) {
                let waits = assert_recovers(&fake, index + 1, Misbehavior::Stall(byte), &expected).await;
                assert!(waits[0] <= Duration::from_secs(1));
                places += 1;
            }
            assert_recovers(&fake, index + 1, Misbehavior::Silence, &expected).await;
        }
        assert!(places >= 5, "{places}");
    }
}

#[tokio::test]
async fn response_cut_at_any_byte_is_retried() {
    for fake in Fake::both().await {
        let (visit, ear, _) = fake.fetch().await;
        let expected = (visit.unwrap(), ear);
        for (index, seen) in fake.requests().iter().enumerate().filter(|(_, seen)| seen.length > 0) {
            for byte in [0, 1, seen.length / 2, seen.length - 1] {
                assert_recovers(&fake, index + 1, Misbehavior::Cut(byte), &expected).await;
                // Without Content-Length, truncation is detectable only in JSON.
                let json = seen.target.contains("stats/") || seen.target.contains("wellness?");
                if json {
                    assert_recovers(&fake, index + 1, Misbehavior::CutUndeclared(byte), &expected).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn busy_service_is_retried_after_retry_after() {
    for fake in Fake::both().await {
        let (visit, ear, _) = fake.fetch().await;
        let expected = (visit.unwrap(), ear);
        for request in 1..=fake.requests().len() {
            for (after, seconds) in [("14", 14), ("9999", 120), ("Mon, 15 Jun 2026 06:00:00 GMT", 0)] {
                let waits =
                    assert_recovers(&fake, request, Misbehavior::Busy(Some(after.to_owned())), &expected)
                        .await;
                assert_eq!(waits, [Duration::from_secs(seconds)]);
            }
            let waits = assert_recovers(&fake, request, Misbehavior::Busy(None), &expected).await;
            assert!(waits[0] <= Duration::from_secs(1));
            for status in [500, 502, 503, 526] {
                assert_recovers(&fake, request, Misbehavior::Page(status), &expected).await;
            }
        }
    }
}

/// Part of each dataset's path, and its name.
fn datasets(fake: &Fake) -> Vec<(&'static str, &'static str)> {
    match fake {
        Fake::Garmin(_) => vec![
            ("stats/steps", "steps"),
            ("stats/stress", "stress"),
            ("hrv-service", "hrv"),
            ("bodyBattery", "body_battery"),
            ("weight-service", "weight"),
            ("dailysummaries", "summaries"),
            ("dailySleepSummaries", "sleep_summaries"),
            ("dailyHeartRate", "daily_heart_rate"),
            ("heartRateZones", "heart_rate_zones"),
            ("search/activities", "activities"),
        ],
        Fake::Intervals(_) => vec![("/wellness?", "wellness"), ("/activities?", "activities")],
    }
}

#[tokio::test]
async fn broken_dataset_is_reported_and_the_rest_fetched() {
    for fake in Fake::both().await {
        for (part, name) in datasets(&fake) {
            for (bad, problem, tries) in [
                (Misbehavior::Page(500), DatasetError::Status(500), 5),
                (Misbehavior::Page(502), DatasetError::Status(502), 5),
                (Misbehavior::Busy(None), DatasetError::Busy, 5),
                (Misbehavior::Stall(1), DatasetError::Stalled, 5),
                (Misbehavior::Cut(1), DatasetError::Truncated, 5),
                (Misbehavior::Page(418), DatasetError::Status(418), 1),
                (Misbehavior::Redirect("/elsewhere".to_owned()), DatasetError::Redirect, 1),
            ] {
                let fake = fake.restart().await;
                fake.misbehave_on(part, bad.clone());
                let (visit, ear, time) = fake.fetch().await;
                let visit = visit.unwrap();
                let of_it: Vec<&DatasetError> =
                    visit.missing.iter().filter(|one| one.dataset == name).map(|one| &one.reason).collect();
                assert!(of_it.contains(&&problem), "{part} {bad:?}: {:?}", visit.missing);
                let asked = fake.requests().iter().filter(|seen| seen.target.contains(part)).count();
                assert_eq!(asked, tries, "{part} {bad:?}");
                for (index, wait) in again(&time).iter().enumerate() {
                    assert!(*wait <= Duration::from_secs(1 << index), "{wait:?} before try {}", index + 2);
                }
                assert_eq!(again(&time).len(), tries - 1);
                assert_eq!(visit.activities_complete, name != "activities");
                assert_eq!(ear.activities().is_empty(), name == "activities");
                let text = format!("{visit:?}");
                assert!(!text.contains("secret-of-the-server") && !text.contains(KEY), "{text}");
            }
        }
    }
}

#[tokio::test]
async fn oversized_response_is_aborted() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let bytes = bomb();
    assert!(bytes.len() < 100_000);
    fake.misbehave_on("/wellness?", usize::MAX, Misbehavior::Body { bytes, gzip: true });
    let (visit, ear) = fetch_intervals(&fake, &fake.clock(now())).await;
    assert_eq!(visit.unwrap().missing[0].reason, DatasetError::TooLarge { limit: 64_000_000 });
    assert_eq!((ear.activities().len(), fake.requests().len()), (3, 4));
}

/// 70 MB of spaces as gzip: one compressed megabyte, repeated.
fn bomb() -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let mut million = || {
        let before = packer.get_ref().len();
        packer.write_all(&vec![b' '; 1_000_000]).unwrap();
        packer.flush().unwrap();
        packer.get_ref()[before..].to_vec()
    };
    let (first, next) = (million(), million());
    [first, next.repeat(69)].concat()
}

#[tokio::test]
async fn non_json_response_is_described() {
    for fake in Fake::both().await {
        let (part, name) = *datasets(&fake).last().unwrap();
        let body = |bytes: &[u8]| Misbehavior::Body { bytes: bytes.to_vec(), gzip: false };
        for (bad, problem) in [
            (body(b"<html>secret-of-the-server</html>"), DatasetError::NotJson(UnexpectedContent::Html)),
            (body(b"secret-of-the-server"), DatasetError::NotJson(UnexpectedContent::Text)),
            (body(&[0, 1, 2]), DatasetError::NotJson(UnexpectedContent::Binary)),
            (body(b"\"text\""), DatasetError::UnexpectedShape),
        ] {
            let fake = fake.restart().await;
            fake.misbehave_on(part, bad);
            let (visit, _, _) = fake.fetch().await;
            let visit = visit.unwrap();
            assert!(
                visit.missing.iter().any(|one| one.dataset == name && one.reason == problem),
                "{visit:?}"
            );
            assert!(!format!("{visit:?}").contains("secret-of-the-server"));
        }
    }
}

#[tokio::test]
async fn unresponsive_service_is_not_asked_further() {
    for fake in Fake::both().await {
        // Everything after the token request fails.
        fake.misbehave_on("", Misbehavior::Page(503));
        let (fault, ear, _) = fake.fetch().await;
        assert!(
            matches!(fault, Err(FetchError::Failed { problem: DatasetError::Status(503), .. })),
            "{fault:?}"
        );
        assert!(ear.items.is_empty());
        assert!(fake.requests().len() <= 10);
    }
    let fake = FakeGarmin::start(garmin_week()).await;
    fake.misbehave_on("wellness-service", usize::MAX, Misbehavior::Page(503));
    fake.misbehave_on("weight-service", usize::MAX, Misbehavior::Page(503));
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    let visit = visit.unwrap();
    // Body battery and weight got no response, so the rest is not requested.
    assert_eq!((visit.activities_complete, ear.activities().len(), visit.newest_record), (false, 0, None));
    assert!(
        visit
            .missing
            .iter()
            .any(|one| one.dataset == "activities" && one.reason == DatasetError::NotRequested)
    );
    // All requests fail.
    let time = fake.clock(now());
    let mut account = garmin(&fake, &time);
    drop(fake);
    let fault = account.fetch(week(), &mut RecordingListener::default()).await.unwrap_err();
    assert_eq!(fault, FetchError::Failed { dataset: "token", problem: DatasetError::Unreachable });
    assert_eq!(again(&time).len(), 4);
}

#[tokio::test]
async fn redirect_is_not_followed() {
    for fake in Fake::both().await {
        let requests = {
            let clean = fake.restart().await;
            clean.fetch().await.0.unwrap();
            clean.requests().len()
        };
        for request in 1..=requests {
            let (fake, elsewhere) = (fake.restart().await, FakeGarmin::start(garmin_week()).await);
            fake.misbehave_at(
                request,
                Misbehavior::Redirect(format!("{}/hrv-service/hrv/2026-06-14", elsewhere.base_url())),
            );
            let (visit, _, _) = fake.fetch().await;
            match visit {
                Ok(visit) => {
                    assert_eq!(
                        visit.missing.iter().filter(|one| one.reason == DatasetError::Redirect).count(),
                        1
                    )
                }
                Err(fault) => {
                    assert_eq!(
                        fault,
                        FetchError::Failed { dataset: "token", problem: DatasetError::Redirect }
                    )
                }
            }
            assert_eq!(elsewhere.requests(), []);
        }
    }
}
