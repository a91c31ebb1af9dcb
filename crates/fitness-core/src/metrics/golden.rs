//! Golden test: a hash over the measures of many recordings. Optimizations must not change it, and
//! a deliberate change must raise [`MEASURES_VERSION`] so that stored measures are recomputed.

use super::activity::measure;
use super::fixtures::{activity, hostile_recording, recording_at};
use super::pipeline::MEASURES_VERSION;
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Recording};
use crate::domain::units::{Distance, TimeSpan};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use sha2::{Digest, Sha256};

struct SeededRng(u64);

impl SeededRng {
    fn below(&mut self, limit: u32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as i32
    }

    fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }
}

/// A random walk between two bounds that is sometimes missing, stuck or far off.
fn random_walk(
    chance: &mut SeededRng,
    samples: usize,
    bounds: (i32, i32),
    step: u32,
    trouble: u32,
) -> Vec<Option<i32>> {
    let (mut value, mut kind, mut left) = (bounds.0 + (bounds.1 - bounds.0) / 2, 0, 0);
    let mut shown = Vec::with_capacity(samples);
    for _ in 0..samples {
        if left == 0 && trouble > 0 && chance.one_in(trouble) {
            let longest = if chance.one_in(8) { 900 } else { 12 };
            (kind, left) = (chance.below(4), 1 + chance.below(longest));
        }
        let moved = value + chance.below(2 * step + 1) - step as i32;
        let at_rest = left > 0 && kind == 1;
        value = if at_rest { value } else { moved.clamp(bounds.0, bounds.1) };
        shown.push(match (left, kind) {
            (0, _) | (_, 1) => Some(value),
            (_, 0) => None,
            (_, 2) => Some(0),
            (_, _) => Some(value + value / 2),
        });
        left = (left - 1).max(0);
    }
    shown
}

/// A plausible recording, from a minute to half a day: regular or smart sampling, with stops and
/// gaps.
fn plausible_recording(seed: u64) -> (Recording, Sport) {
    let mut chance = SeededRng(seed);
    let samples = [60, 600, 2500, 2500, 5400, 9000, 15_000, 40_000][seed as usize % 8];
    let sport = Sport::ALL
        [if chance.one_in(4) { chance.below(Sport::ALL.len() as u32) as usize } else { seed as usize % 2 }];
    let smart = chance.one_in(4);
    let gaps = if chance.one_in(3) { 700 } else { u32::MAX };
    let mut now = 0;
    let moments: Vec<i32> = (0..samples)
        .map(|_| {
            now += if smart { 1000 * (1 + chance.below(7)) } else { 1000 };
            if chance.one_in(gaps) {
                now += chance.below(200_000);
            }
            if chance.one_in(97) {
                now += chance.below(700) - 300;
            }
            now
        })
        .collect();
    let trouble = [0, 0, 900, 60][seed as usize / 8 % 4];
    let fast = if sport == Sport::Cycling { (0, 14_000, 300) } else { (1500, 5200, 90) };
    let speed = random_walk(&mut chance, samples, (fast.0, fast.1), fast.2, trouble);
    let mut way = 0_i64;
    let distance: Vec<Option<i32>> = (speed.iter().enumerate())
        .map(|(index, speed)| {
            let step = index.checked_sub(1).map_or(1000, |before| moments[index] - moments[before]);
            way += i64::from(speed.unwrap_or(0)) * i64::from(step.min(9000)) / 1000;
            let jumped = if trouble > 0 && chance.one_in(2000) { chance.below(90_000) } else { 0 };
            way += i64::from(jumped);
            i32::try_from(way).ok().filter(|_| trouble == 0 || !chance.one_in(300))
        })
        .collect();
    let heart = random_walk(&mut chance, samples, (95, 185), 1 + (seed % 3) as u32, trouble);
    let cadence = if seed % 11 == 5 {
        heart.iter().map(|bpm| bpm.map(|bpm| bpm * 10)).collect()
    } else {
        random_walk(&mut chance, samples, (1500, 1900), 30, trouble)
    };
    let power = random_walk(&mut chance, samples, (0, 600), 40, trouble);
    let altitude = random_walk(&mut chance, samples, (150_000, 900_000), 700, trouble);
    let all: [(Channel, Vec<Option<i32>>); 6] = [
        (Channel::Distance, distance),
        (Channel::Speed, speed),
        (Channel::HeartRate, heart),
        (Channel::Cadence, cadence),
        (Channel::Power, power),
        (Channel::Altitude, altitude),
    ];
    let mut recording = recording_at(moments, &[]);
    for (channel, shown) in all {
        if !chance.one_in(6) {
            recording.insert_column(channel, shown.into_iter().collect()).unwrap();
        }
    }
    (recording, sport)
}

/// Stored measures are recomputed only when the version is raised.
#[test]
fn measures_change_only_with_their_version() {
    let mut hash = Sha256::new();
    let mut add = |recording: &Recording, sport: Sport, told: bool| {
        let mut activity = activity(sport);
        if told {
            activity.ascent = Some(Distance::from_mm(-1));
            activity.moving = Some(TimeSpan::from_secs(500));
        }
        hash.update(serde_json::to_vec(&measure(&activity, Some(recording), &[])).unwrap());
    };
    let mut runner = TestRunner::deterministic();
    let hostile = hostile_recording();
    for number in 0..200 {
        let recording = hostile.new_tree(&mut runner).unwrap().current();
        add(&recording, Sport::ALL[number % Sport::ALL.len()], number % 3 == 0);
        add(&recording, Sport::Running, number % 3 == 1);
    }
    for seed in 0..24 {
        let (recording, sport) = plausible_recording(seed);
        add(&recording, sport, seed % 3 == 0);
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let help = "measures changed: raise MEASURES_VERSION, then write the new pair here";
    assert_eq!(
        (MEASURES_VERSION, hash.as_str()),
        (5, "2c6e2ce575581097d3930e0b00e677548fe9d0594494b6f61fb398f5de549dd4"),
        "{help}"
    );
}
