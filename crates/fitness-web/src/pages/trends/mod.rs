//! `GET /trends`: charts over weeks to years; `GET /trends/{name}.csv`: the same data as CSV.

mod charts;
mod data;
mod help;
mod nights;
mod table;

use crate::charts::axes::ChartSize;
use crate::charts::figure::Figure;
use crate::components::core_message::for_page;
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::form::FormFields;
use crate::page::{NavItem, PageContext};
use axum::extract::RawQuery;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use data::{BestEffort, FitnessSeries, Measure, PredictionHistory, Span, Volume};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::Speed;
use fitness_core::metrics::fitness::FormBand;
use fitness_core::string_enum;
use maud::{Markup, html};
use nights::{Nights, Signal};
use table::Table;

string_enum! {
    /// Period shown, counted back from the last day with data.
    #[derive(Default)]
    pub(crate) enum Range("range") {
        SixWeeks = "6w",
        #[default]
        ThreeMonths = "3m",
        SixMonths = "6m",
        Year = "1y",
        All = "all",
    }
}

impl Range {
    const fn label_and_days(self) -> (&'static str, Option<i64>) {
        match self {
            Self::SixWeeks => ("6 weeks", Some(42)),
            Self::ThreeMonths => ("3 months", Some(91)),
            Self::SixMonths => ("6 months", Some(182)),
            Self::Year => ("1 year", Some(365)),
            Self::All => ("All", None),
        }
    }

    /// The period at the end of a sentence.
    const fn period_phrase(self) -> &'static str {
        match self {
            Self::SixWeeks => "in the last 6 weeks",
            Self::ThreeMonths => "in the last 3 months",
            Self::SixMonths => "in the last 6 months",
            Self::Year => "in the last year",
            Self::All => "in all your data",
        }
    }
}

string_enum! {
    /// A chart; each can be shown as a table and downloaded as CSV.
    pub(crate) enum Chart("chart") {
        /// Fitness, fatigue and form.
        Fitness = "fitness",
        Hrv = "hrv",
        Resting = "resting",
        Sleep = "sleep",
        /// Distance, time or load by week or month.
        Volume = "volume",
        Efforts = "efforts",
        /// The predicted finish over time.
        Prediction = "prediction",
        /// Calendar heatmap of a year.
        Days = "days",
    }
}

impl Chart {
    const fn title(self) -> &'static str {
        match self {
            Self::Fitness => "Fitness, fatigue, form",
            Self::Hrv => "Heart rate variability (HRV)",
            Self::Resting => "Resting heart rate",
            Self::Sleep => "Sleep",
            Self::Volume => "Volume",
            Self::Efforts => "Fastest times",
            Self::Prediction => "Predicted finish",
            Self::Days => "The last year, day by day",
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct TrendsQuery {
    range: Range,
    measure: Measure,
    table: Option<Chart>,
}

impl TrendsQuery {
    /// Unknown values fall back to the defaults, so that old links still work.
    fn parse(query: Option<String>) -> Result<Self, PageError> {
        let fields = FormFields::parse(query.unwrap_or_default().as_bytes())?;
        Ok(Self {
            range: fields.get_trimmed("range").and_then(|word| word.parse().ok()).unwrap_or_default(),
            measure: fields.get_trimmed("volume").and_then(|word| word.parse().ok()).unwrap_or_default(),
            table: fields.get_trimmed("table").and_then(|word| word.parse().ok()),
        })
    }

    fn url(self) -> String {
        let mut address = format!("/trends?range={}", self.range);
        if self.measure != Measure::default() {
            address.push_str(&format!("&volume={}", self.measure));
        }
        if let Some(table) = self.table {
            address.push_str(&format!("&table={table}"));
        }
        address
    }
}

pub(crate) async fn show(view: PageContext, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let asked = TrendsQuery::parse(query)?;
    let Some(span) = Span::load(&view, asked.range.label_and_days().1).await? else {
        return Ok(view.page(NavItem::Trends, "Trends", &empty()));
    };
    let content = match asked.table {
        Some(chart) => {
            let table = load_table(&view, span, chart, asked.measure).await?;
            let back = TrendsQuery { table: None, ..asked };
            html! { section.card {
                h2 { (chart.title()) }
                (table.render())
                p.actions { a.btn href=(back.url()) { "Show as charts" } a.btn href=(csv_url(chart, asked.range)) { "CSV" } }
            } }
        }
        None => charts(&view, span, asked).await?,
    };
    let body = html! {
        h1 { "Trends" }
        nav.tabs aria-label="Period" {
            @for range in Range::ALL {
                a href=(TrendsQuery { range: *range, ..asked }.url()) aria-current=[(*range == asked.range).then_some("true")] { (range.label_and_days().0) }
            }
        }
        (content)
    };
    Ok(view.page(NavItem::Trends, "Trends", &body))
}

pub(crate) async fn download_csv(
    view: PageContext,
    Path(file): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let chart: Chart =
        file.strip_suffix(".csv").and_then(|name| name.parse().ok()).ok_or_else(PageError::not_found)?;
    let asked = TrendsQuery::parse(query)?;
    let table = match Span::load(&view, asked.range.label_and_days().1).await? {
        Some(span) => load_table(&view, span.daily(), chart, asked.measure).await?,
        None => Table::default(),
    };
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{chart}-{}.csv\"", asked.range)),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, table.to_csv()).into_response())
}

fn csv_url(chart: Chart, range: Range) -> String {
    format!("/trends/{chart}.csv?range={range}")
}

async fn load_table(
    view: &PageContext,
    span: Span,
    chart: Chart,
    measure: Measure,
) -> Result<Table, PageError> {
    let units = view.units();
    Ok(match chart {
        Chart::Fitness => table::fitness(&FitnessSeries::load(view, span).await?, view.today),
        Chart::Hrv => table::nights(&Nights::load(view, span).await?, Signal::Hrv, view.today),
        Chart::Resting => table::nights(&Nights::load(view, span).await?, Signal::Resting, view.today),
        Chart::Sleep => table::nights(&Nights::load(view, span).await?, Signal::Sleep, view.today),
        Chart::Volume => table::volume(&Volume::load(view, span, measure).await?, view.today, units),
        Chart::Efforts => table::efforts(&BestEffort::load(view, span).await?.0, view.today, units),
        Chart::Prediction => table::predictions(&BestEffort::load(view, span).await?.1, view.today),
        Chart::Days => table::days(&data::load_year(view, span).await?, view.today),
    })
}

async fn charts(view: &PageContext, span: Span, asked: TrendsQuery) -> Result<Markup, PageError> {
    let lines = FitnessSeries::load(view, span).await?;
    let nights = Nights::load(view, span).await?;
    let volume = Volume::load(view, span, asked.measure).await?;
    let (efforts, predictions) = BestEffort::load(view, span).await?;
    let year = data::load_year(view, span).await?;
    Ok(html! {
        (card(Chart::Fitness, asked, &fitness_card(&lines, view.today, asked)))
        div.grid.three {
            @for signal in Signal::ALL { (card(signal.chart(), asked, &night_card(&nights, *signal, view.today, asked))) }
        }
        div.grid {
            div {
                (card(Chart::Volume, asked, &volume_card(&volume, view, asked)))
                (card(Chart::Prediction, asked, &prediction_card(&predictions, view, asked)))
            }
            (card(Chart::Efforts, asked, &efforts_card(&efforts, view, asked.range)))
        }
        (card(Chart::Days, asked, &year_card(&year, asked)))
    })
}

fn card(chart: Chart, asked: TrendsQuery, content: &Markup) -> Markup {
    html! {
        section.card id=(chart) {
            h2 { (chart.title()) }
            (content)
            div.small.row { (help::render(chart)) a.push href=(csv_url(chart, asked.range)) { "CSV" } }
        }
    }
}

fn table_url(chart: Chart, asked: TrendsQuery) -> String {
    TrendsQuery { table: Some(chart), ..asked }.url()
}

fn figure(
    chart: Chart,
    asked: TrendsQuery,
    plot: ChartSize,
    drawn: Markup,
    reads: Vec<(f64, String)>,
    caption: &str,
) -> Markup {
    let table = table_url(chart, asked);
    Figure { label: chart.title(), plot, drawing: drawn, readings: reads, caption, table: Some(&table) }
        .render()
}

fn fitness_card(lines: &FitnessSeries, today: Day, asked: TrendsQuery) -> Markup {
    let Some(last) = lines.last() else {
        return html! { p.soft { "Fitness is computed from training load, and no day has a load yet." } };
    };
    let first = lines.points.iter().find_map(|point| point.fitness);
    let change = |now: Option<f64>, then: Option<f64>| match now
        .zip(then)
        .map(|(now, then)| now.round() - then.round())
    {
        Some(by) if by > 0.0 => format!(" ▲{by:.0}"),
        Some(by) if by < 0.0 => format!(" ▼{:.0}", -by),
        _ => String::new(),
    };
    let morning = lines.morning().unwrap_or(last);
    let band = lines.has_settled.then(|| FormBand::from_form(morning.form));
    let (plot, drawn, reads) = charts::fitness(lines);
    let caption = charts::fitness_caption(lines, today);
    html! {
        dl.tiles {
            div title="Arrow: change since the first day shown" { dt { "Fitness" } dd { (charts::format_whole(last.fitness)) (change(last.fitness, first)) } }
            div { dt { "Fatigue" } dd { (charts::format_whole(last.fatigue)) } }
            div { dt { "Form" } dd { (charts::format_signed(morning.shown_form)) @if let Some(band) = band { " " span.chip.(band) { (band.label()) } } } }
        }
        (figure(Chart::Fitness, asked, plot, drawn, reads, &caption))
    }
}

fn night_card(nights: &Nights, signal: Signal, today: Day, asked: TrendsQuery) -> Markup {
    match charts::nights(nights, signal) {
        Some((plot, drawn, reads)) => {
            figure(signal.chart(), asked, plot, drawn, reads, &charts::night_caption(nights, signal, today))
        }
        None => html! { p.soft { (signal.missing_reason()) } },
    }
}

fn volume_card(volume: &Volume, view: &PageContext, asked: TrendsQuery) -> Markup {
    html! {
        nav.tabs aria-label="Measure" {
            @for measure in Measure::ALL {
                a href={ (TrendsQuery { measure: *measure, ..asked }.url()) "#volume" } aria-current=[(*measure == asked.measure).then_some("true")] { (measure.title()) }
            }
        }
        @match charts::volume(volume, view.units()) {
            Some((plot, drawn, reads)) => (figure(Chart::Volume, asked, plot, drawn, reads, &charts::volume_caption(volume, view.units()))),
            None => p.soft { "No training in this period." },
        }
    }
}

fn prediction_card(predictions: &PredictionHistory, view: &PageContext, asked: TrendsQuery) -> Markup {
    match charts::predictions(predictions) {
        Some((plot, drawn, reads)) => {
            let caption = charts::prediction_caption(predictions, view.units());
            figure(Chart::Prediction, asked, plot, drawn, reads, &caption)
        }
        None => {
            html! { p.soft { "No prediction for " (predictions.name(view.units())) ": " (for_page(&predictions.missing_reason())) "." } }
        }
    }
}

fn year_card(year: &data::YearHeatmap, asked: TrendsQuery) -> Markup {
    let (plot, drawn, reads) = charts::year(year);
    html! { div.scroll.heat tabindex="0" role="region" aria-label="Year (scrollable)" { (figure(Chart::Days, asked, plot, drawn, reads, &charts::year_caption(year))) } }
}

fn efforts_card(efforts: &[BestEffort], view: &PageContext, range: Range) -> Markup {
    let units = view.units();
    html! {
        @if efforts.is_empty() { p.soft { "No recorded runs of 400 m or more " (range.period_phrase()) "." } }
        @else { p.soft { "Your fastest times " (range.period_phrase()) "." } table {
            thead { tr { th scope="col" { "Distance" } th.n scope="col" { "Time" } th.n scope="col" { "Pace" } th scope="col" { "Date" } } }
            tbody { @for best in efforts {
                @let pace = Speed::from_distance_and_time(best.distance, best.time).and_then(Speed::pace);
                tr {
                    th scope="row" { (units.distance_name(best.distance)) }
                    td.n { (best.time.format_clock()) }
                    td.n { (pace.map(|pace| units.format_pace(pace).to_string()).unwrap_or_default()) }
                    td { a href={ "/activities/" (best.activity) } { (time::element(best.day, view.today)) } }
                }
            } }
        } }
    }
}

fn empty() -> Markup {
    html! {
        h1 { "Trends" }
        section.card {
            p { "Once you have data, your fitness, sleep and pace over weeks and years appear here." }
            p.actions { a.btn.primary href="/data" { "Import data" } }
        }
    }
}
