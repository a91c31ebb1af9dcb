//! The charts themselves, and the sentence below each.

use super::data::{Lines, Predictions, Step, Volume, Year};
use super::sleep::{Measured, Nights, Signal};
use crate::charts::axes::{Plot, number};
use crate::charts::scale::{Days, Linear};
use crate::charts::{bands, bars, heatmap, path};
use crate::components::time;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::metrics::fitness::FormBand;
use maud::{Markup, html};

/// A drawing, its size, and what can be read from it.
pub(super) type Drawn = (Plot, Markup, Vec<(f64, String)>);

/// As many values of a wide chart can be read one after another.
const READS: usize = 40;
/// As many points a line has.
const POINTS: usize = 96;
/// The same for a small one.
const FEW_READS: usize = 22;

/// `54`, or a dash.
pub(super) fn whole(value: Option<f64>) -> String {
    value.map_or_else(|| "—".to_owned(), |value| format!("{value:.0}"))
}

/// `+5`, `−18`, `0`.
pub(super) fn signed(value: f64) -> String {
    match value.round() {
        up if up > 0.0 => format!("+{up:.0}"),
        down if down < 0.0 => format!("−{:.0}", -down),
        _ => "0".to_owned(),
    }
}

/// Every so many, and always the last.
fn some<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
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

/// Where the lines end and the strip of form begins.
const STRIP: (f64, f64) = (252.0, 342.0);

pub(super) fn fitness(lines: &Lines) -> Drawn {
    let plot = Plot { width: 800.0, height: 368.0, left: 36.0, right: 72.0, top: 28.0, bottom: 26.0 };
    let upper = Plot { height: 244.0, bottom: 36.0, ..plot };
    let ahead = lines.race.filter(|race| *race > lines.span.complete);
    let days = plot.days(lines.span.from, ahead.unwrap_or(lines.span.through).max(lines.span.from.next()));
    let highest = lines.points.iter().flat_map(|point| [point.fitness, point.fatigue]).flatten();
    let highest = highest.chain(lines.ahead.iter().map(|point| point.fitness)).fold(10.0, f64::max);
    let (scale, ticks) = upper.values((0.0, highest));
    let forms = lines.points.iter().map(|point| point.form).chain(lines.ahead.iter().map(|point| point.form));
    let (low, high) = range(forms.chain([-35.0, 15.0])).unwrap_or((-35.0, 15.0));
    let strip = Linear::new((low, high), (STRIP.1, STRIP.0));
    let shown: Vec<_> = some(&lines.points, POINTS).collect();
    let line = |value: fn(&super::data::LinePoint) -> Option<f64>, scale: &Linear| {
        path::line(shown.iter().map(|point| Some((days.at(point.day), scale.at(value(point)?)))))
    };
    // Line and area are one path: its ends stand on the ground, where the chart begins and where the data ends.
    let above = shown.iter().filter_map(|point| Some((days.at(point.day), scale.at(point.fitness?))));
    let above: Vec<path::Point> = above.collect();
    let ground = |end: Option<&path::Point>| end.map(|(x, _)| (*x, upper.upward().0));
    let ends = (ground(above.first()), ground(above.last()));
    let filled = ends.0.into_iter().chain(above.iter().copied()).chain(ends.1).map(Some);
    // What is ahead may be a sliver beside ten years: points that fall on each other are left out.
    let room = ahead.map_or(0.0, |race| days.at(race) - days.at(lines.span.complete));
    let fit = |most: usize| ((room / 6.0) as usize).clamp(2, most);
    let planned: Vec<_> = some(&lines.ahead, fit(POINTS / 2)).collect();
    let from_last = lines.last().map(|last| (last.day, last.fitness, last.form));
    let course =
        |value: fn(&fitness_core::metrics::trajectory::Point) -> f64, start: Option<f64>, scale: &Linear| {
            let start = from_last.zip(start).map(|((day, ..), value)| (days.at(day), scale.at(value)));
            path::line(
                [start]
                    .into_iter()
                    .filter(Option::is_some)
                    .chain(planned.iter().map(|point| Some((days.at(point.day), scale.at(value(point)))))),
            )
        };
    let bar = days.at(lines.span.complete);
    let drawn = html! {
        (upper.rules(&scale, &ticks, number))
        path.s.fitness.filled d=(path::line(filled)) {}
        path.s.fatigue d=(line(|point| point.fatigue, &scale)) {}
        (bands::form(&plot, &strip, (low, high)))
        line.g-zero x1=(plot.left) x2=(plot.across().1) y1=(format!("{:.1}", strip.at(0.0))) y2=(format!("{:.1}", strip.at(0.0))) {}
        text x=(plot.left - 6.0) y=(format!("{:.1}", strip.at(0.0) + 4.0)) text-anchor="end" { "0" }
        path.s.form d=(line(|point| Some(point.form), &strip)) {}
        @if lines.step == Step::Day { (dots(lines, &days, upper.upward().0 + 14.0)) }
        @if !planned.is_empty() {
            path.s.fitness.ahead d=(course(|point| point.fitness, from_last.and_then(|(_, fitness, _)| fitness), &scale)) {}
            path.s.form.ahead d=(course(|point| point.form, from_last.map(|(.., form)| form), &strip)) {}
        }
        @if ahead.is_some() { (plot.upright(bar, "frontier", &format!("data through {}", lines.span.complete.date().format("%-d %b")))) }
        @if let Some(race) = ahead { (plot.upright(days.at(race), "race", if room > 150.0 { "race day" } else { "" })) }
        (plot.calendar(&days))
    };
    let told = |point: &super::data::LinePoint| {
        let band =
            if lines.learned { format!(" {}", FormBand::of(point.form).spoken()) } else { String::new() };
        let words = format!(
            "{}: fitness {}, fatigue {}, form {}{band}",
            time::short(point.day),
            whole(point.fitness),
            whole(point.fatigue),
            signed(point.form)
        );
        (days.at(point.day), words)
    };
    let reads = some(&lines.points, READS).map(told);
    let planned = some(&lines.ahead, fit(FEW_READS)).map(|point| {
        let words = format!(
            "{}, planned: fitness {:.0}, form {}",
            time::short(point.day),
            point.fitness,
            signed(point.form)
        );
        (days.at(point.day), words)
    });
    let reads: Vec<_> = reads.chain(planned).collect();
    (plot, drawn, reads)
}

/// Days with training as dots, larger with more load.
fn dots(lines: &Lines, days: &Days, y: f64) -> Markup {
    let steps = heatmap::steps(lines.trained.iter().map(|(_, load)| *load));
    let of = |size: usize| -> String {
        let these = lines.trained.iter().filter(|(_, load)| heatmap::shade(*load, &steps) == size);
        these.map(|(day, _)| format!("M{:.0} {y:.0}h0", days.at(*day))).collect()
    };
    html! { @for size in 1..=heatmap::SHADES { @let path = of(size); @if !path.is_empty() { path class=(format!("d d{size}")) d=(path) {} } } }
}

pub(super) fn fitness_caption(lines: &Lines, today: Day) -> String {
    let (Some(last), Some((morning, form))) = (lines.last(), lines.morning()) else { return String::new() };
    let mut words = format!(
        "Fitness {} (area) and fatigue {} (thin line) in the evening of {}; below, form {} in the morning of {}",
        whole(last.fitness),
        whole(last.fatigue),
        time::near(last.day, today),
        signed(form),
        time::near(morning, today)
    );
    match lines.ahead.last().zip(lines.race) {
        Some((end, race)) => words.push_str(&format!(
            "; if the plan is followed, fitness is {:.0} on the eve of {}.",
            end.fitness,
            time::near(race, today)
        )),
        None => words.push('.'),
    }
    match lines.step {
        Step::Day => words.push_str(" A dot is a day with training, larger with more load."),
        step => words.push_str(&format!(" One point stands for a {}, at its end.", step.each())),
    }
    words
}

/// A value of a night in words.
pub(super) fn night_words(signal: Signal, value: f64) -> String {
    match signal {
        Signal::Hrv => format!("{value:.0} ms"),
        Signal::Resting => format!("{value:.0} bpm"),
        Signal::Sleep => {
            TimeSpan::from_seconds(value * 3600.0).map_or_else(|| "—".to_owned(), TimeSpan::hours_minutes)
        }
    }
}

pub(super) fn nights(nights: &Nights, signal: Signal) -> Option<Drawn> {
    let points = nights.of(signal);
    points.iter().find(|(_, night)| night.value.is_some())?;
    let plot = Plot { width: 360.0, height: 190.0, left: 30.0, ..Plot::default() };
    let days = plot.days(nights.span.from, nights.span.through.max(nights.span.from.next()));
    let all = |night: &Measured| {
        night.value.into_iter().chain(night.normal.into_iter().flat_map(|(low, high)| [low, high]))
    };
    let (scale, ticks) =
        plot.values(range(points.iter().flat_map(|(_, night)| all(night).collect::<Vec<_>>()))?);
    // A range moves slowly: a few places draw it.
    let normal: Vec<_> = some(points, 24).map(|(day, night)| (days.at(*day), night.normal)).collect();
    let drawn = html! {
        (plot.rules(&scale, &ticks, number))
        @for path in bands::normal(&normal, &scale) { path.a.normal d=(path) {} }
        path.s.plain.thin d=(path::line(points.iter().map(|(day, night)| Some((days.at(*day), scale.at(night.value?)))))) {}
        (plot.calendar(&days))
    };
    let reads = some(points, FEW_READS).map(|(day, night)| {
        let value = night.value.map_or_else(|| "—".to_owned(), |value| night_words(signal, value));
        (days.at(*day), format!("{}: {value}", time::short(*day)))
    });
    let reads = reads.collect();
    Some((plot, drawn, reads))
}

pub(super) fn night_caption(nights: &Nights, signal: Signal, today: Day) -> String {
    let last = nights.of(signal).iter().rfind(|(_, night)| night.value.is_some());
    let Some((day, Measured { value: Some(value), normal })) = last else { return String::new() };
    let when = match nights.step {
        Step::Day => time::near(*day, today),
        step => format!("the {} to {}", step.each(), time::near(*day, today)),
    };
    let said = format!("{} on {when}", night_words(signal, *value)).replace(" on the ", " in the ");
    match normal {
        None => format!("{said}; your normal range is still being learned."),
        Some((low, high)) => {
            let place = if value < low {
                "below"
            } else if value > high {
                "above"
            } else {
                "within"
            };
            format!(
                "{said}, {place} your normal {} to {}.",
                night_words(signal, *low),
                night_words(signal, *high)
            )
        }
    }
}

pub(super) fn volume(volume: &Volume, units: UnitSystem) -> Option<Drawn> {
    let plot = Plot::default();
    let values: Vec<f64> = volume.sums.iter().map(|(_, totals)| volume.value(totals, units)).collect();
    let (_, high) = range(values.iter().copied()).filter(|(_, high)| *high > 0.0)?;
    let (scale, ticks) = plot.values((0.0, high));
    let (middles, width) = bars::slots(plot.across(), values.len());
    let bottom = plot.upward().0;
    let of = |open: bool| {
        let all = volume.sums.iter().zip(&values).zip(&middles);
        let these = all.filter(move |(((day, _), _), _)| (*day >= volume.open) == open);
        bars::path(these.map(|((_, value), middle)| (*middle, scale.at(*value))), bottom)
    };
    let every = volume.sums.len().div_ceil(8).max(1);
    let format = if volume.step == Step::Week && volume.sums.len() <= 60 { "%-d %b" } else { "%b %Y" };
    let drawn = html! {
        (plot.rules(&scale, &ticks, number))
        path.bars.plain stroke-width=(format!("{width:.1}")) d=(of(false)) {}
        path.bars.open stroke-width=(format!("{width:.1}")) d=(of(true)) {}
        g text-anchor="middle" { @for ((day, _), middle) in volume.sums.iter().zip(&middles).step_by(every) {
            text x=(format!("{middle:.0}")) y=(plot.height - 5.0) { (day.date().format(format)) }
        } }
    };
    let all: Vec<_> = volume.sums.iter().zip(&middles).collect();
    let reads = some(&all, READS).map(|((day, totals), middle)| {
        let stretch = match volume.step {
            Step::Month => day.date().format("%b %Y").to_string(),
            _ => format!("week of {}", day.date().format("%-d %b")),
        };
        (**middle, format!("{stretch}: {}", volume.words(totals, units)))
    });
    let reads = reads.collect();
    Some((plot, drawn, reads))
}

pub(super) fn volume_caption(volume: &Volume, units: UnitSystem) -> String {
    let closed: Vec<_> = volume.sums.iter().filter(|(day, _)| *day < volume.open).collect();
    let what = match volume.measure {
        super::data::Measure::Distance => match volume.sport {
            Sport::Running => "Distance run",
            Sport::Cycling => "Distance ridden",
            Sport::Swimming => "Distance swum",
            _ => "Distance of your main sport",
        },
        super::data::Measure::Time => "Time in training, all sports",
        super::data::Measure::Load => "Training load, all sports",
    };
    let each = volume.step.each();
    let Some(most) =
        closed.iter().max_by(|a, b| volume.value(&a.1, units).total_cmp(&volume.value(&b.1, units)))
    else {
        return format!("{what}; no {each} is over yet.");
    };
    format!(
        "{what} by {each}; most in the {each} of {}: {}. The lighter bar is not over yet.",
        most.0.date().format("%-d %b %Y"),
        volume.words(&most.1, units)
    )
}

pub(super) fn predictions(predictions: &Predictions) -> Option<Drawn> {
    let plot = Plot { left: 58.0, ..Plot::default() };
    let found: Vec<_> = predictions.seen.iter().map(|(day, found)| (*day, found.as_ref().ok())).collect();
    let minutes = |time: TimeSpan| time.seconds() / 60.0;
    let ends =
        found.iter().filter_map(|(_, found)| found.map(|p| [minutes(p.exact.low), minutes(p.exact.high)]));
    let (scale, ticks) = plot.values(range(ends.flatten())?);
    let (first, last) = (found.first()?.0, found.last()?.0);
    let days = plot.days(first, last.max(first.next()));
    let band: Vec<_> = found
        .iter()
        .map(|(day, found)| (days.at(*day), found.map(|p| (minutes(p.exact.low), minutes(p.exact.high)))))
        .collect();
    let points =
        found.iter().map(|(day, found)| Some((days.at(*day), scale.at(minutes(found.as_ref()?.exact.time)))));
    let points: Vec<_> = points.collect();
    let clock =
        |minutes: f64| TimeSpan::from_seconds(minutes * 60.0).map(TimeSpan::clock).unwrap_or_default();
    let drawn = html! {
        (plot.rules(&scale, &ticks, clock))
        @for path in bands::normal(&band, &scale) { path.a.normal d=(path) {} }
        path.s.plain d=(path::line(points.iter().copied())) {}
        path.d.d2 d=(points.iter().flatten().map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect::<String>()) {}
        (plot.calendar(&days))
    };
    let reads = found.iter().map(|(day, found)| {
        let words = found.map_or_else(|| "no prediction".to_owned(), |p| p.shown.to_string());
        (days.at(*day), format!("{}: {words}", time::short(*day)))
    });
    let reads = reads.collect();
    Some((plot, drawn, reads))
}

pub(super) fn prediction_caption(predictions: &Predictions, units: UnitSystem) -> String {
    let name = predictions.name(units);
    match predictions.seen.last() {
        Some((_, Ok(now))) => format!("{name}: {} today. {}", now.shown, time::in_words(&now.basis(units))),
        _ => format!("{name}: no prediction today; {}.", predictions.why()),
    }
}

pub(super) fn year(year: &Year) -> Drawn {
    let plot = heatmap::plot(year.from, year.through);
    let drawn = heatmap::squares(&plot, (year.from, year.through), &year.minutes);
    let mondays = (0..).map(|week| year.from.plus(7 * week)).take_while(|monday| *monday <= year.through);
    let reads = mondays.map(|monday| {
        let week = year.minutes.range(monday..=monday.plus(6));
        let (days, minutes) = week.fold((0, 0.0), |(days, sum), (_, minutes)| (days + 1, sum + minutes));
        let time = TimeSpan::from_seconds(minutes * 60.0).map(TimeSpan::hours_minutes).unwrap_or_default();
        let many = if days == 1 { "day" } else { "days" };
        (
            heatmap::column(&plot, year.from, monday),
            format!("{}: {days} {many}, {time}", monday.date().format("%-d %b")),
        )
    });
    let reads = reads.collect();
    (plot, drawn, reads)
}

pub(super) fn year_caption(year: &Year) -> String {
    let known: Vec<f64> = year.from.through(year.through).filter_map(|day| year.on(day)).collect();
    let trained = known.iter().filter(|minutes| **minutes > 0.0).count();
    format!("Training on {trained} of {} days.", known.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_ends_with_the_last_and_keeps_few() {
        let all: Vec<u32> = (0..1000).collect();
        let kept: Vec<u32> = some(&all, 60).copied().collect();
        assert!(kept.len() <= 60 && kept.last() == Some(&999), "{kept:?}");
        assert_eq!(some(&[1, 2, 3], 60).count(), 3);
        assert_eq!(some::<u32>(&[], 60).count(), 0);
    }

    #[test]
    fn a_form_has_its_sign_and_zero_has_none() {
        assert_eq!([5.4, -17.6, 0.4, -0.4].map(signed), ["+5", "−18", "0", "0"]);
    }

    #[test]
    fn a_range_leaves_out_what_is_no_number() {
        assert_eq!(range([f64::NAN, 3.0, -1.0, f64::INFINITY].into_iter()), Some((-1.0, 3.0)));
        assert_eq!(range([f64::NAN].into_iter()), None);
    }
}
