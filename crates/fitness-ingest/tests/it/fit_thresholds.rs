//! Thresholds and zones in FIT files are stored as reported, with the day of the activity. What the
//! athlete sets wins.

use crate::fixtures::{clock, reimport};
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use fitness_core::metrics::thresholds::in_force::in_force;
use fitness_store::on_both_databases;

/// 1 June 2026, 08:00 UTC, in FIT time.
const START: u32 = 1_149_235_200;

/// A message with its own definition; fields are number, base type and bytes.
fn message(number: u16, fields: &[(u8, u8, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0x40, 0, 0];
    bytes.extend(number.to_le_bytes());
    bytes.push(fields.len() as u8);
    for (field, base, value) in fields {
        bytes.extend([*field, value.len() as u8, *base]);
    }
    bytes.push(0);
    fields.iter().for_each(|(.., value)| bytes.extend_from_slice(value));
    bytes
}

/// A run of a watch that knows the athlete's max HR.
fn run(day: u32, max_heart_rate: u8) -> Vec<u8> {
    let start = START + day * 86_400;
    let mut data = message(0, &[(0, 0, &[4])]);
    for second in 0..60_u32 {
        data.extend(message(20, &[(253, 0x86, &(start + second).to_le_bytes()), (3, 2, &[140])]));
    }
    data.extend(message(
        216,
        &[
            (0, 0x84, &18_u16.to_le_bytes()),
            (6, 2, &[93, 112, 130, 149, 167, max_heart_rate]),
            (11, 2, &[max_heart_rate]),
        ],
    ));
    data.extend(message(
        18,
        &[(2, 0x86, &start.to_le_bytes()), (5, 0, &[1]), (7, 0x86, &60_000_u32.to_le_bytes())],
    ));
    let mut file = vec![12, 0x10, 0, 0];
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(b".FIT");
    file.extend(data);
    file.extend([0, 0]);
    file
}

on_both_databases! {
    async fn thresholds_in_fit_files_are_stored_by_day_and_the_athlete_overrides_them(db) {
        let ann = db.user("Ann").await;
        let folder = tempfile::TempDir::new().unwrap();
        for (day, max) in [(3, 188), (0, 186), (1, 186), (2, 188)] {
            std::fs::write(folder.path().join(format!("{}.fit", 9 - day)), run(day, max)).unwrap();
        }
        let paths = [folder.path().to_owned()];
        reimport(&db.store, ann, &paths).await;
        let reported = || async {
            let held = db.store.list_thresholds(ann).await.unwrap();
            let mut told: Vec<(String, f64)> = held
                .iter()
                .filter(|one| one.kind == ThresholdKind::MaxHeartRate && one.origin == ThresholdOrigin::Reported)
                .map(|one| (one.from.to_string(), one.value))
                .collect();
            told.sort_by(|a, b| a.0.cmp(&b.0));
            told
        };
        let changes = [("2026-06-01".to_owned(), 186.0), ("2026-06-03".to_owned(), 188.0)];
        assert_eq!(reported().await, changes, "only changes are stored");
        let zones = db.store.list_zones(ann).await.unwrap();
        assert_eq!(zones.len(), 1, "the lower bounds did not change");
        assert_eq!(zones[0].zones.lower_bounds(), [93.0, 112.0, 130.0, 149.0, 167.0]);
        reimport(&db.store, ann, &paths).await;
        assert_eq!(reported().await, changes, "importing again changes nothing");

        let day = "2026-06-04".parse().unwrap();
        let set = Threshold {
            kind: ThresholdKind::MaxHeartRate,
            value: 192.0,
            from: "2026-05-01".parse().unwrap(),
            origin: ThresholdOrigin::Set,
        };
        db.store.put_threshold(ann, &set, clock()).await.unwrap();
        let held = db.store.list_thresholds(ann).await.unwrap();
        assert_eq!(in_force(&held, ThresholdKind::MaxHeartRate, day).unwrap().value(), 192.0);
    }
}
