use super::*;
use proptest::prelude::*;

fn run(load: f64) -> DayLoad {
    rated(load, Quality::Ok)
}

fn rated(value: f64, quality: Quality) -> DayLoad {
    DayLoad::from_activities([(Sport::Running, Some(ValueWithQuality { value, quality }))])
}

fn after(days: u32, load: f64) -> FitnessState {
    (0..days).fold(FitnessState::START, |state, _| state.after(&run(load)))
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn the_recurrence_gives_the_pinned_numbers() {
    close(after(1, 100.0).fitness(), 2.3528, 0.00005);
    close(after(1, 100.0).fatigue(), 13.3122, 0.00005);
    close(after(42, 100.0).fitness(), 63.212, 0.0005);
    close(after(42, 100.0).fatigue(), 99.752, 0.0005);
    close(after(7, 100.0).fatigue(), 63.212, 0.0005);
    // Results of the two other formulas in use.
    for (wrong, value) in [(63.654, after(42, 100.0).fitness()), (86.5, after(42, 100.0).fitness())] {
        assert!((value - wrong).abs() > 0.4);
    }
}

#[test]
fn form_settles_at_zero_and_a_day_off_raises_it() {
    let settled = after(1000, 80.0);
    close(settled.form().value, 0.0, 1e-6);
    let rested = settled.after(&DayLoad::NONE);
    assert!(rested.form().value > settled.form().value + 5.0);
    // Form is that of the evening before: today's training does not count.
    close(after(1, 100.0).form().value, 2.3528 - 13.3122, 0.0001);
    assert_eq!(FitnessState::START.form().value, 0.0);
}

#[test]
fn quality_follows_the_days_and_what_is_unknown() {
    for (days, quality, percent) in [
        (1, Quality::Provisional, 2),
        (42, Quality::Provisional, 63),
        (125, Quality::Provisional, 95),
        (126, Quality::Ok, 95),
        (1000, Quality::Ok, 100),
    ] {
        assert_eq!(after(days, 50.0).quality(), quality, "{days} days");
        assert_eq!(after(days, 50.0).settled_percent(), percent, "{days} days");
    }
    let known = ValueWithQuality { value: 40.0, quality: Quality::Ok };
    let unknown = DayLoad::from_activities([(Sport::Running, Some(known)), (Sport::Strength, None)]);
    let day_of = |quality| rated(40.0, quality);
    for (doubtful, quality) in [
        (unknown, Quality::Provisional),
        (day_of(Quality::Provisional), Quality::Provisional),
        (day_of(Quality::Stale), Quality::Stale),
        (day_of(Quality::Estimated), Quality::Estimated),
    ] {
        let mut state = after(200, 50.0).after(&doubtful);
        for _ in 0..41 {
            assert_eq!((state.quality(), state.form().quality), (quality, quality));
            state = state.after(&run(50.0));
        }
        assert_eq!(state.quality(), quality);
        assert_eq!(state.after(&run(50.0)).quality(), Quality::Ok);
    }
    // Each quality flag is remembered separately.
    let mut state = after(200, 50.0).after(&day_of(Quality::Estimated));
    state = state.after(&day_of(Quality::Provisional));
    let later = (0..40).fold(state, |state, _| state.after(&run(50.0)));
    assert_eq!(later.quality(), Quality::EstimatedProvisional);
    assert_eq!(later.after(&run(50.0)).quality(), Quality::Provisional);
    assert_eq!(later.after(&run(50.0)).after(&run(50.0)).quality(), Quality::Ok);
    assert_eq!(after(10, 50.0).after(&day_of(Quality::Stale)).quality(), Quality::StaleProvisional);
}

#[test]
fn day_quality_combines_its_activities() {
    let day = |qualities: &[Quality]| {
        DayLoad::from_activities(
            qualities
                .iter()
                .map(|quality| (Sport::Running, Some(ValueWithQuality { value: 10.0, quality: *quality }))),
        )
    };
    assert_eq!(DayLoad::NONE.quality(), Quality::Ok);
    assert_eq!(day(&[Quality::Ok, Quality::Ok]).quality(), Quality::Ok);
    assert_eq!(day(&[Quality::Estimated, Quality::Ok, Quality::Stale]).quality(), Quality::EstimatedStale);
    let broken = ValueWithQuality { value: f64::NAN, quality: Quality::Estimated };
    assert_eq!(
        DayLoad::from_activities([(Sport::Running, Some(broken))]).quality(),
        Quality::Provisional,
        "it is unknown"
    );
}

#[test]
fn learned_form_with_unknown_loads_is_missing() {
    let unknown = DayLoad::from_activities([(Sport::Other, None)]);
    let half = |state: FitnessState| (0..3).fold(state, |state, _| state.after(&unknown).after(&run(50.0)));
    let nothing = (0..60).fold(FitnessState::START, |state, _| state.after(&unknown));
    assert_eq!(nothing.form().value, 0.0);
    assert_eq!(nothing.learned_form(), Err(MissingReason::missing(RequiredInput::Load)));
    assert!(after(60, 50.0).learned_form().is_ok());
    // One activity of unknown load in a week does not matter; half of them do.
    assert!(after(60, 50.0).after(&unknown).after(&run(50.0)).after(&run(50.0)).learned_form().is_ok());
    assert!(half(after(60, 50.0)).learned_form().is_ok(), "four known beside three");
    assert!(half(after(60, 50.0)).after(&unknown).learned_form().is_err(), "three known beside four");
    let week = (0..4).fold(after(60, 50.0), |state, _| state.after(&unknown));
    assert_eq!(week.learned_form(), Err(MissingReason::missing(RequiredInput::Load)));
    // It recovers once they have passed, and rest days are not unknown loads.
    let later = (0..7).fold(week, |state, _| state.after(&run(50.0)));
    assert!(later.learned_form().is_ok());
    let rested = (0..50).fold(after(60, 50.0), |state, _| state.after(&DayLoad::NONE));
    assert!(rested.learned_form().is_ok());
    let learning = MissingReason::TooFew { have: 41, needed: 42, what: CountUnit::Days };
    assert_eq!(after(41, 50.0).learned_form(), Err(learning));
    let settling = |have| Some(DataProgress { have, needed: 126, what: CountUnit::Days });
    assert_eq!((after(41, 50.0).learning(), after(126, 50.0).learning()), (settling(41), None));
    assert_eq!(settling(41).unwrap().to_string(), "based on 41 of 126 days so far");
}

#[test]
fn quality_flags_combine_in_any_order() {
    for one in Quality::ALL {
        assert_eq!(one.combine(Quality::Ok), *one);
        assert!(one.has(Quality::Ok) && one.has(*one));
        for other in Quality::ALL {
            assert_eq!(one.combine(*other), other.combine(*one));
            assert!(one.combine(*other).has(*one) && one.combine(*other).has(*other), "{one} {other}");
            for third in Quality::ALL {
                assert_eq!(one.combine(*other).combine(*third), one.combine(other.combine(*third)));
            }
        }
    }
    assert_eq!(Quality::Estimated.combine(Quality::Provisional).label(), "estimated, provisional");
    assert!(!Quality::Estimated.has(Quality::Provisional));
}

#[test]
fn bands_are_absent_until_fitness_is_learned() {
    let learning = MissingReason::TooFew { have: 41, needed: 42, what: CountUnit::Days };
    assert_eq!(after(41, 50.0).form().band, Err(learning.clone()));
    assert_eq!(learning.to_string(), "not enough data yet: 41 of 42 days");
    assert_eq!(after(42, 50.0).form().band, Ok(FormBand::Productive));
    assert_eq!(
        after(7, 50.0).ramp(),
        Err(MissingReason::TooFew { have: 7, needed: 8, what: CountUnit::Days })
    );
    assert!(after(8, 50.0).ramp().unwrap().band.is_err());
    assert_eq!(after(50, 10.0).ramp().unwrap().band, Ok(RampBand::Comfortable));
}

#[test]
fn ramp_looks_back_seven_days() {
    let (now, week_ago) = (after(20, 100.0), after(13, 100.0));
    assert_eq!(now.ramp().unwrap().per_week.to_bits(), (now.fitness() - week_ago.fitness()).to_bits());
    let (eight, first) = (after(8, 100.0), after(1, 100.0));
    assert_eq!(eight.ramp().unwrap().per_week.to_bits(), (eight.fitness() - first.fitness()).to_bits());
}

#[test]
fn bands_meet_at_their_bounds() {
    for (form, band) in [
        (-30.1, FormBand::HighStrain),
        (-30.0, FormBand::Productive),
        (-10.1, FormBand::Productive),
        (-10.0, FormBand::Neutral),
        (4.9, FormBand::Neutral),
        (5.0, FormBand::Fresh),
        (25.0, FormBand::Fresh),
        (25.1, FormBand::Transition),
    ] {
        assert_eq!(FormBand::from_form(form), band, "{form}");
    }
    for (ramp, band) in [
        (-4.0, RampBand::Comfortable),
        (5.0, RampBand::Comfortable),
        (5.1, RampBand::Hard),
        (8.0, RampBand::Hard),
        (8.1, RampBand::Steep),
    ] {
        assert_eq!(RampBand::from_ramp(ramp), band, "{ramp}");
    }
}

#[test]
fn invalid_load_makes_the_day_incomplete() {
    for bad in [None, Some(f64::NAN), Some(f64::INFINITY), Some(-1.0), Some(5000.1)] {
        let firm = |value| ValueWithQuality { value, quality: Quality::Ok };
        let day =
            DayLoad::from_activities([(Sport::Running, Some(firm(30.0))), (Sport::Cycling, bad.map(firm))]);
        assert_eq!((day.total(), day.is_incomplete()), (30.0, true), "{bad:?}");
    }
    assert!(!DayLoad::NONE.is_incomplete());
    assert_eq!(
        DayLoad::from_activities([]).total().to_bits(),
        0.0_f64.to_bits(),
        "a day of rest is 0, not -0"
    );
}

fn any_rated(values: std::ops::Range<f64>) -> impl Strategy<Value = ValueWithQuality> {
    (values, prop::sample::select(Quality::ALL))
        .prop_map(|(value, quality)| ValueWithQuality { value, quality })
}

proptest! {
    #[test]
    fn the_order_of_a_days_sessions_does_not_matter(
        (loads, shuffled) in prop::collection::vec(
            (prop::sample::select(vec![Sport::Running, Sport::Cycling]), prop::option::weighted(0.9, any_rated(0.0..400.0))),
            0..12,
        )
        .prop_flat_map(|loads| (Just(loads.clone()), Just(loads).prop_shuffle())),
    ) {
        let (a, b) = (DayLoad::from_activities(loads), DayLoad::from_activities(shuffled));
        prop_assert_eq!(a.total().to_bits(), b.total().to_bits());
        prop_assert_eq!(a, b);
    }

    #[test]
    fn resuming_from_stored_state_is_bit_identical(
        loads in prop::collection::vec(any_rated(0.0..600.0), 1..200), at in 0_usize..200,
    ) {
        let at = at % loads.len();
        let run = |load: &ValueWithQuality| rated(load.value, load.quality);
        let whole = loads.iter().fold(FitnessState::START, |state, load| state.after(&run(load)));
        let half = loads[..at].iter().fold(FitnessState::START, |state, load| state.after(&run(load)));
        let stored: FitnessState = serde_json::from_str(&serde_json::to_string(&half).unwrap()).unwrap();
        let resumed = loads[at..].iter().fold(stored, |state, load| state.after(&run(load)));
        prop_assert_eq!(whole.fitness().to_bits(), resumed.fitness().to_bits());
        prop_assert_eq!(whole, resumed);
    }

    #[test]
    fn fitness_stays_between_the_least_and_the_largest_load(
        loads in prop::collection::vec(0.0..5000.0_f64, 1..400),
    ) {
        let top = loads.iter().copied().fold(0.0, f64::max);
        let state = loads.iter().fold(FitnessState::START, |state, load| state.after(&run(*load)));
        prop_assert!((0.0..=top + 1e-9).contains(&state.fitness()) && (0.0..=top + 1e-9).contains(&state.fatigue()));
    }
}
