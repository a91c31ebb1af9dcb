//! `fitness plan export`: writes a plan to a file.

use super::select_plan;
use crate::cli::{ExportArgs, Format};
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::{Context as _, Result};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::PlannedWorkout;
use fitness_core::plan::export::owner_hash;
use fitness_sources::workouts::{
    DEFAULT_ZIP_DAYS, ExportFile, PlanExportError, PlanExportInput, PlanTextFormat, UnsupportedFeature,
};
use fitness_store::User;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(super) async fn run(context: &Context, wanted: ExportArgs) -> Result<CommandOutput> {
    check_flags(&wanted)?;
    let (store, user) = context.open_for_user().await?;
    let plan = select_plan(&store, &user, wanted.plan).await?;
    let workouts = store.list_workouts(user.id, plan.id, plan.revision).await?;
    let revisions = store.list_revisions(user.id, plan.id).await?;
    let profile = store.profile(user.id).await?;
    let author = store.find_text_author(user.id, &plan).await?;
    store.close().await;
    let made = revisions.iter().find(|revision| revision.number == plan.revision);
    let files = PlanExportInput {
        revision_created_at: made.map_or(plan.created_at, |revision| revision.made_at),
        owner_id: owner_tag(&user),
        units: profile.units,
        author,
        plan,
        workouts,
    };
    let source = PlanExporter { today: Day::at(clock::now(), profile.zone), files };
    let made = match wanted.format {
        Format::Fit => source.files.workout_file(source.select_workout(&wanted)?),
        Format::Zip => source
            .files
            .zip_file(wanted.from.unwrap_or(source.today), wanted.days.unwrap_or(DEFAULT_ZIP_DAYS)),
        Format::Ics => source.files.text_file(PlanTextFormat::Calendar),
        Format::Json => source.files.text_file(PlanTextFormat::Json),
        Format::Md => source.files.text_file(PlanTextFormat::Markdown),
    };
    source.write_output(made.map_err(export_error)?, &wanted)
}

/// An id for this athlete's plans that does not reveal who they are.
pub(super) fn owner_tag(user: &User) -> String {
    owner_hash(user.id, user.created_at)
}

fn export_error(why: PlanExportError) -> anyhow::Error {
    let help = match why {
        PlanExportError::Empty { .. } => {
            "choose other days with --from and --days; `fitness plan show` lists them"
        }
        _ => "choose another with --workout or --on; `fitness plan show` lists them",
    };
    CliError::new(why.to_string(), help).into()
}

/// Arguments of another format are an error.
fn check_flags(wanted: &ExportArgs) -> Result<()> {
    let fit_only = wanted.format != Format::Fit && (wanted.workout.is_some() || wanted.on.is_some());
    let zip_only = wanted.format != Format::Zip && (wanted.days.is_some() || wanted.from.is_some());
    if fit_only {
        let help = "omit them, or use --format fit";
        return Err(CliError::new("--workout and --on require --format fit", help).into());
    }
    if zip_only {
        let help = "omit them, or use --format zip";
        return Err(CliError::new("--days and --from require --format zip", help).into());
    }
    Ok(())
}

struct PlanExporter {
    files: PlanExportInput,
    today: Day,
}

impl PlanExporter {
    /// The workout of --workout or --on, or the next one.
    fn select_workout(&self, wanted: &ExportArgs) -> Result<&PlannedWorkout> {
        let help =
            "`fitness plan show` lists the days of the plan, and --format json the ids of its workouts";
        let no = |message: String| anyhow::Error::from(CliError::new(message, help));
        let id = self.files.plan.id;
        if let Some(workout) = wanted.workout {
            let found = self.files.workouts.iter().find(|planned| planned.id == workout);
            return found.ok_or_else(|| no(format!("plan {id} has no workout {workout}")));
        }
        let training = || self.files.workouts.iter().filter(|planned| !planned.workout.is_rest());
        let Some(day) = wanted.on else {
            let next = training().find(|planned| planned.workout.date >= self.today);
            return next.ok_or_else(|| no(format!("plan {id} has no workouts from today on")));
        };
        let mut that_day = training().filter(|planned| planned.workout.date == day);
        match (that_day.next(), that_day.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(no(format!("plan {id} has no workout on {day}"))),
            (Some(_), Some(_)) => {
                let ids: Vec<String> = training()
                    .filter(|planned| planned.workout.date == day)
                    .map(|planned| format!("{} ({})", planned.id, escape_invisible(&planned.workout.name)))
                    .collect();
                let message = format!("there are several workouts on {day}: {}", ids.join(", "));
                Err(CliError::new(message, "select one with --workout ID").into())
            }
        }
    }

    /// Writes to a file or standard output, and lists what the format cannot represent.
    fn write_output(&self, made: ExportFile, wanted: &ExportArgs) -> Result<CommandOutput> {
        let ExportFile { name, bytes, description: words, workouts } = made;
        let mut lost = String::new();
        for (planned, file, _) in &workouts {
            lost.push_str(&render_losses(planned, &file.unsupported));
        }
        let rows: Vec<Value> = workouts
            .iter()
            .map(|(planned, file, name)| {
                let workout = &planned.workout;
                json!({ "id": planned.id, "date": workout.date, "name": workout.name, "file": name,
                    "steps": file.steps, "losses": file.unsupported })
            })
            .collect();
        let mut data = json!({ "plan_id": self.files.plan.id, "revision": self.files.plan.revision, "format": wanted.format,
            "file": null, "bytes": bytes.len(), "workouts": rows });
        if wanted.output.as_deref() == Some(Path::new("-")) {
            return Ok(CommandOutput::new(format!("Wrote {words}."), &data)
                .with_stderr(lost)
                .with_stdout_bytes(bytes));
        }
        let path = wanted.output.clone().unwrap_or_else(|| PathBuf::from(name));
        write_file(&path, &bytes, wanted.force)?;
        data["file"] = path.display().to_string().into();
        Ok(CommandOutput::new(format!("Wrote {}: {words}.", path.display()), &data).with_stderr(lost))
    }
}

/// One line per unsupported feature.
pub(super) fn render_losses(planned: &PlannedWorkout, losses: &[UnsupportedFeature]) -> String {
    let mut lines = String::new();
    for loss in losses {
        let _ =
            writeln!(lines, "{} {}, {loss}", planned.workout.date, escape_invisible(&planned.workout.name));
    }
    lines
}

/// Writes atomically through a temporary file.
fn write_file(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    if path.is_dir() {
        let help = "use -o with a file name";
        return Err(CliError::new(format!("{} is a folder", path.display()), help).into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let help = "create it, or use -o with a file in another folder";
        return Err(CliError::new(format!("the folder {} does not exist", folder.display()), help).into());
    }
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).with_context(cannot)?;
    let result = if force { file.persist(path) } else { file.persist_noclobber(path) };
    match result {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            let help = "overwrite it with --force, or choose another name with -o";
            Err(CliError::new(format!("{} already exists", path.display()), help).into())
        }
        Err(error) => Err(anyhow::Error::from(error.error).context(cannot())),
    }
}
