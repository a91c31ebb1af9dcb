//! Scales from values or days to positions, and their ticks.

use chrono::Datelike as _;
use fitness_core::domain::calendar::Day;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearScale {
    values: (f64, f64),
    positions: (f64, f64),
}

impl LinearScale {
    /// If all values are equal, they are placed in the middle.
    pub(crate) const fn new(values: (f64, f64), positions: (f64, f64)) -> Self {
        Self { values, positions }
    }

    /// A scale with round bounds around a range, and its ticks.
    pub(crate) fn rounded((low, high): (f64, f64), places: (f64, f64), steps: f64) -> (Self, Vec<f64>) {
        let (low, high) =
            if low.is_finite() && high.is_finite() && low <= high { (low, high) } else { (0.0, 1.0) };
        let step = round_step((high - low).max(f64::EPSILON.sqrt()) / steps.max(1.0));
        let (first, last) = ((low / step).floor() * step, (high / step).ceil() * step);
        let last = if last > first { last } else { first + step };
        let mut ticks = Vec::new();
        let mut tick = first;
        // The cap guards against floating-point trouble; there are a few ticks at most.
        while tick <= last + step / 2.0 && ticks.len() < 50 {
            ticks.push(if tick.abs() < step / 1e6 { 0.0 } else { tick });
            tick += step;
        }
        (Self::new((first, last), places), ticks)
    }

    pub(crate) fn position(&self, value: f64) -> f64 {
        let ((low, high), (from, to)) = (self.values, self.positions);
        let part = if high > low { (value - low) / (high - low) } else { 0.5 };
        from + part * (to - from)
    }
}

/// The next 1, 2, 2.5 or 5 times a power of ten.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let times = rough / power;
    let round = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|round| times <= *round * 1.000_001);
    power * round.unwrap_or(10.0)
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DayScale {
    first: Day,
    last: Day,
    positions: (f64, f64),
}

impl DayScale {
    pub(crate) const fn new(first: Day, last: Day, positions: (f64, f64)) -> Self {
        Self { first, last, positions }
    }

    pub(crate) fn position(&self, day: Day) -> f64 {
        let days = |other: Day| self.first.days_until(other) as f64;
        LinearScale::new((0.0, days(self.last).max(1.0)), self.positions).position(days(day))
    }

    /// Mondays, months or years, whichever fits.
    pub(crate) fn ticks(&self) -> Vec<(Day, String)> {
        let days = self.first.days_until(self.last);
        let room = ((self.positions.1 - self.positions.0).abs() / 84.0).max(1.0);
        let all = self.first.through(self.last);
        let thin = |ticks: Vec<(Day, String)>| {
            let every = (ticks.len() as f64 / room).ceil().max(1.0);
            ticks
                .into_iter()
                .enumerate()
                .filter(|(at, _)| (*at as f64 % every) < 0.5)
                .map(|(_, tick)| tick)
                .collect()
        };
        if days <= 70 {
            let mondays = all.filter(|day| day.iso_week().monday() == *day);
            return thin(mondays.map(|day| (day, day.date().format("%-d %b").to_string())).collect());
        }
        let firsts = all.filter(|day| day.date().day() == 1);
        let months: Vec<Day> = firsts.collect();
        if days <= 800 {
            let named = |day: &Day| if day.date().month() == 1 { "%b %Y" } else { "%b" };
            return thin(
                months.iter().map(|day| (*day, day.date().format(named(day)).to_string())).collect(),
            );
        }
        let years = months.iter().filter(|day| day.date().month() == 1);
        thin(years.map(|day| (*day, day.date().format("%Y").to_string())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn ticks_are_round_and_hold_the_data() {
        for (low, high) in
            [(0.0, 80.0), (31.0, 74.0), (-32.0, 18.0), (0.2, 0.9), (0.0, 0.0), (1e6, 3e6), (5.0, 5.0)]
        {
            let (scale, ticks) = LinearScale::rounded((low, high), (0.0, 100.0), 4.0);
            assert!((2..=12).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(ticks[0] <= low && ticks[ticks.len() - 1] >= high, "{low} to {high}: {ticks:?}");
            assert!(
                (0.0..=100.0).contains(&scale.position(low)) && (0.0..=100.0).contains(&scale.position(high))
            );
        }
        let (_, ticks) = LinearScale::rounded((f64::NAN, 1.0), (0.0, 1.0), 4.0);
        assert!(ticks.iter().all(|tick| tick.is_finite()));
    }

    #[test]
    fn days_are_named_by_week_month_or_year() {
        let named = |first: &str, last: &str| {
            DayScale::new(day(first), day(last), (0.0, 540.0))
                .ticks()
                .into_iter()
                .map(|(_, word)| word)
                .collect::<Vec<_>>()
        };
        assert_eq!(named("2026-06-01", "2026-06-30"), ["1 Jun", "8 Jun", "15 Jun", "22 Jun", "29 Jun"]);
        assert_eq!(named("2025-11-15", "2026-04-02"), ["Dec", "Jan 2026", "Feb", "Mar", "Apr"]);
        assert_eq!(named("2021-03-01", "2026-03-01"), ["2022", "2023", "2024", "2025", "2026"]);
        assert_eq!(named("2026-06-03", "2026-06-03"), [""; 0]);
    }
}
