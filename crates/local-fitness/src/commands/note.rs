//! `fitness note`: notes for the coach.

use crate::cli::NoteCommand;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::NoteId;
use fitness_core::domain::note::{Author, Note, NoteText};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::Error;
use serde_json::json;

pub(super) async fn run(context: &Context, command: NoteCommand) -> Result<CommandOutput> {
    match command {
        NoteCommand::Add { text, day } => add(context, &text.join(" "), day).await,
        NoteCommand::List => list(context).await,
        NoteCommand::Accept { note } => accept(context, note).await,
        NoteCommand::Delete { note } => delete(context, note).await,
    }
}

async fn add(context: &Context, text: &str, day: Option<Day>) -> Result<CommandOutput> {
    let text = NoteText::new(text).map_err(|bad| {
        CliError::new(bad.to_string(), "use a short text: `fitness note add calf is tight`")
    })?;
    let (store, user) = context.open_for_user().await?;
    let id = store.add_note(user.id, Author::Athlete, day, &text, clock::now()).await?;
    store.close().await;
    let words = format!("Saved as note {id}. Undo with `fitness note delete {id}`.");
    Ok(CommandOutput::new(words, &json!({ "note_id": id, "text": text, "day": day })))
}

async fn list(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let notes = store.list_notes(user.id).await?;
    let zone = store.profile(user.id).await?.zone;
    store.close().await;
    if notes.is_empty() {
        let words = "No notes yet. Add one, such as `fitness note add calf is tight`.";
        return Ok(CommandOutput::new(words, &notes));
    }
    let row = |note: &Note| {
        let state = match (note.accepted, note.author.text_label()) {
            (false, _) => format!(" (suggested by {})", note.author),
            (true, Some(label)) => format!(" ({label})"),
            (true, None) => String::new(),
        };
        let day = note.day.unwrap_or_else(|| Day::at(note.written_at, zone));
        [note.id.to_string(), day.to_string(), format!("{}{state}", escape_invisible(note.text.as_str()))]
    };
    let rows: Vec<_> = notes.iter().map(row).collect();
    Ok(CommandOutput::new(table(["note", "day", "text"], &rows), &notes))
}

async fn accept(context: &Context, id: NoteId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    store.accept_note(user.id, id, clock::now()).await.map_err(|why| match why {
        Error::NotFound(_) => anyhow::Error::from(CliError::new(
            format!("there is no suggested note {id}"),
            "`fitness note list` lists notes and suggestions",
        )),
        other => other.into(),
    })?;
    store.close().await;
    let words = format!("Accepted note {id}. Undo with `fitness note delete {id}`.");
    Ok(CommandOutput::new(words, &json!({ "note_id": id })))
}

async fn delete(context: &Context, id: NoteId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let deleted = match store.delete_note(user.id, id, clock::now()).await {
        Err(Error::NotFound(_)) => {
            return Err(CliError::new(
                format!("there is no note {id}"),
                "`fitness note list` lists your notes",
            )
            .into());
        }
        other => other?,
    };
    store.close().await;
    Ok(CommandOutput::new(
        format!("Deleted note {id}: {}", escape_invisible(deleted.text.as_str())),
        &json!({ "deleted": deleted }),
    ))
}
