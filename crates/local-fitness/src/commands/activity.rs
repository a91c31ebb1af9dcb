//! `fitness activity`

use super::settled;
use crate::args::ActivityCommand;
use crate::clock;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use crate::table::table;
use crate::words::counted;
use anyhow::{Context as _, Result};
use fitness_core::activity::Activity;
use fitness_core::calendar::Day;
use fitness_core::ids::ActivityId;
use fitness_core::merge::Edit;
use fitness_core::metrics::Quality;
use fitness_core::metrics::analysis::{Judged, Measures};
use fitness_core::metrics::load::LoadMethod;
use fitness_core::note::Author;
use fitness_core::observation::{ObservationKind, Observed};
use fitness_core::text::visible;
use fitness_core::units::{Speed, TimeSpan, UnitSystem};
use fitness_store::{Error, Original, StoredActivity};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

pub(super) async fn run(context: &Context, command: ActivityCommand) -> Result<Report> {
    match command {
        ActivityCommand::List { from, through, limit } => list(context, from, through, limit).await,
        ActivityCommand::Show { activity } => show(context, activity).await,
        ActivityCommand::Edit { activity, name, sport, distance, moving } => {
            let (store, user) = context.open_for_user().await?;
            let units = store.profile(user.id).await?.units;
            let distance = distance.map(|number| length(units, number)).transpose()?;
            let edit = Edit { name, sport, distance, elapsed: None, moving };
            store.edit_activity(user.id, activity, edit, clock::now()).await.map_err(unknown(activity))?;
            store.close().await;
            let words = format!(
                "Changed activity {activity}. No import undoes this; `fitness activity reset {activity}` does."
            );
            Ok(Report::new(words, &json!({ "activity_id": activity })))
        }
        ActivityCommand::Reset { activity } => {
            let (store, user) = context.open_for_user().await?;
            store.reset_activity(user.id, activity, clock::now()).await.map_err(unknown(activity))?;
            store.close().await;
            let words = format!("Activity {activity} is again what its sources say.");
            Ok(Report::new(words, &json!({ "activity_id": activity })))
        }
        ActivityCommand::Delete { activity } => {
            let (store, user) = context.open_for_user().await?;
            store.delete_activity(user.id, activity, clock::now()).await.map_err(unknown(activity))?;
            store.close().await;
            let words =
                format!("Deleted activity {activity}. Undo with `fitness activity restore {activity}`.");
            Ok(Report::new(words, &json!({ "activity_id": activity })))
        }
        ActivityCommand::Restore { activity } => {
            let (store, user) = context.open_for_user().await?;
            store.restore_activity(user.id, activity, clock::now()).await.map_err(|error| match error {
                Error::NotFound(_) => Failure::new(
                    format!("there is no deleted activity {activity}"),
                    "deleting prints the number that brings it back",
                )
                .into(),
                other => anyhow::Error::from(other),
            })?;
            store.close().await;
            Ok(Report::new(format!("Activity {activity} is back."), &json!({ "activity_id": activity })))
        }
        ActivityCommand::Rate { activity, effort } => {
            let (store, user) = context.open_for_user().await?;
            let found = store
                .find_activity(user.id, activity)
                .await?
                .ok_or(Error::NotFound("activity"))
                .map_err(unknown(activity))?;
            let felt = Observed::new(ObservationKind::Rpe, found.day, found.day, Some(effort))?
                .of_activity(Some(activity));
            store.add_observation(user.id, Author::Athlete, &felt, clock::now()).await?;
            settled(&store, user.id).await?;
            store.close().await;
            let words =
                format!("Noted: activity {activity} felt like {effort} of 10. Say it again to change it.");
            Ok(Report::new(words, &json!({ "activity_id": activity, "effort": effort })))
        }
        ActivityCommand::Files { activity, to } => files(context, activity, &to).await,
    }
}

/// A length in the athlete's units, or what to write instead.
pub(super) fn length(units: UnitSystem, number: f64) -> Result<fitness_core::units::Distance> {
    units.length(number).ok_or_else(|| {
        Failure::new(format!("{number} is no distance"), "write kilometres or miles, such as 21.1").into()
    })
}

pub(super) fn unknown(id: ActivityId) -> impl Fn(Error) -> anyhow::Error {
    move |error| match error {
        Error::NotFound(_) => {
            let help = "`fitness activity list` shows your activities";
            Failure::new(format!("there is no activity {id}"), help).into()
        }
        other => other.into(),
    }
}

async fn list(context: &Context, from: Option<Day>, through: Option<Day>, limit: usize) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let (count, span) = store.count_activities(user.id).await?;
    let Some((first, last)) = span else {
        store.close().await;
        let words = "No activities yet. Bring some in with `fitness import PATH`.";
        return Ok(Report::new(words, &Vec::<StoredActivity>::new()));
    };
    let mut found = store.list_activities(user.id, from.unwrap_or(first), through.unwrap_or(last)).await?;
    store.close().await;
    found.reverse();
    let matching = found.len();
    found.truncate(limit);
    let row = |stored: &StoredActivity| {
        let a = &stored.activity;
        [
            stored.id.to_string(),
            stored.day.to_string(),
            a.sport.to_string(),
            a.distance.map(|d| profile.units.distance(d).to_string()).unwrap_or_default(),
            a.training_time().map(TimeSpan::clock).unwrap_or_default(),
            title(stored),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let mut words = table(["activity", "day", "sport", "distance", "time", "name"], &rows);
    if matching > rows.len() {
        writeln!(words, "{} of {matching}; --limit shows more", rows.len())?;
    } else if found.is_empty() {
        words = format!("None of your {count} activities is from these days.\n");
    }
    Ok(Report::new(words, &found))
}

/// An activity's title with what there is to know about it at a glance.
fn title(stored: &StoredActivity) -> String {
    let mut words = visible(stored.activity.name.as_deref().unwrap_or("")).to_string();
    let marks = [
        (stored.race, "race"),
        (stored.flaws.iter().any(|flaw| flaw.is_damage()), "damaged file"),
        (stored.edited, "edited"),
    ];
    let marks: Vec<&str> = marks.into_iter().filter(|(so, _)| *so).map(|(_, word)| word).collect();
    if !marks.is_empty() {
        words = format!("{words} ({})", marks.join(", ")).trim_start().to_owned();
    }
    words
}

async fn show(context: &Context, id: ActivityId) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let units = store.profile(user.id).await?.units;
    settled(&store, user.id).await?;
    let stored =
        store.find_activity(user.id, id).await?.ok_or(Error::NotFound("activity")).map_err(unknown(id))?;
    let reports = store.list_reports(user.id, id).await?;
    let originals = store.originals_of(user.id, id).await?;
    let recording = store.find_recording(user.id, id).await?;
    let details = store.find_details(user.id, id).await?.unwrap_or_default();
    let metrics = store.find_metrics(user.id, id).await?;
    store.close().await;
    let mut words = format!("{} {} {}\n", stored.day, stored.activity.sport, title(&stored));
    for (label, value) in lines(&stored.activity, units) {
        writeln!(words, "  {label:<12}{value}")?;
    }
    if let Some((measures, judged)) = &metrics {
        for (label, value) in means(measures, judged.as_ref(), units) {
            writeln!(words, "  {label:<12}{value}")?;
        }
    }
    if let Some(recording) = &recording {
        let channels: Vec<&str> = recording.columns().map(|(channel, _)| channel.as_str()).collect();
        writeln!(
            words,
            "  {:<12}{} moments of {}",
            "recorded",
            recording.moments().len(),
            channels.join(", ")
        )?;
    }
    for (what, count) in [
        ("lengths", details.lengths.len()),
        ("sets", details.sets.len()),
        ("heartbeats", details.rr_ms.len()),
    ] {
        if count > 0 {
            writeln!(words, "  {what:<12}{count}")?;
        }
    }
    let sources: Vec<String> = reports.iter().map(|(key, _)| key.kind.to_string()).collect();
    writeln!(words, "  {:<12}{}", "told by", sources.join(", "))?;
    for Original { name, .. } in &originals {
        writeln!(words, "  {:<12}{}", "file", visible(name))?;
    }
    if !stored.activity.laps.is_empty() {
        let rows: Vec<_> = (1..)
            .zip(&stored.activity.laps)
            .map(|(number, lap): (usize, _)| {
                [
                    number.to_string(),
                    lap.distance.map(|d| units.distance(d).to_string()).unwrap_or_default(),
                    lap.moving.or(lap.elapsed).map(TimeSpan::clock).unwrap_or_default(),
                    lap.avg_heart_rate.map(|bpm| bpm.to_string()).unwrap_or_default(),
                    lap.kind.as_deref().map(|kind| visible(kind).to_string()).unwrap_or_default(),
                ]
            })
            .collect();
        write!(words, "\n{}", table(["lap", "distance", "time", "heart rate", ""], &rows))?;
    }
    let keys: Vec<String> = reports.iter().map(|(key, _)| key.to_string()).collect();
    let (measures, judged) = metrics.unzip();
    Ok(Report::new(
        words,
        &json!({ "activity": stored, "reports": keys, "originals": originals, "details": details,
            "measures": measures, "judged": judged.flatten() }),
    ))
}

/// What an activity meant: its load and how that was found, and what its samples say.
fn means(measures: &Measures, judged: Option<&Judged>, units: UnitSystem) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(judged) = judged {
        let load = match &judged.load {
            Ok(load) if load.quality == Quality::Ok => {
                format!("{:.0} by {}", load.value, spoken(load.method))
            }
            Ok(load) => format!("{:.0} by {} ({})", load.value, spoken(load.method), load.quality.spoken()),
            Err(why) => format!("none: {why}"),
        };
        lines.push(("load", load));
        for (label, zones) in [
            ("heart zones", &judged.heart_zones),
            ("pace zones", &judged.speed_zones),
            ("power zones", &judged.power_zones),
        ] {
            let Some(zones) = zones else { continue };
            let times: Vec<String> =
                zones.seconds.iter().map(|s| TimeSpan::from_secs(*s as i64).clock()).collect();
            lines.push((label, times.join("  ")));
        }
    }
    if let Ok(speed) = &measures.speed
        && let Ok(normalized) = &speed.normalized
        && let Some(pace) = Speed::from_mps(normalized.mean).and_then(Speed::pace)
        && speed.graded
    {
        lines.push(("on the flat", format!("{}, had the way been level", units.pace(pace))));
    }
    if let Ok(power) = &measures.power
        && let Ok(normalized) = &power.normalized
    {
        lines.push(("normalized", format!("{:.0} W", normalized.value)));
    }
    if let Ok(decoupling) = &measures.decoupling {
        lines.push(("decoupling", format!("{:+.1} %", decoupling.percent)));
    }
    if !measures.efforts.is_empty() {
        let told = |effort: &fitness_core::metrics::efforts::Effort| {
            format!("{} in {}", units.distance(effort.distance), effort.time.clock())
        };
        let usual = [1_000_000, 5_000_000, 10_000_000, 21_097_500, 42_195_000];
        let best: Vec<String> = measures
            .efforts
            .iter()
            .filter(|effort| usual.contains(&effort.distance.mm()))
            .map(told)
            .collect();
        if !best.is_empty() {
            lines.push(("fastest", best.join(", ")));
        }
    }
    lines
}

const fn spoken(method: LoadMethod) -> &'static str {
    match method {
        LoadMethod::Power => "power",
        LoadMethod::Pace => "pace",
        LoadMethod::HeartRate => "heart rate",
        LoadMethod::EdwardsRatio => "heart rate zones",
        LoadMethod::SwimPace => "swim pace",
        LoadMethod::PerceivedExertion => "how it felt",
    }
}

fn lines(a: &Activity, units: UnitSystem) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let mut line = |label, value: Option<String>| lines.extend(value.map(|value| (label, value)));
    line("kind", a.sub_sport.as_deref().map(|kind| visible(kind).to_string()));
    line("distance", a.distance.map(|d| units.distance(d).to_string()));
    line("moving", a.moving.map(TimeSpan::clock));
    line("elapsed", a.elapsed.map(TimeSpan::clock));
    let pace = a.distance.zip(a.training_time()).and_then(|(d, t)| Speed::over(d, t)?.pace());
    line("pace", pace.map(|pace| units.pace(pace).to_string()));
    line(
        "heart rate",
        a.avg_heart_rate.map(|bpm| match a.max_heart_rate {
            Some(max) => format!("{bpm}, highest {max}"),
            None => bpm.to_string(),
        }),
    );
    line("power", a.avg_power.map(|watts| format!("{watts} W")));
    line("cadence", a.avg_cadence.map(|cadence| format!("{cadence:.0}")));
    line("climbed", a.ascent.map(|ascent| format!("{:.0} m", ascent.meters())));
    line("energy", a.energy_kcal.map(|kcal| format!("{kcal} kcal")));
    line("device", a.device.as_deref().map(|device| visible(device).to_string()));
    lines
}

/// Writes kept files into a folder, never over another file.
async fn files(context: &Context, activity: Option<ActivityId>, to: &Path) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let originals = match activity {
        Some(id) => store.originals_of(user.id, id).await?,
        None => store.list_originals(user.id, 0, u32::MAX.into()).await?,
    };
    if originals.is_empty() {
        let help = "only files that were imported or synced can be written";
        return Err(Failure::new("there are no original files", help).into());
    }
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let mut written = Vec::new();
    for original in &originals {
        let bytes = store.read_original(user.id, original.sha256).await?;
        let name = file_name(original);
        let path = to.join(&name);
        if path.exists() && std::fs::read(&path).is_ok_and(|there| there == bytes) {
            written.push(name);
            continue;
        }
        let mut file = std::fs::File::create_new(&path).map_err(|error| {
            Failure::new(
                format!("cannot write {}: {error}", path.display()),
                "choose an empty folder with --to",
            )
        })?;
        std::io::Write::write_all(&mut file, &bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(name);
    }
    store.close().await;
    let words = format!("Wrote {} to {}.", counted(written.len() as u64, "file", "files"), to.display());
    Ok(Report::new(words, &json!({ "files": written })))
}

/// A kept file's name is foreign: only what is safe in any folder is used of it, and its hash makes it one of a kind.
fn file_name(original: &Original) -> String {
    let (stem, ending) = original.name.rsplit_once('.').unwrap_or((&original.name, "bin"));
    let safe = |text: &str| -> String {
        text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(60).collect()
    };
    let hash = original.sha256.to_string();
    format!("{}-{}.{}", safe(stem), &hash[..8], safe(ending)).trim_start_matches('-').to_owned()
}
