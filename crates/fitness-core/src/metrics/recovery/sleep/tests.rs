use super::*;

fn owed(nights: &[Option<f64>]) -> Found<Debt> {
    sleep(nights, Some(TimeSpan::from_mins(8 * 60))).debt
}

#[test]
fn debt_adds_up_over_a_fortnight() {
    let sevens = vec![Some(7.0); 14];
    assert_eq!(owed(&sevens), Ok(Debt { hours: 14.0, nights: 14, missing: 0 }));
    let mut one_long = vec![Some(7.0); 13];
    one_long.push(Some(12.0));
    assert_eq!(owed(&one_long).unwrap().hours, 12.0);
    assert_eq!(owed(&vec![Some(10.0); 14]).unwrap().hours, 0.0);
    // The fifteenth night back does not count.
    let mut older = vec![Some(1.0)];
    older.extend(sevens);
    assert_eq!(owed(&older).unwrap().hours, 14.0);
}

#[test]
fn a_night_without_data_is_left_out_and_counted() {
    let mut nights = vec![None; 4];
    nights.extend(vec![Some(7.0); 10]);
    assert_eq!(owed(&nights), Ok(Debt { hours: 10.0, nights: 10, missing: 4 }));
    nights[13] = None;
    assert_eq!(owed(&nights).unwrap_err().to_string(), "learning: 9 of 10 nights");
    assert_eq!(owed(&[None; 14]), Err(Absent::missing(Need::Sleep)));
}

#[test]
fn nights_no_one_sleeps_are_not_nights() {
    for bad in [0.0, -7.0, 40.0, f64::NAN, f64::INFINITY] {
        assert!(owed(&[Some(bad); 14]).is_err(), "{bad}");
        assert!(sleep(&[Some(bad); 30], None).night.value.is_err(), "{bad}");
    }
}

#[test]
fn no_need_is_invented() {
    let found = sleep(&[Some(7.0); 30], None);
    assert_eq!(found.debt, Err(Absent::missing(Need::SleepNeed)));
    assert_eq!(found.night.baseline.unwrap().n, 28);
    assert!(need_hours(Some(TimeSpan::from_mins(60))).is_err());
    assert_eq!(need_hours(Some(TimeSpan::from_mins(450))), Ok(7.5));
    assert_eq!(
        (GUIDELINE.0.hours_minutes(), GUIDELINE.1.hours_minutes()),
        ("7h 00m".into(), "9h 00m".into())
    );
}
