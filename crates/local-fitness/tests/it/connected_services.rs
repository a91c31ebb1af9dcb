//! Connected services with the real binary, against a fake Garmin.

use crate::harness::{Home, now};
use fitness_sources::testkit::{FakeGarmin, GarminActivity, GarminData, GarminDay};
use std::path::Path;

const KEY: &str = "GCDC_0123456789-secret-of-the-athlete";

fn account() -> GarminData {
    let activity = GarminActivity {
        id: 7,
        kind: "running",
        started_at: "2026-06-11T06:00:00Z".parse().unwrap(),
        offset_h: 2,
        seconds: 3000,
        file: None,
        leg_of: None,
    };
    let day = GarminDay { steps: Some(9000), resting: Some(48), lowest: Some(44), ..GarminDay::default() };
    let days = [("2026-06-11".parse().unwrap(), day)].into();
    GarminData { key: KEY.to_owned(), days, activities: vec![activity], ..GarminData::default() }
}

/// A file in the home directory that contains the secret.
fn find_file_with_secret(home: &Home, secret: &str) -> Option<String> {
    let has = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.windows(secret.len()).any(|part| part == secret.as_bytes())
    };
    home.files().into_iter().find(|path| path.is_file() && has(path)).map(|path| path.display().to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garmin_is_connected_probed_synced_and_removed() {
    let fake = FakeGarmin::start(account()).await;
    let address = fake.base_url();
    let story = tokio::task::spawn_blocking(move || {
        let home = Home::new();
        home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
        assert!(home.ok(&["source", "list"]).contains("fitness source add garmin"));
        assert!(home.expect_error(&["sync"]).contains("no service connected"));
        assert!(home.expect_error(&["sync", "garmin"]).contains("fitness source add garmin"));
        assert!(home.expect_error(&["source", "probe", "garmin"]).contains("Garmin is not connected"));
        assert!(
            home.expect_error(&["source", "add", "garmin"])
                .contains("cannot ask for the key without a terminal")
        );
        let plain = home.run_with(
            "GARMIN_PERSONAL_API_KEY",
            KEY,
            &["source", "add", "garmin", "--address", "http://example.com"],
        );
        assert!(plain.expect_error(&["http"]).contains("https://"), "keys are only sent over HTTPS");
        let ends = "2020-01-01";
        let ended =
            home.run_with("GARMIN_PERSONAL_API_KEY", KEY, &["source", "add", "garmin", "--expires", ends]);
        assert!(ended.expect_error(&["ended"]).contains("has already expired"));

        let add = ["source", "add", "garmin", "--address", &address, "--expires", "2099-01-01"];
        let added = home.run_with("GARMIN_PERSONAL_API_KEY", KEY, &add);
        assert_eq!(added.code, Some(0), "{added:?}");
        assert!(
            added.out.contains("experimental") && added.out.contains("stored encrypted"),
            "{}",
            added.out
        );
        let again = home.run_with("GARMIN_PERSONAL_API_KEY", KEY, &add);
        assert!(again.expect_error(&add).contains("fitness source key 1"));
        assert_eq!(find_file_with_secret(&home, KEY), None, "the key is stored only encrypted");

        let probed = home.run(&["source", "probe", "garmin"]);
        assert!(probed.out.contains("200 activities") && probed.out.contains("200 steps"), "{}", probed.out);
        for value in ["9000", "2026-06-11", "No. 7", KEY] {
            assert!(!probed.out.contains(value), "a probe shows no value: {value}");
        }
        let synced = home.json(&["sync", "garmin", "--since", "2026-06-01"]);
        assert_eq!(synced[0]["outcome"]["added"], 1, "{synced}");
        let again = home.json(&["sync", "--since", "2026-06-01"]);
        assert_eq!(again[0]["outcome"]["added"], 0, "{again}");
        assert_eq!(home.json(&["activity", "list"])[0]["name"], "No. 7");
        assert!(home.expect_error(&["sync", "--since", "2099-01-01"]).contains("is in the future"));
        assert!(home.ok(&["source", "list"]).contains("2099-01-01"));

        // The stored key cannot be decrypted without the encryption key.
        let key_file = home.path(".config/local-fitness/sealing.key");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode =
                |mode| std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(std::fs::metadata(&key_file).unwrap().permissions().mode() & 0o777, 0o600);
            mode(0o644);
            assert!(home.expect_error(&["sync"]).contains("chmod 600"));
            mode(0o600);
        }
        let other = home.run_with("FITNESS_KEY", "07".repeat(32), &["sync"]);
        assert!(other.expect_error(&["FITNESS_KEY"]).contains("cannot decrypt the API key of this source"));
        let bad = home.run_with("FITNESS_KEY", "secret", &["sync"]);
        assert!(bad.expect_error(&["FITNESS_KEY"]).contains("64 hexadecimal digits"));

        // Warnings about a key that expires within a week.
        let soon = (chrono_today() + chrono::Days::new(5)).to_string();
        let file = home.file("key", KEY);
        home.ok(&["source", "key", "1", "--key-file", &file, "--expires", &soon]);
        std::fs::remove_file(file).unwrap();
        for command in [&["sync", "--since", "2026-06-01"][..], &["source", "list"], &["doctor"]] {
            let said = home.ok(command);
            assert!(said.contains(&format!("expires on {soon}")), "{command:?}: {said}");
        }

        home.ok(&["source", "remove", "1"]);
        assert!(home.expect_error(&["source", "remove", "1"]).contains("there is no source 1"));
        assert_eq!(home.json(&["activity", "list"]).as_array().unwrap().len(), 1, "imported data stays");
        home
    });
    story.await.unwrap();
    assert_eq!(fake.violations(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rejected_key_is_reported_without_the_key() {
    let fake = FakeGarmin::start(GarminData { key: "another".to_owned(), ..account() }).await;
    let address = fake.base_url();
    let story = tokio::task::spawn_blocking(move || {
        let home = Home::new();
        home.ok(&["user", "add", "Ann"]);
        let file = home.file("key", KEY);
        home.ok(&["source", "add", "garmin", "--address", &address, "--key-file", &file]);
        let refused = home.expect_error(&["sync"]);
        assert!(
            refused.contains("expired or was revoked") && refused.contains("personalApiToken"),
            "{refused}"
        );
        assert!(!refused.contains(KEY));
    });
    story.await.unwrap();
}

fn chrono_today() -> chrono::NaiveDate {
    now().date_naive()
}
