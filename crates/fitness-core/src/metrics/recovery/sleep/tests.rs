use super::*;

fn debt_hours(nights: &[Option<f64>]) -> MetricResult<SleepDebt> {
    sleep(nights, Some(TimeSpan::from_mins(8 * 60))).debt
}

#[test]
fn debt_adds_up_over_a_fortnight() {
    let sevens = vec![Some(7.0); 14];
    assert_eq!(debt_hours(&sevens), Ok(SleepDebt { hours: 14.0, nights: 14, missing: 0 }));
    let mut one_long = vec![Some(7.0); 13];
    one_long.push(Some(12.0));
    assert_eq!(debt_hours(&one_long).unwrap().hours, 12.0);
    assert_eq!(debt_hours(&vec![Some(10.0); 14]).unwrap().hours, 0.0);
    // The 15th night back does not count.
    let mut older = vec![Some(1.0)];
    older.extend(sevens);
    assert_eq!(debt_hours(&older).unwrap().hours, 14.0);
}

#[test]
fn a_night_without_data_is_left_out_and_counted() {
    let mut nights = vec![None; 4];
    nights.extend(vec![Some(7.0); 10]);
    assert_eq!(debt_hours(&nights), Ok(SleepDebt { hours: 10.0, nights: 10, missing: 4 }));
    nights[13] = None;
    assert_eq!(debt_hours(&nights).unwrap_err().to_string(), "not enough data yet: 9 of 10 nights");
    assert_eq!(debt_hours(&[None; 14]), Err(MissingReason::missing(RequiredInput::Sleep)));
}

#[test]
fn implausible_nights_are_ignored() {
    for bad in [0.0, -7.0, 40.0, f64::NAN, f64::INFINITY] {
        assert!(debt_hours(&[Some(bad); 14]).is_err(), "{bad}");
        assert!(sleep(&[Some(bad); 30], None).night.value.is_err(), "{bad}");
    }
}

#[test]
fn missing_sleep_need_gives_no_debt() {
    let found = sleep(&[Some(7.0); 30], None);
    assert_eq!(found.debt, Err(MissingReason::missing(RequiredInput::SleepNeed)));
    assert_eq!(found.night.baseline.unwrap().n, 28);
    assert!(need_hours(Some(TimeSpan::from_mins(60))).is_err());
    assert_eq!(need_hours(Some(TimeSpan::from_mins(450))), Ok(7.5));
    assert_eq!(
        (GUIDELINE.0.format_hours_minutes(), GUIDELINE.1.format_hours_minutes()),
        ("7h 00m".into(), "9h 00m".into())
    );
}
