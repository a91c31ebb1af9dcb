//! Reads the survey data of Vickers & Vertosick 2016: race times and weekly distance of runners.

use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::predict::{Performance, PredictionInputs, RaceResult, ResultKind, WeeklyVolume};
use std::collections::HashMap;
use std::path::Path;

/// Columns of the distances below the marathon, ascending.
const SHORTER: [&str; 5] = ["k5", "m5", "k10", "m10", "mh"];

/// One row: a runner with times adjusted for course difficulty.
pub(crate) struct Runner {
    /// The third of the survey; the authors built on 1 and 2 and tested on 3.
    pub(crate) group: u8,
    pub(crate) weekly: Distance,
    /// Races shorter than the marathon, the shortest first.
    pub(crate) races: Vec<Performance>,
    pub(crate) marathon: Option<TimeSpan>,
    /// Predictions of the authors' two models, minutes.
    pub(crate) authors: [Option<f64>; 2],
}

/// Everyone in the file who is in the prediction models, `adjusted` = 1.
pub(crate) fn runners(path: &Path) -> Vec<Runner> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).unwrap();
    let rows = reader.deserialize::<HashMap<String, String>>().map(Result::unwrap);
    rows.filter(|row| row["adjusted"] == "1").map(|row| runner(&row)).collect()
}

fn runner(row: &HashMap<String, String>) -> Runner {
    let number = |column: &str| row[column].parse::<f64>().ok();
    let time = |race: &str| number(&format!("{race}_ti_adj")).map(|t| TimeSpan::from_seconds(t).unwrap());
    let race = |race: &&str| {
        let distance = Distance::from_meters(number(&format!("{race}_d"))?).unwrap();
        Some(Performance::new(distance, time(race)?).unwrap())
    };
    Runner {
        group: number("group").unwrap() as u8,
        weekly: Distance::from_miles(number("typical").unwrap()).unwrap(),
        races: SHORTER.iter().filter_map(race).collect(),
        marathon: time("mf"),
        authors: [number("model1_time"), number("model2_time")],
    }
}

impl Runner {
    /// The longest race before the marathon.
    pub(crate) fn longest(&self) -> Performance {
        *self.races.last().unwrap()
    }

    /// The shortest, where there are two.
    pub(crate) fn shortest(&self) -> Option<Performance> {
        self.races.first().copied().filter(|_| self.races.len() > 1)
    }

    /// The race over a distance.
    pub(crate) fn over(&self, distance: Distance) -> Option<Performance> {
        self.races.iter().find(|race| race.distance() == distance).copied()
    }
}

/// Races without a date, as entered by a user.
pub(crate) fn results(races: &[Performance]) -> Vec<RaceResult> {
    let told = |race: &Performance| RaceResult {
        distance: race.distance(),
        time: race.time(),
        on: None,
        effort: ResultKind::Race,
    };
    races.iter().map(told).collect()
}

/// Input of our predictor.
pub(crate) fn inputs(results: &[RaceResult], weekly: Option<Distance>) -> PredictionInputs<'_> {
    PredictionInputs {
        results,
        weekly: weekly.map(|distance| WeeklyVolume { distance, weeks: None }),
        training: None,
        sex: None,
        history: &[],
        as_of: "2016-08-26".parse().unwrap(),
    }
}
