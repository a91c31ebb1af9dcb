//! A watch writes many small wellness files per day. Their readings are merged over the whole day.

use crate::fixtures::reimport;
use fitness_store::on_both_databases;
use fitness_store::testkit::june;
use std::path::{Path, PathBuf};

/// 2026-06-13T00:00:00Z in seconds of the FIT epoch.
const MIDNIGHT: u32 = 1_150_243_200;
const STRESS_LEVEL: u16 = 227;
const RESPIRATION_RATE: u16 = 297;
const SPO2_DATA: u16 = 269;
const MONITORING_HR_DATA: u16 = 211;

const ENUM: u8 = 0x00;
const UINT8: u8 = 0x02;
const SINT16: u8 = 0x83;
const UINT32: u8 = 0x86;

/// A field: number, base type and bytes.
type Field<'a> = (u8, u8, &'a [u8]);

/// A message with its definition.
fn message(bytes: &mut Vec<u8>, number: u16, fields: &[Field<'_>]) {
    bytes.extend([0x40, 0, 0]);
    bytes.extend(number.to_le_bytes());
    bytes.push(fields.len() as u8);
    for (field, kind, value) in fields {
        bytes.extend([*field, value.len() as u8, *kind]);
    }
    bytes.push(0);
    fields.iter().for_each(|(_, _, value)| bytes.extend(*value));
}

/// A monitoring file with these readings: hour, stress, breaths, SpO2 and resting heart rate.
fn wellness_file(folder: &Path, name: &str, readings: &[(u32, i16, i16, u8, u8)]) -> PathBuf {
    let mut data = Vec::new();
    message(&mut data, 0, &[(0, ENUM, &[32])]);
    for (hour, stress, breaths, oxygen, resting) in readings {
        let time = (MIDNIGHT + hour * 3600).to_le_bytes();
        message(&mut data, STRESS_LEVEL, &[(0, SINT16, &stress.to_le_bytes()), (1, UINT32, &time)]);
        message(
            &mut data,
            RESPIRATION_RATE,
            &[(253, UINT32, &time), (0, SINT16, &(breaths * 100).to_le_bytes())],
        );
        message(&mut data, SPO2_DATA, &[(253, UINT32, &time), (0, UINT8, &[*oxygen])]);
        message(&mut data, MONITORING_HR_DATA, &[(253, UINT32, &time), (1, UINT8, &[*resting])]);
    }
    let mut file = vec![14, 0x20, 0, 0];
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(*b".FIT\0\0");
    file.extend(data);
    file.extend([0, 0]);
    let path = folder.join(name);
    std::fs::write(&path, file).unwrap();
    path
}

on_both_databases! {
    async fn day_totals_are_merged_over_all_readings_of_all_files_in_any_order(db) {
        let folder = tempfile::TempDir::new().unwrap();
        let files = [
            wellness_file(folder.path(), "a.fit", &[(1, 10, 12, 94, 50), (2, 20, 12, 94, 49), (3, 30, 14, 94, 48)]),
            wellness_file(folder.path(), "b.fit", &[(8, 80, 18, 98, 51)]),
            // The last file of the day has one low reading, and goes on after midnight.
            wellness_file(folder.path(), "c.fit", &[(20, 5, 16, 98, 52), (25, 99, 20, 90, 60)]),
        ];
        let mut prints = std::collections::BTreeSet::new();
        for (case, order) in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].into_iter().enumerate() {
            let user = db.user(&format!("case {case}")).await;
            // In one run, or in one run each.
            if case % 2 == 0 {
                for which in order {
                    reimport(&db.store, user, &files[which..=which]).await;
                }
            } else {
                reimport(&db.store, user, &order.map(|which| files[which].clone())).await;
            }
            let days = db.store.list_wellness(user, june(13), june(14)).await.unwrap();
            assert_eq!(days.len(), 2, "{days:?}");
            assert_eq!((days[0].stress_avg, days[0].stress_max), (Some(29), Some(80)), "(10+20+30+80+5)/5, {order:?}");
            assert_eq!((days[0].respiration, days[0].spo2), (Some(14.4), Some(95.6)), "{order:?}");
            assert_eq!(days[0].resting_heart_rate, Some(52), "the latest of the day");
            assert_eq!((days[1].stress_avg, days[1].spo2), (Some(99), Some(90.0)));
            prints.insert(db.store.fingerprint(user).await.unwrap().to_string());
            let again = reimport(&db.store, user, &files).await;
            assert!(again.is_unchanged(), "{again:?}");
            prints.insert(db.store.fingerprint(user).await.unwrap().to_string());
        }
        assert_eq!(prints.len(), 1);
    }
}
