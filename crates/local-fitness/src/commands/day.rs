//! `fitness day`

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
        DayCommand::Accept { mark } => accept(context, mark).await,
        DayCommand::Unmark { mark } => remove_absence(context, mark).await,
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
        return Err(CliError::new("being away has no severity", "leave out --severity").into());
    }
    let (store, user) = context.open_for_user().await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let from = from.or(through.filter(|last| *last < today)).unwrap_or(today);
    let through = through.unwrap_or(from);
    let observed =
        ObservationData::new(reason.observation_kind(), from, through, severity).map_err(|_| {
            let help = format!(
                "give --from and --through, the last day at most {MAX_OBSERVATION_DAYS} days after the first"
            );
            CliError::new(format!("{from} to {through} is no stretch of days"), help)
        })?;
    let note = note.as_deref().map(NoteText::new).transpose();
    let note =
        note.map_err(|bad| CliError::new(bad.to_string(), "write `--note \"flu, fever until Sunday\"`"))?;
    let observed = observed.with_comment(note);
    let id = store.record_absence(user.id, &observed, clock::now()).await?;
    super::recompute_stale(&store, user.id).await?;
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let days = if from == through { from.to_string() } else { format!("{from} to {through}") };
    let words = format!(
        "Marked {days}: {reason} ({}). These days are left out of adherence; `fitness day unmark {id}` takes it back.",
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
        let help = "name a day up to today; without one it is yesterday";
        return Err(CliError::new(format!("{day} has not been yet"), help).into());
    }
    let before = store.frontier(user.id).await?.complete_through();
    if let Some(known) = before.filter(|known| *known >= day) {
        store.close().await;
        let words = format!("Everything through {known} is here already; nothing was written down.\n");
        return Ok(CommandOutput::new(words, &json!({ "complete": known, "before": known })));
    }
    store.declare_day_complete(user.id, day, now).await?;
    super::recompute_stale(&store, user.id).await?;
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let since = match before {
        Some(known) => {
            let days = u64::try_from(known.days_until(day)).unwrap_or(0);
            format!("{} after {known}", pluralize(days, "day", "days"))
        }
        None => "days so far".to_owned(),
    };
    let words = format!(
        "Everything through {day} is here: you said so. The {since} are judged by what there is; what still arrives is \
         judged anew.\n{}",
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
        let words = "No days are marked. `fitness day mark ill` marks today.";
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
    Ok(CommandOutput::new(table(["mark", "from", "through", "", "severity", "note"], &rows), &marks))
}

async fn accept(context: &Context, id: ObservationId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    store.accept_observation(user.id, id, clock::now()).await.map_err(|why| match why {
        Error::NotFound(_) => anyhow::Error::from(CliError::new(
            format!("no suggested mark {id} waits"),
            "`fitness day list` shows your marks and what was suggested",
        )),
        other => other.into(),
    })?;
    super::recompute_stale(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let words = format!("Mark {id} is yours now; `fitness day unmark {id}` takes it back.\n{}", waiting.text);
    Ok(CommandOutput::new(words, &json!({ "mark": id, "waiting": waiting })))
}

async fn remove_absence(context: &Context, id: ObservationId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let marks = list_absences(&store, &user).await?;
    let Some(mark) = marks.into_iter().find(|mark| mark.id == id) else {
        let help = "`fitness day list` shows the days you marked";
        return Err(CliError::new(format!("there is no mark {id}"), help).into());
    };
    let withdrawn = store.delete_observation(user.id, id, clock::now()).await?;
    super::recompute_stale(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let (from, through) = (mark.data.from(), mark.data.through());
    let mut words = format!("{from} to {through} are days like any others again.\n");
    for proposal in &withdrawn {
        words.push_str(&format!("Proposal {proposal}, which followed from it, is withdrawn.\n"));
    }
    words.push_str(&waiting.text);
    Ok(CommandOutput::new(words, &json!({ "unmarked": mark, "withdrawn": withdrawn, "waiting": waiting })))
}

/// What was marked, oldest first; suggestions included.
async fn list_absences(store: &Store, user: &User) -> Result<Vec<Observation>> {
    let ever = Day::new(1900, 1, 1).zip(Day::new(2200, 12, 31));
    let (first, last) = ever.expect("both are days");
    let all = store.list_observations(user.id, first, last).await?;
    Ok(all.into_iter().filter(|one| one.data.kind().absence_reason().is_some()).collect())
}

fn day_count(observed: &ObservationData) -> u64 {
    u64::try_from(observed.from().days_until(observed.through())).unwrap_or(0) + 1
}
