//! Everything that nets do to services, done to both of them.

use crate::live_fixtures::*;
use fitness_sources::live::{Content, Fault, Problem, Source, Visit, Wait};
use fitness_sources::testkit::{Bad, FakeGarmin, FakeIntervals, Seen, Time};
use std::io::Write;
use std::time::Duration;

/// One of the two, freshly started and about to be visited.
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

    async fn again(&self) -> Self {
        Self::fresh(matches!(self, Self::Garmin(_))).await
    }

    fn at(&self, request: usize, bad: Bad) {
        match self {
            Self::Garmin(fake) => fake.misbehave_at(request, bad),
            Self::Intervals(fake) => fake.misbehave_at(request, bad),
        }
    }

    fn on(&self, part: &str, bad: Bad) {
        match self {
            Self::Garmin(fake) => fake.misbehave_on(part, usize::MAX, bad),
            Self::Intervals(fake) => fake.misbehave_on(part, usize::MAX, bad),
        }
    }

    fn seen(&self) -> Vec<Seen> {
        match self {
            Self::Garmin(fake) => fake.seen(),
            Self::Intervals(fake) => fake.seen(),
        }
    }

    async fn visit(&self) -> (Result<Visit, Fault>, Ear, Time) {
        match self {
            Self::Garmin(fake) => {
                let time = fake.time(now());
                let (visit, ear) = visit_garmin(fake, &time).await;
                (visit, ear, time)
            }
            Self::Intervals(fake) => {
                let time = fake.time(now());
                let (visit, ear) = visit_intervals(fake, &time).await;
                (visit, ear, time)
            }
        }
    }
}

/// The waits before asking again, in order.
fn again(time: &Time) -> Vec<Duration> {
    let again = |wait: &Wait| matches!(wait, Wait::Again(_)).then(|| wait.length());
    time.waits().iter().filter_map(again).collect()
}

/// Fails one request in some way; the next try makes good for it, and nobody notices but the clock.
async fn is_made_good(fake: &Fake, request: usize, bad: Bad, expected: &(Visit, Ear)) -> Vec<Duration> {
    let fake = fake.again().await;
    fake.at(request, bad.clone());
    let (visit, ear, time) = fake.visit().await;
    assert_eq!(visit.as_ref(), Ok(&expected.0), "{bad:?} at {request}");
    assert_eq!(ear.heard, expected.1.heard, "{bad:?} at {request}");
    let waits = again(&time);
    assert_eq!(waits.len(), 1, "{bad:?} at {request}");
    waits
}

#[tokio::test]
async fn an_answer_that_stops_at_any_byte_is_asked_for_again() {
    for fake in Fake::both().await {
        let (visit, ear, _) = fake.visit().await;
        let expected = (visit.unwrap(), ear);
        let mut places = 0;
        for (index, seen) in fake.seen().iter().enumerate() {
            for byte in (0..seen.length).step_by(97) {
                let waits = is_made_good(&fake, index + 1, Bad::Stall(byte), &expected).await;
                assert!(waits[0] <= Duration::from_secs(1));
                places += 1;
            }
            is_made_good(&fake, index + 1, Bad::Silence, &expected).await;
        }
        assert!(places >= 5, "{places}");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_anywhere_is_asked_for_again() {
    for fake in Fake::both().await {
        let (visit, ear, _) = fake.visit().await;
        let expected = (visit.unwrap(), ear);
        for (index, seen) in fake.seen().iter().enumerate().filter(|(_, seen)| seen.length > 0) {
            for byte in [0, 1, seen.length / 2, seen.length - 1] {
                is_made_good(&fake, index + 1, Bad::Cut(byte), &expected).await;
                // Without a declared length only JSON shows that it is cut; text and files could be whole.
                let json = seen.target.contains("stats/") || seen.target.contains("wellness?");
                if json {
                    is_made_good(&fake, index + 1, Bad::CutUndeclared(byte), &expected).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_busy_service_is_asked_again_when_it_says() {
    for fake in Fake::both().await {
        let (visit, ear, _) = fake.visit().await;
        let expected = (visit.unwrap(), ear);
        for request in 1..=fake.seen().len() {
            for (after, seconds) in [("14", 14), ("9999", 120), ("Mon, 15 Jun 2026 06:00:00 GMT", 0)] {
                let waits = is_made_good(&fake, request, Bad::Busy(Some(after.to_owned())), &expected).await;
                assert_eq!(waits, [Duration::from_secs(seconds)]);
            }
            let waits = is_made_good(&fake, request, Bad::Busy(None), &expected).await;
            assert!(waits[0] <= Duration::from_secs(1));
            for status in [500, 502, 503, 526] {
                is_made_good(&fake, request, Bad::Page(status), &expected).await;
            }
        }
    }
}

/// What a dataset's path has in it, what it is called, and what an answer of it may be.
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
async fn one_dataset_that_stays_broken_is_named_and_the_rest_is_told() {
    for fake in Fake::both().await {
        for (part, name) in datasets(&fake) {
            for (bad, problem, tries) in [
                (Bad::Page(500), Problem::Status(500), 5),
                (Bad::Page(502), Problem::Status(502), 5),
                (Bad::Busy(None), Problem::Busy, 5),
                (Bad::Stall(1), Problem::Stalled, 5),
                (Bad::Cut(1), Problem::Cut, 5),
                (Bad::Page(418), Problem::Status(418), 1),
                (Bad::Redirect("/elsewhere".to_owned()), Problem::Redirect, 1),
            ] {
                let fake = fake.again().await;
                fake.on(part, bad.clone());
                let (visit, ear, time) = fake.visit().await;
                let visit = visit.unwrap();
                let of_it: Vec<&Problem> =
                    visit.missing.iter().filter(|one| one.dataset == name).map(|one| &one.reason).collect();
                assert!(of_it.contains(&&problem), "{part} {bad:?}: {:?}", visit.missing);
                let asked = fake.seen().iter().filter(|seen| seen.target.contains(part)).count();
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
async fn an_answer_without_end_is_not_read_to_its_end() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let bytes = bomb();
    assert!(bytes.len() < 100_000);
    fake.misbehave_on("/wellness?", usize::MAX, Bad::Body { bytes, gzip: true });
    let (visit, ear) = visit_intervals(&fake, &fake.time(now())).await;
    assert_eq!(visit.unwrap().missing[0].reason, Problem::TooLarge { limit: 64_000_000 });
    assert_eq!((ear.activities().len(), fake.seen().len()), (3, 4));
}

/// 70 MB of spaces, packed. A million of them are packed once and that is repeated.
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
async fn something_else_than_json_is_named_for_what_it_is() {
    for fake in Fake::both().await {
        let (part, name) = *datasets(&fake).last().unwrap();
        let body = |bytes: &[u8]| Bad::Body { bytes: bytes.to_vec(), gzip: false };
        for (bad, problem) in [
            (body(b"<html>secret-of-the-server</html>"), Problem::NotJson(Content::Html)),
            (body(b"secret-of-the-server"), Problem::NotJson(Content::Text)),
            (body(&[0, 1, 2]), Problem::NotJson(Content::Binary)),
            (body(b"\"text\""), Problem::OtherShape),
        ] {
            let fake = fake.again().await;
            fake.on(part, bad);
            let (visit, _, _) = fake.visit().await;
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
async fn a_service_that_no_longer_answers_is_left_alone() {
    for fake in Fake::both().await {
        // The first thing after the exchange breaks, and everything after it.
        fake.on("", Bad::Page(503));
        let (fault, ear, _) = fake.visit().await;
        assert!(matches!(fault, Err(Fault::Failed { problem: Problem::Status(503), .. })), "{fault:?}");
        assert!(ear.heard.is_empty());
        assert!(fake.seen().len() <= 10);
    }
    let fake = FakeGarmin::start(garmin_week()).await;
    fake.misbehave_on("wellness-service", usize::MAX, Bad::Page(503));
    fake.misbehave_on("weight-service", usize::MAX, Bad::Page(503));
    let (visit, ear) = visit_garmin(&fake, &fake.time(now())).await;
    let visit = visit.unwrap();
    // Body battery and weight got no answer, one after the other: what follows is not asked for.
    assert_eq!((visit.activities_complete, ear.activities().len(), visit.newest_record), (false, 0, None));
    assert!(visit.missing.iter().any(|one| one.dataset == "activities" && one.reason == Problem::NotAsked));
    // Nothing is there at all.
    let time = fake.time(now());
    let mut account = garmin(&fake, &time);
    drop(fake);
    let fault = account.fetch(week(), &mut Ear::default()).await.unwrap_err();
    assert_eq!(fault, Fault::Failed { dataset: "token", problem: Problem::Unreachable });
    assert_eq!(again(&time).len(), 4);
}

#[tokio::test]
async fn a_redirect_does_not_carry_the_key_elsewhere() {
    for fake in Fake::both().await {
        let requests = {
            let clean = fake.again().await;
            clean.visit().await.0.unwrap();
            clean.seen().len()
        };
        for request in 1..=requests {
            let (fake, elsewhere) = (fake.again().await, FakeGarmin::start(garmin_week()).await);
            fake.at(request, Bad::Redirect(format!("{}/hrv-service/hrv/2026-06-14", elsewhere.base_url())));
            let (visit, _, _) = fake.visit().await;
            match visit {
                Ok(visit) => {
                    assert_eq!(visit.missing.iter().filter(|one| one.reason == Problem::Redirect).count(), 1)
                }
                Err(fault) => {
                    assert_eq!(fault, Fault::Failed { dataset: "token", problem: Problem::Redirect })
                }
            }
            assert_eq!(elsewhere.seen(), []);
        }
    }
}
