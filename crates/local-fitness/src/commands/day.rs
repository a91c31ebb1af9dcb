//! `fitness day`: absences, and days marked as complete.

use crate::cli::DayCommand;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ObservationId;
use fitness_core::domain::note::NoteText;
use fitness_core::domain::observation::{AbsenceReason, MAX_OBSERVATION_DAYS, Observation, ObservationData};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Error, Store, User};
use serde_json::json;

pub(super) async fn run(context: &Context, command: DayCommand) -> Result<CommandOutput> {
    match command {
        DayCommand::Mark { reason, from, through, severity, note } => {
            add_absence(context, reason, from, through, severity, note).await
        }
        DayCommand::Complete { day } => declare_day_complete(context, day).await,
        DayCommand::List => list(context).await,
        DayCommand::Accept { absence } => accept(context, absence).await,
        DayCommand::Unmark { absence } => remove_absence(context, absence).await,
    }
}

async fn add_absence(
    context: &Context,
    reason: AbsenceReason,
    from: Option<Day>,
    through: Option<Day>,
    severity: Option<u8>,
    note: Option<String>,
) -> Result<CommandOutput> {
    if reason == AbsenceReason::Away && severity.is_some() {
        return Err(CliError::new("severity applies only to ill and injured", "omit --severity").into());
    }
    let (store, user) = context.open_for_user().await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let from = from.or(through.filter(|last| *last < today)).unwrap_or(today);
    let through = through.unwrap_or(from);
    let observed =
        ObservationData::new(reason.observation_kind(), from, through, severity).map_err(|_| {
            let help = format!(
                "--through must be the same day as --from or at most {MAX_OBSERVATION_DAYS} days later"
            );
            CliError::new(format!("{from} to {through} is not a valid period"), help)
        })?;
    let note = note.as_deref().map(NoteText::new).transpose();
    let note = note.map_err(|bad| {
        CliError::new(bad.to_string(), "use a short text, such as --note \"flu, fever until Sunday\"")
    })?;
    let observed = observed.with_comment(note);
    let id = store.record_absence(user.id, &observed, clock::now()).await?;
    super::refresh(&store, user.id).await?;
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let days = if from == through { from.to_string() } else { format!("{from} to {through}") };
    let words = format!(
        "Marked {days} as {reason} ({}). These days don't count toward your adherence. Undo with `fitness day unmark {id}`.",
        pluralize(day_count(&observed), "day", "days")
    );
    let words = format!("{words}\n{}", waiting.text);
    Ok(CommandOutput::new(
        words,
        &json!({ "waiting": waiting, "mark": id, "reason": reason, "from": from, "through": through }),
    ))
}

async fn declare_day_complete(context: &Context, day: Option<Day>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let now = clock::now();
    let today = Day::at(now, store.profile(user.id).await?.zone);
    let day = day.unwrap_or_else(|| today.previous());
    if day > today {
        let help = "use today or an earlier day; the default is yesterday";
        return Err(CliError::new(format!("{day} is in the future"), help).into());
    }
    let before = store.frontier(user.id).await?.complete_through();
    if let Some(known) = before.filter(|known| *known >= day) {
        store.close().await;
        let words = format!("Your data is already complete through {known}; nothing was changed.\n");
        return Ok(CommandOutput::new(words, &json!({ "complete": known, "before": known })));
    }
    store.declare_day_complete(user.id, day, now).await?;
    super::refresh(&store, user.id).await?;
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let since = match before {
        Some(known) => {
            let days = u64::try_from(known.days_until(day)).unwrap_or(0);
            format!("{} after {known}", pluralize(days, "day", "days"))
        }
        None => "days up to it".to_owned(),
    };
    let words = format!(
        "Marked as complete through {day}. The {since} can now be graded; if more data arrives, they are graded \
         again.\n{}",
        waiting.text
    );
    Ok(CommandOutput::new(words, &json!({ "complete": day, "before": before, "waiting": waiting })))
}

async fn list(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let mut marks = list_absences(&store, &user).await?;
    store.close().await;
    marks.reverse();
    if marks.is_empty() {
        let words = "No absences. `fitness day mark ill` marks today as ill.";
        return Ok(CommandOutput::new(words, &marks));
    }
    let row = |mark: &Observation| {
        let observed = &mark.data;
        let suggested =
            if mark.accepted { String::new() } else { format!(" (suggested by {})", mark.author) };
        [
            mark.id.to_string(),
            observed.from().to_string(),
            observed.through().to_string(),
            format!(
                "{}{suggested}",
                observed.kind().absence_reason().map(AbsenceReason::as_str).unwrap_or_default()
            ),
            observed.value().map(|value| value.to_string()).unwrap_or_default(),
            observed.comment().map(|words| escape_invisible(words.as_str()).to_string()).unwrap_or_default(),
        ]
    };
    let rows: Vec<_> = marks.iter().map(row).collect();
    Ok(CommandOutput::new(table(["absence", "from", "through", "reason", "severity", "note"], &rows), &marks))
}

async fn accept(context: &Context, id: ObservationId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    store.accept_observation(user.id, id, clock::now()).await.map_err(|why| match why {
        Error::NotFound(_) => anyhow::Error::from(CliError::new(
            format!("there is no suggested absence {id}"),
            "`fitness day list` lists absences and suggestions",
        )),
        other => other.into(),
    })?;
    super::refresh(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let words = format!("Accepted absence {id}. Undo with `fitness day unmark {id}`.\n{}", waiting.text);
    Ok(CommandOutput::new(words, &json!({ "mark": id, "waiting": waiting })))
}

async fn remove_absence(context: &Context, id: ObservationId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let marks = list_absences(&store, &user).await?;
    let Some(mark) = marks.into_iter().find(|mark| mark.id == id) else {
        let help = "`fitness day list` lists your absences";
        return Err(CliError::new(format!("there is no absence {id}"), help).into());
    };
    let withdrawn = store.delete_observation(user.id, id, clock::now()).await?;
    super::refresh(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let (from, through) = (mark.data.from(), mark.data.through());
    let mut words = format!("Removed the absence from {from} to {through}.\n");
    for proposal in &withdrawn {
        words.push_str(&format!("Withdrew proposal {proposal}, which was based on it.\n"));
    }
    words.push_str(&waiting.text);
    Ok(CommandOutput::new(words, &json!({ "unmarked": mark, "withdrawn": withdrawn, "waiting": waiting })))
}

/// Oldest first, including suggestions.
async fn list_absences(store: &Store, user: &User) -> Result<Vec<Observation>> {
    let all_time = Day::new(1900, 1, 1).zip(Day::new(2200, 12, 31));
    let (first, last) = all_time.expect("both dates are valid");
    let all = store.list_observations(user.id, first, last).await?;
    Ok(all.into_iter().filter(|one| one.data.kind().absence_reason().is_some()).collect())
}

fn day_count(observed: &ObservationData) -> u64 {
    u64::try_from(observed.from().days_until(observed.through())).unwrap_or(0) + 1
}
