//! Emig & Peltonen 2020 (Nature Communications 11:4936): speed falls with the logarithm of the time.
//!
//! Shown for study only. Through two races exactly it errs by 22.9 minutes over the marathon; it wants many efforts.

use super::race::{Mark, span};
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::metrics::{Absent, Found, finite};
use serde::Serialize;

/// The time, seconds, that can be run at the speed of maximal oxygen uptake.
const T_C: f64 = 360.0;
const HALVINGS: u32 = 80;

/// A runner's two numbers: v(T) = v_m·(1 − g·ln(T/t_c)), for T of at least t_c = 6 minutes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Endurance {
    /// Speed at maximal oxygen uptake.
    pub top_speed: Speed,
    /// How fast speed falls.
    pub decline: f64,
    /// E_l = e^(0.1/g): how many times t_c can be run at 90 % of the top speed.
    pub index: f64,
}

impl Endurance {
    /// The two numbers through two races.
    ///
    /// 5 km in 20:00 and a half marathon in 1:31:00 give v_m 4.40717 m/s, g 0.0453252 and E_l 9.0818.
    ///
    /// # Errors
    /// When a race took less than six minutes, or the longer one was not slower.
    pub fn through(one: Mark, other: Mark) -> Found<Self> {
        let (short, long) = if one.time() <= other.time() { (one, other) } else { (other, one) };
        if short.seconds() < T_C {
            return Err(Absent::OutOfRange { what: "races of less than six minutes".to_owned() });
        }
        let speed = |mark: Mark| mark.meters() / mark.seconds();
        let log = |mark: Mark| (mark.seconds() / T_C).ln();
        let fall = (speed(short) - speed(long)) / (log(long) - log(short));
        let top = speed(short) + fall * log(short);
        let slower = || Absent::Contradiction { what: "the longer race must be the slower one".to_owned() };
        if !(fall.is_finite() && fall > 0.0) {
            return Err(slower());
        }
        let decline = fall / top;
        Ok(Self {
            top_speed: Speed::from_mps(top).ok_or_else(slower)?,
            decline,
            index: finite((0.1 / decline).exp(), "the endurance of two races run at one speed")?,
        })
    }

    /// The time over a distance: the solution of d = T·v(T), found by halving instead of by Lambert's function.
    ///
    /// For the runner above, a marathon takes 3:09:09.3.
    ///
    /// # Errors
    /// When the distance is too short for six minutes, or longer than this runner can go.
    pub fn time_over(&self, target: Distance) -> Found<TimeSpan> {
        let covered = |t: f64| t * self.top_speed.mps() * (1.0 - self.decline * (t / T_C).ln());
        // The distance grows with the time up to here, and would shrink after.
        let (mut short, mut long) = (T_C, T_C * (1.0 / self.decline - 1.0).exp().min(1e6));
        let meters = target.meters();
        if !(covered(short)..=covered(long)).contains(&meters) {
            return Err(Absent::OutOfRange {
                what: "a distance this runner's two numbers say nothing of".to_owned(),
            });
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(short, long);
            if covered(middle) < meters {
                short = middle;
            } else {
                long = middle;
            }
        }
        span(f64::midpoint(short, long))
    }
}
