//! The charts and their captions.

use super::data::{FitnessSeries, PeriodLength, PredictionHistory, Volume, YearHeatmap};
use super::nights::{NightValue, Nights, Signal};
use crate::charts::axes::{ChartSize, format_number};
use crate::charts::scale::{DayScale, LinearScale};
use crate::charts::{bands, bars, heatmap, path};
use crate::components::core_message::for_page;
use crate::components::time;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::metrics::fitness::FormBand;
use maud::{Markup, html};

/// Size, drawing and cursor values.
pub(super) type ChartDrawing = (ChartSize, Markup, Vec<(f64, String)>);

/// Cursor values of a wide chart.
const MAX_READINGS: usize = 40;
/// Points in a line.
const MAX_POINTS: usize = 96;
/// Cursor values of a small chart.
const MAX_READINGS_SMALL: usize = 22;

/// `54`, or a dash.
pub(super) fn format_whole(value: Option<f64>) -> String {
    value.map_or_else(|| "—".to_owned(), |value| format!("{value:.0}"))
}

pub(super) fn format_signed(value: f64) -> String {
    match value.round() {
        up if up > 0.0 => format!("+{up:.0}"),
        down if down < 0.0 => format!("−{:.0}", -down),
        _ => "0".to_owned(),
    }
}

/// At most `most` evenly spaced items, always including the last.
fn every_nth<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let every = all.len().div_ceil(most).max(1);
    let last = all.len().saturating_sub(1);
    all.iter().enumerate().filter(move |(at, _)| (last - at).is_multiple_of(every)).map(|(_, one)| one)
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// Top and bottom of the form strip below the lines.
const FORM_STRIP: (f64, f64) = (252.0, 342.0);

pub(super) fn fitness(lines: &FitnessSeries) -> ChartDrawing {
    let plot = ChartSize { width: 800.0, height: 368.0, left: 36.0, right: 72.0, top: 28.0, bottom: 26.0 };
    let upper = ChartSize { height: 244.0, bottom: 36.0, ..plot };
    let ahead = lines.race.filter(|race| *race > lines.span.complete);
    let days =
        plot.day_scale(lines.span.from, ahead.unwrap_or(lines.span.through).max(lines.span.from.next()));
    let highest = lines.points.iter().flat_map(|point| [point.fitness, point.fatigue]).flatten();
    let highest = highest.chain(lines.trajectory.iter().map(|point| point.fitness)).fold(10.0, f64::max);
    let (scale, ticks) = upper.value_scale((0.0, highest));
    let forms =
        lines.points.iter().map(|point| point.form).chain(lines.trajectory.iter().map(|point| point.form));
    let (low, high) = range(forms.chain([-35.0, 15.0])).unwrap_or((-35.0, 15.0));
    let strip = LinearScale::new((low, high), (FORM_STRIP.1, FORM_STRIP.0));
    let shown: Vec<_> = every_nth(&lines.points, MAX_POINTS).collect();
    let line = |value: fn(&super::data::FitnessPoint) -> Option<f64>, scale: &LinearScale| {
        path::line(shown.iter().map(|point| Some((days.position(point.day), scale.position(value(point)?)))))
    };
    // Line and area share one path, closed along the baseline.
    let above =
        shown.iter().filter_map(|point| Some((days.position(point.day), scale.position(point.fitness?))));
    let above: Vec<path::Point> = above.collect();
    let ground = |end: Option<&path::Point>| end.map(|(x, _)| (*x, upper.y_range().0));
    let ends = (ground(above.first()), ground(above.last()));
    let filled = ends.0.into_iter().chain(above.iter().copied()).chain(ends.1).map(Some);
    // In a long range the projection is only a few pixels wide and needs few points.
    let room = ahead.map_or(0.0, |race| days.position(race) - days.position(lines.span.complete));
    let fit = |most: usize| ((room / 6.0) as usize).clamp(2, most);
    let planned: Vec<_> = every_nth(&lines.trajectory, fit(MAX_POINTS / 2)).collect();
    let from_last = lines.last().map(|last| (last.day, last.fitness, last.form));
    let course = |value: fn(&fitness_core::metrics::trajectory::Point) -> f64,
                  start: Option<f64>,
                  scale: &LinearScale| {
        let start =
            from_last.zip(start).map(|((day, ..), value)| (days.position(day), scale.position(value)));
        path::line([start].into_iter().filter(Option::is_some).chain(
            planned.iter().map(|point| Some((days.position(point.day), scale.position(value(point))))),
        ))
    };
    let bar = days.position(lines.span.complete);
    let drawn = html! {
        (upper.grid_lines(&scale, &ticks, format_number))
        path.s.fitness.filled d=(path::line(filled)) {}
        path.s.fatigue d=(line(|point| point.fatigue, &scale)) {}
        (bands::form(&plot, &strip, (low, high)))
        line.g-zero x1=(plot.left) x2=(plot.x_range().1) y1=(format!("{:.1}", strip.position(0.0))) y2=(format!("{:.1}", strip.position(0.0))) {}
        text x=(plot.left - 6.0) y=(format!("{:.1}", strip.position(0.0) + 4.0)) text-anchor="end" { "0" }
        path.s.form d=(line(|point| Some(point.form), &strip)) {}
        @if lines.step == PeriodLength::Day { (dots(lines, &days, upper.y_range().0 + 14.0)) }
        @if !planned.is_empty() {
            path.s.fitness.ahead d=(course(|point| point.fitness, from_last.and_then(|(_, fitness, _)| fitness), &scale)) {}
            path.s.form.ahead d=(course(|point| point.form, from_last.map(|(.., form)| form), &strip)) {}
        }
        @if ahead.is_some() { (plot.vertical_line(bar, "frontier", &format!("data up to {}", lines.span.complete.date().format("%-d %b")))) }
        @if let Some(race) = ahead { (plot.vertical_line(days.position(race), "race", if room > 150.0 { "race day" } else { "" })) }
        (plot.day_labels(&days))
    };
    let reading = |point: &super::data::FitnessPoint| {
        let band = if lines.has_settled {
            format!(" {}", FormBand::from_form(point.form).label())
        } else {
            String::new()
        };
        let words = format!(
            "{}: fitness {}, fatigue {}, form {}{band}",
            time::short(point.day),
            format_whole(point.fitness),
            format_whole(point.fatigue),
            format_signed(point.shown_form)
        );
        (days.position(point.day), words)
    };
    let reads = every_nth(&lines.points, MAX_READINGS).map(reading);
    let planned = every_nth(&lines.trajectory, fit(MAX_READINGS_SMALL)).map(|point| {
        let words = format!(
            "{}, planned: fitness {:.0}, form {}",
            time::short(point.day),
            point.fitness,
            format_signed(point.form)
        );
        (days.position(point.day), words)
    });
    let reads: Vec<_> = reads.chain(planned).collect();
    (plot, drawn, reads)
}

/// Training days as dots, larger with more load.
fn dots(lines: &FitnessSeries, days: &DayScale, y: f64) -> Markup {
    let steps = heatmap::shade_thresholds(lines.trained.iter().map(|(_, load)| *load));
    let of = |size: usize| -> String {
        let these = lines.trained.iter().filter(|(_, load)| heatmap::shade(*load, &steps) == size);
        these.map(|(day, _)| format!("M{:.0} {y:.0}h0", days.position(*day))).collect()
    };
    html! { @for size in 1..=heatmap::SHADES { @let path = of(size); @if !path.is_empty() { path class=(format!("d d{size}")) d=(path) {} } } }
}

pub(super) fn fitness_caption(lines: &FitnessSeries, today: Day) -> String {
    let (Some(last), Some(morning)) = (lines.last(), lines.morning()) else { return String::new() };
    let mut words = format!(
        "Fitness {} (area) and fatigue {} (thin line) on the evening of {}; form {} (below) on the morning of {}",
        format_whole(last.fitness),
        format_whole(last.fatigue),
        time::short_with_year(lines.last_evening.unwrap_or(last.day), today),
        format_signed(morning.shown_form),
        time::short_with_year(morning.day, today)
    );
    match lines.trajectory.last().zip(lines.race) {
        Some((end, race)) => words.push_str(&format!(
            ". If you follow the plan, fitness will be about {:.0} the day before the race ({}).",
            end.fitness,
            race.previous().date().format("%-d %b")
        )),
        None => words.push('.'),
    }
    match lines.step {
        PeriodLength::Day => words.push_str(" Dots are training days, larger with more load."),
        step => words.push_str(&format!(" Each point is the end of a {}.", step.label())),
    }
    words
}

pub(super) fn format_night_value(signal: Signal, value: f64) -> String {
    match signal {
        Signal::Hrv => format!("{value:.0} ms"),
        Signal::Resting => format!("{value:.0} bpm"),
        Signal::Sleep => TimeSpan::from_seconds(value * 3600.0)
            .map_or_else(|| "—".to_owned(), TimeSpan::format_hours_minutes),
    }
}

pub(super) fn nights(nights: &Nights, signal: Signal) -> Option<ChartDrawing> {
    let points = nights.for_signal(signal);
    points.iter().find(|(_, night)| night.value.is_some())?;
    let plot = ChartSize { width: 360.0, height: 190.0, left: 30.0, ..ChartSize::default() };
    let days = plot.day_scale(nights.span.from, nights.span.through.max(nights.span.from.next()));
    let all = |night: &NightValue| {
        night.value.into_iter().chain(night.normal.into_iter().flat_map(|(low, high)| [low, high]))
    };
    let (scale, ticks) =
        plot.value_scale(range(points.iter().flat_map(|(_, night)| all(night).collect::<Vec<_>>()))?);
    // The normal range changes slowly: a few points are enough.
    let normal: Vec<_> =
        every_nth(points, 24).map(|(day, night)| (days.position(*day), night.normal)).collect();
    let drawn = html! {
        (plot.grid_lines(&scale, &ticks, format_number))
        @for path in bands::normal_range_paths(&normal, &scale) { path.a.normal d=(path) {} }
        path.s.plain.thin d=(path::line(points.iter().map(|(day, night)| Some((days.position(*day), scale.position(night.value?)))))) {}
        (plot.day_labels(&days))
    };
    let reads = every_nth(points, MAX_READINGS_SMALL).map(|(day, night)| {
        let value = night.value.map_or_else(|| "—".to_owned(), |value| format_night_value(signal, value));
        (days.position(*day), format!("{}: {value}", time::short(*day)))
    });
    let reads = reads.collect();
    Some((plot, drawn, reads))
}

pub(super) fn night_caption(nights: &Nights, signal: Signal, today: Day) -> String {
    let last = nights.for_signal(signal).iter().rfind(|(_, night)| night.value.is_some());
    let Some((day, NightValue { value: Some(value), normal })) = last else { return String::new() };
    let when = match nights.step {
        PeriodLength::Day => time::short_with_year(*day, today),
        step => format!("the {} ending {}", step.label(), time::short_with_year(*day, today)),
    };
    let latest = format!("{} on {when}", format_night_value(signal, *value)).replace(" on the ", " in the ");
    match normal {
        None => format!("{latest}. There is not enough data for your normal range yet."),
        Some((low, high)) => {
            let place = if value < low {
                "below"
            } else if value > high {
                "above"
            } else {
                "within"
            };
            format!(
                "{latest}, {place} your normal range of {} to {}.",
                format_night_value(signal, *low),
                format_night_value(signal, *high)
            )
        }
    }
}

pub(super) fn volume(volume: &Volume, units: UnitSystem) -> Option<ChartDrawing> {
    let plot = ChartSize::default();
    let values: Vec<f64> = volume.sums.iter().map(|(_, totals)| volume.value(totals, units)).collect();
    let (_, high) = range(values.iter().copied()).filter(|(_, high)| *high > 0.0)?;
    let (scale, ticks) = plot.value_scale((0.0, high));
    let (middles, width) = bars::slots(plot.x_range(), values.len());
    let bottom = plot.y_range().0;
    let of = |open: bool| {
        let all = volume.sums.iter().zip(&values).zip(&middles);
        let these = all.filter(move |(((day, _), _), _)| (*day >= volume.open_period) == open);
        bars::path(these.map(|((_, value), middle)| (*middle, scale.position(*value))), bottom)
    };
    let every = volume.sums.len().div_ceil(8).max(1);
    let format =
        if volume.step == PeriodLength::Week && volume.sums.len() <= 60 { "%-d %b" } else { "%b %Y" };
    let drawn = html! {
        (plot.grid_lines(&scale, &ticks, format_number))
        path.bars.plain stroke-width=(format!("{width:.1}")) d=(of(false)) {}
        path.bars.open stroke-width=(format!("{width:.1}")) d=(of(true)) {}
        g text-anchor="middle" { @for ((day, _), middle) in volume.sums.iter().zip(&middles).step_by(every) {
            text x=(format!("{middle:.0}")) y=(plot.height - 5.0) { (day.date().format(format)) }
        } }
    };
    let all: Vec<_> = volume.sums.iter().zip(&middles).collect();
    let reads = every_nth(&all, MAX_READINGS).map(|((day, totals), middle)| {
        let period = match volume.step {
            PeriodLength::Month => day.date().format("%b %Y").to_string(),
            _ => format!("week of {}", day.date().format("%-d %b")),
        };
        (**middle, format!("{period}: {}", volume.format_value(totals, units)))
    });
    let reads = reads.collect();
    Some((plot, drawn, reads))
}

pub(super) fn volume_caption(volume: &Volume, units: UnitSystem) -> String {
    let closed: Vec<_> = volume.sums.iter().filter(|(day, _)| *day < volume.open_period).collect();
    let what = match volume.measure {
        super::data::Measure::Distance => match volume.sport {
            Sport::Running => "Distance run",
            Sport::Cycling => "Distance ridden",
            Sport::Swimming => "Distance swum",
            _ => "Distance of your main sport",
        },
        super::data::Measure::Time => "Training time in all sports",
        super::data::Measure::Load => "Training load in all sports",
    };
    let each = volume.step.label();
    let Some(most) =
        closed.iter().max_by(|a, b| volume.value(&a.1, units).total_cmp(&volume.value(&b.1, units)))
    else {
        return format!("{what}, by {each}. No complete {each} yet.");
    };
    format!(
        "{what}, by {each}. Highest: {} ({each} of {}). The lighter bar is the current {each}.",
        volume.format_value(&most.1, units),
        most.0.date().format("%-d %b %Y")
    )
}

pub(super) fn predictions(predictions: &PredictionHistory) -> Option<ChartDrawing> {
    let plot = ChartSize { left: 58.0, ..ChartSize::default() };
    let found: Vec<_> = predictions.history.iter().map(|(day, found)| (*day, found.as_ref().ok())).collect();
    let minutes = |time: TimeSpan| time.seconds() / 60.0;
    let ends =
        found.iter().filter_map(|(_, found)| found.map(|p| [minutes(p.exact.low), minutes(p.exact.high)]));
    let (scale, ticks) = plot.value_scale(range(ends.flatten())?);
    let (first, last) = (found.first()?.0, found.last()?.0);
    let days = plot.day_scale(first, last.max(first.next()));
    let band: Vec<_> = found
        .iter()
        .map(|(day, found)| {
            (days.position(*day), found.map(|p| (minutes(p.exact.low), minutes(p.exact.high))))
        })
        .collect();
    let points = found
        .iter()
        .map(|(day, found)| Some((days.position(*day), scale.position(minutes(found.as_ref()?.exact.time)))));
    let points: Vec<_> = points.collect();
    let clock =
        |minutes: f64| TimeSpan::from_seconds(minutes * 60.0).map(TimeSpan::format_clock).unwrap_or_default();
    let drawn = html! {
        (plot.grid_lines(&scale, &ticks, clock))
        @for path in bands::normal_range_paths(&band, &scale) { path.a.normal d=(path) {} }
        path.s.plain d=(path::line(points.iter().copied())) {}
        path.d.d2 d=(points.iter().flatten().map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect::<String>()) {}
        (plot.day_labels(&days))
    };
    let reads = found.iter().map(|(day, found)| {
        let words = found.map_or_else(|| "no prediction".to_owned(), |p| p.shown.to_string());
        (days.position(*day), format!("{}: {words}", time::short(*day)))
    });
    let reads = reads.collect();
    Some((plot, drawn, reads))
}

pub(super) fn prediction_caption(predictions: &PredictionHistory, units: UnitSystem) -> String {
    let name = predictions.name(units);
    match predictions.history.last() {
        Some((_, Ok(now))) => {
            format!("{name}: {} today. {}", now.shown, for_page(&now.basis(units)))
        }
        _ => format!("{name}: no prediction today ({}).", for_page(&predictions.missing_reason())),
    }
}

pub(super) fn year(year: &YearHeatmap) -> ChartDrawing {
    let plot = heatmap::plot(year.from, year.through);
    let drawn = heatmap::draw_squares(&plot, (year.from, year.through), &year.minutes);
    let mondays =
        (0..).map(|week| year.from.plus_days(7 * week)).take_while(|monday| *monday <= year.through);
    let reads = mondays.map(|monday| {
        let week = year.minutes.range(monday..=monday.plus_days(6));
        let (days, minutes) = week.fold((0, 0.0), |(days, sum), (_, minutes)| (days + 1, sum + minutes));
        let time =
            TimeSpan::from_seconds(minutes * 60.0).map(TimeSpan::format_hours_minutes).unwrap_or_default();
        let many = if days == 1 { "day" } else { "days" };
        (
            heatmap::week_x(&plot, year.from, monday),
            format!("{}: {days} {many}, {time}", monday.date().format("%-d %b")),
        )
    });
    let reads = reads.collect();
    (plot, drawn, reads)
}

pub(super) fn year_caption(year: &YearHeatmap) -> String {
    let known: Vec<f64> = year.from.through(year.through).filter_map(|day| year.minutes_on(day)).collect();
    let trained = known.iter().filter(|minutes| **minutes > 0.0).count();
    format!("You trained on {trained} of {} days.", known.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nth_keeps_the_last_item_and_the_maximum_count() {
        let all: Vec<u32> = (0..1000).collect();
        let kept: Vec<u32> = every_nth(&all, 60).copied().collect();
        assert!(kept.len() <= 60 && kept.last() == Some(&999), "{kept:?}");
        assert_eq!(every_nth(&[1, 2, 3], 60).count(), 3);
        assert_eq!(every_nth::<u32>(&[], 60).count(), 0);
    }

    #[test]
    fn form_has_a_sign_unless_zero() {
        assert_eq!([5.4, -17.6, 0.4, -0.4].map(format_signed), ["+5", "−18", "0", "0"]);
    }

    #[test]
    fn range_ignores_values_that_are_not_finite() {
        assert_eq!(range([f64::NAN, 3.0, -1.0, f64::INFINITY].into_iter()), Some((-1.0, 3.0)));
        assert_eq!(range([f64::NAN].into_iter()), None);
    }
}
