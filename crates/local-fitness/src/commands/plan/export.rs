//! `fitness plan export`

use super::chosen;
use crate::args::{ExportArgs, Format};
use crate::clock;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use crate::words::counted;
use anyhow::{Context as _, Result};
use fitness_core::calendar::{Day, Instant};
use fitness_core::export::{Exported, PlanFile, icalendar, markdown};
use fitness_core::hash::ContentHash;
use fitness_core::plan::{Plan, PlannedWorkout};
use fitness_core::text::visible;
use fitness_core::units::UnitSystem;
use fitness_sources::workouts::{FileNames, Loss, Stamp, WorkoutFile, plain, to_fit, zip};
use fitness_store::User;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// How many days a ZIP covers unless it is said.
const DAYS: u16 = 14;

pub(super) async fn run(context: &Context, wanted: ExportArgs) -> Result<Report> {
    check(&wanted)?;
    let (store, user) = context.open_for_user().await?;
    let plan = chosen(&store, &user, wanted.plan).await?;
    let workouts = store.list_workouts(user.id, plan.id, plan.revision).await?;
    let revisions = store.list_revisions(user.id, plan.id).await?;
    let profile = store.profile(user.id).await?;
    store.close().await;
    let made = revisions.iter().find(|revision| revision.number == plan.revision);
    let source = Source {
        made_at: made.map_or(plan.created_at, |revision| revision.made_at),
        mark: mark(&user),
        units: profile.units,
        today: Day::at(clock::now(), profile.zone),
        plan,
        workouts,
    };
    let made = match wanted.format {
        Format::Fit => source.fit(&wanted)?,
        Format::Zip => source.zip(&wanted)?,
        Format::Ics | Format::Json | Format::Md => source.text(wanted.format)?,
    };
    source.hand_over(made, &wanted)
}

/// Tells this athlete's plans from everybody else's, without saying who they are.
pub(super) fn mark(user: &User) -> String {
    let hash = ContentHash::of_json(&("local-fitness", user.id, user.created_at.timestamp_millis()));
    hash.to_string().chars().take(8).collect()
}

/// Flags that say nothing about the format are a mistake.
fn check(wanted: &ExportArgs) -> Result<()> {
    let fit_only = wanted.format != Format::Fit && (wanted.workout.is_some() || wanted.on.is_some());
    let zip_only = wanted.format != Format::Zip && (wanted.days.is_some() || wanted.from.is_some());
    if fit_only {
        let help = "leave them out, or write one workout with --format fit";
        return Err(Failure::new("--workout and --on name one workout, which is --format fit", help).into());
    }
    if zip_only {
        let help = "leave them out, or write some days with --format zip";
        return Err(Failure::new("--days and --from name some days, which is --format zip", help).into());
    }
    Ok(())
}

/// What is exported, and whose it is.
struct Source {
    plan: Plan,
    workouts: Vec<PlannedWorkout>,
    made_at: Instant,
    mark: String,
    units: UnitSystem,
    today: Day,
}

/// A file, ready to be written.
struct Made {
    name: String,
    bytes: Vec<u8>,
    /// What it is, after "Wrote FILE".
    words: String,
    /// The workouts in it that were written for a watch.
    workouts: Vec<(PlannedWorkout, WorkoutFile, String)>,
}

impl Source {
    fn exported(&self) -> Exported<'_> {
        Exported { plan: &self.plan, workouts: &self.workouts }
    }

    fn text(&self, format: Format) -> Result<Made> {
        let text = match format {
            Format::Ics => icalendar(self.exported(), &self.mark, self.made_at, self.units),
            Format::Md => markdown(self.exported(), self.units),
            _ => serde_json::to_string_pretty(&PlanFile::from(self.exported()))? + "\n",
        };
        let days: BTreeSet<Day> = self.workouts.iter().map(|planned| planned.workout.date).collect();
        let count = counted(days.len() as u64, "day", "days");
        let words = format!("plan {}, {}, {count}", self.plan.id, visible(&self.plan.name));
        let name = format!("{}.{format}", self.stem());
        Ok(Made { name, bytes: text.into_bytes(), words, workouts: Vec::new() })
    }

    fn fit(&self, wanted: &ExportArgs) -> Result<Made> {
        let planned = self.one(wanted)?;
        let file = self.write_one(planned)?;
        let name = FileNames::default().of(&planned.workout);
        let steps = counted(file.steps as u64, "step", "steps");
        let words = format!("{} on {}, {steps}", visible(&planned.workout.name), planned.workout.date);
        let workouts = vec![(planned.clone(), file.clone(), name.clone())];
        Ok(Made { name, bytes: file.bytes, words, workouts })
    }

    fn zip(&self, wanted: &ExportArgs) -> Result<Made> {
        let from = wanted.from.unwrap_or(self.today);
        let through = from.plus(i64::from(wanted.days.unwrap_or(DAYS)) - 1);
        let mut names = FileNames::default();
        let within = |planned: &&PlannedWorkout| {
            !planned.workout.is_rest() && (from..=through).contains(&planned.workout.date)
        };
        let workouts: Vec<_> = self
            .workouts
            .iter()
            .filter(within)
            .map(|planned| Ok((planned.clone(), self.write_one(planned)?, names.of(&planned.workout))))
            .collect::<Result<_>>()?;
        if workouts.is_empty() {
            let message = format!("plan {} has no workouts from {from} through {through}", self.plan.id);
            let help = "choose other days with --from and --days; `fitness plan show` lists them";
            return Err(Failure::new(message, help).into());
        }
        let bytes = zip(workouts.iter().map(|(_, file, name)| (name.as_str(), file.bytes.as_slice())))?;
        let words = format!(
            "{} from {from} through {through}",
            counted(workouts.len() as u64, "workout", "workouts")
        );
        Ok(Made { name: format!("{}-{from}.zip", self.stem()), bytes, words, workouts })
    }

    /// The plan's name as a file's, without its ending.
    fn stem(&self) -> String {
        let stem = plain(&self.plan.name);
        if stem.is_empty() { format!("plan-{}", self.plan.id) } else { stem }
    }

    fn write_one(&self, planned: &PlannedWorkout) -> Result<WorkoutFile> {
        let stamp = Stamp { serial: planned.id.get(), created: self.made_at };
        to_fit(&planned.workout, stamp).map_err(|why| {
            let help = "choose another with --workout or --on; `fitness plan show` lists them";
            Failure::new(why.to_string(), help).into()
        })
    }

    /// The one workout that is meant.
    fn one(&self, wanted: &ExportArgs) -> Result<&PlannedWorkout> {
        let help =
            "`fitness plan show` lists the plan's days, and --format json its workouts with their numbers";
        let no = |message: String| anyhow::Error::from(Failure::new(message, help));
        let id = self.plan.id;
        if let Some(workout) = wanted.workout {
            let found = self.workouts.iter().find(|planned| planned.id == workout);
            return found.ok_or_else(|| no(format!("plan {id} has no workout {workout}")));
        }
        let training = || self.workouts.iter().filter(|planned| !planned.workout.is_rest());
        let Some(day) = wanted.on else {
            let next = training().find(|planned| planned.workout.date >= self.today);
            return next.ok_or_else(|| no(format!("plan {id} has no workouts from today on")));
        };
        let mut that_day = training().filter(|planned| planned.workout.date == day);
        match (that_day.next(), that_day.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(no(format!("plan {id} has nothing to do on {day}"))),
            (Some(_), Some(_)) => {
                let ids: Vec<String> = training()
                    .filter(|planned| planned.workout.date == day)
                    .map(|planned| format!("{} ({})", planned.id, visible(&planned.workout.name)))
                    .collect();
                let message = format!("there are several workouts on {day}: {}", ids.join(", "));
                Err(Failure::new(message, "say which one with --workout ID").into())
            }
        }
    }

    /// Writes the file, or leaves the bytes for standard output, and says what was lost on the way.
    fn hand_over(&self, made: Made, wanted: &ExportArgs) -> Result<Report> {
        let Made { name, bytes, words, workouts } = made;
        let mut lost = String::new();
        for (planned, file, _) in &workouts {
            lost.push_str(&told(planned, &file.losses));
        }
        let rows: Vec<Value> = workouts
            .iter()
            .map(|(planned, file, name)| {
                let workout = &planned.workout;
                json!({ "id": planned.id, "date": workout.date, "name": workout.name, "file": name,
                    "steps": file.steps, "losses": file.losses })
            })
            .collect();
        let mut data = json!({ "plan_id": self.plan.id, "revision": self.plan.revision, "format": wanted.format,
            "file": null, "bytes": bytes.len(), "workouts": rows });
        if wanted.output.as_deref() == Some(Path::new("-")) {
            return Ok(Report::new(format!("Wrote {words}."), &data).aside(lost).output(bytes));
        }
        let path = wanted.output.clone().unwrap_or_else(|| PathBuf::from(name));
        write(&path, &bytes, wanted.force)?;
        data["file"] = path.display().to_string().into();
        Ok(Report::new(format!("Wrote {}: {words}.", path.display()), &data).aside(lost))
    }
}

/// What was lost of a workout, a line each.
pub(super) fn told(planned: &PlannedWorkout, losses: &[Loss]) -> String {
    let mut lines = String::new();
    for loss in losses {
        let _ = writeln!(lines, "{} {}, {loss}", planned.workout.date, visible(&planned.workout.name));
    }
    lines
}

/// Writes a file whole or not at all.
fn write(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    if path.is_dir() {
        let help = "name a file in it with -o";
        return Err(Failure::new(format!("{} is a folder", path.display()), help).into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).with_context(cannot)?;
    let kept = if force { file.persist(path) } else { file.persist_noclobber(path) };
    match kept {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            let help = "replace it with --force, or choose another name with -o";
            Err(Failure::new(format!("{} is there already", path.display()), help).into())
        }
        Err(error) => Err(anyhow::Error::from(error.error).context(cannot())),
    }
}
