//! `/settings/notes`: notes for the coach, and suggestions to accept.

use super::{Tab, invalid_form_page, page};
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::{author_label, core_message, time};
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{NoteId, ObservationId};
use fitness_core::domain::note::{Author, Note, NoteText};
use fitness_core::domain::observation::{AbsenceReason, Observation, ObservationData};
use fitness_core::domain::untrusted_text::escape_invisible;
use maud::{Markup, html};

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Notes, &body))
}

/// `POST /settings/notes`: adds a note, or replaces the one in `instead`.
pub(crate) async fn save(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let text = NoteText::new(fields.get("text").unwrap_or_default()).map_err(|why| core_message::hint(&why));
    let text = faults.ok_or_add("text", text);
    let day = match fields.get_trimmed("day").map(str::parse::<Day>) {
        Some(Err(_)) => {
            faults.add("day", "Pick a date, or leave it empty.");
            None
        }
        day => day.and_then(Result::ok),
    };
    let old = fields
        .get_trimmed("instead")
        .map(|id| id.parse::<NoteId>().map_err(|_| PageError::not_found()))
        .transpose()?;
    if let Some(old) = old {
        find_note(&view, old).await?;
    }
    let Some(text) = text.filter(|_| !faults.has_any()) else {
        let body = body(&view, &fields, &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Notes, &body));
    };
    view.store().add_note(view.user(), Author::Athlete, day, &text, view.now).await?;
    if let Some(old) = old {
        view.store().delete_note(view.user(), old, view.now).await?;
    }
    Ok(see_other("/settings/notes?done=noted"))
}

/// `GET /settings/notes/{id}`: the page with one note in the form.
pub(crate) async fn edit(view: PageContext, PathId(id): PathId<NoteId>) -> Result<Response, PageError> {
    let note = find_note(&view, id).await?;
    let fields = FormFields::default()
        .with("instead", id.to_string())
        .with("text", note.text.as_str())
        .with("day", note.day.map(|day| day.to_string()).unwrap_or_default());
    let body = body(&view, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Notes, &body))
}

pub(crate) async fn accept(view: PageContext, PathId(id): PathId<NoteId>) -> Result<Response, PageError> {
    view.store().accept_note(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=noted"))
}

pub(crate) async fn delete(view: PageContext, PathId(id): PathId<NoteId>) -> Result<Response, PageError> {
    view.store().delete_note(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=deleted"))
}

pub(crate) async fn accept_absence(
    view: PageContext,
    PathId(id): PathId<ObservationId>,
) -> Result<Response, PageError> {
    view.store().accept_observation(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=marked"))
}

pub(crate) async fn delete_absence(
    view: PageContext,
    PathId(id): PathId<ObservationId>,
) -> Result<Response, PageError> {
    view.store().delete_observation(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=deleted"))
}

/// More days before and after today than a coach may suggest an absence for.
const ABSENCE_DAYS: i64 = 800;

async fn find_note(view: &PageContext, id: NoteId) -> Result<Note, PageError> {
    let notes = view.store().list_notes(view.user()).await?;
    notes.into_iter().find(|note| note.id == id).ok_or_else(PageError::not_found)
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let notes = view.store().list_notes(view.user()).await?;
    let (accepted, suggested): (Vec<&Note>, Vec<&Note>) = notes.iter().partition(|note| note.accepted);
    let (first, last) = (view.today.plus_days(-ABSENCE_DAYS), view.today.plus_days(ABSENCE_DAYS));
    let marks = view.store().list_observations(view.user(), first, last).await?;
    let marks: Vec<&Observation> = marks.iter().filter(|mark| !mark.accepted).collect();
    let filling = SubmittedForm { fields, errors: faults };
    let editing = fields.get_trimmed("instead");
    Ok(html! {
        p.lead { "The coach always sees undated notes, and dated notes for a week." }
        @if !suggested.is_empty() || !marks.is_empty() {
            section.card.waits {
                h2 { "Suggestions" }
                p { "Suggestions have no effect until you accept them." }
                ul.plain {
                    @for note in &suggested { (row(view, note)) }
                    @for mark in &marks { (absence_row(view, mark)) }
                }
            }
        }
        section.card {
            h2 { @if editing.is_some() { "Edit note" } @else { "New note" } }
            (filling.error_summary())
            form method="post" action="/settings/notes" {
                (view.token_field())
                @if let Some(id) = editing { input type="hidden" name="instead" value=(id); }
                (filling.textarea("text", "What should the coach know?", "For example: left calf is tight, or travelling next week."))
                (filling.input("day", "Date", InputOptions { input_type: "date", hint: "Optional.", ..InputOptions::default() }))
                p.actions {
                    button.primary type="submit" { "Save" }
                    @if editing.is_some() { a.btn href="/settings/notes" { "Cancel" } }
                }
            }
        }
        section.card {
            h2 { "Your notes" }
            @if accepted.is_empty() { p.soft { "No notes yet." } }
            ul.plain { @for note in &accepted { (row(view, note)) } }
        }
    })
}

/// Such as "Ill, moderate". Kinds other than absences show their value.
fn absence_label(observed: &ObservationData) -> String {
    let what = match observed.kind().absence_reason() {
        Some(AbsenceReason::Ill) => "Ill",
        Some(AbsenceReason::Injured) => "Injured",
        Some(AbsenceReason::Away) => "Away",
        None => observed.kind().as_str(),
    };
    match (observed.kind().absence_reason(), observed.value()) {
        (_, None) => what.to_owned(),
        (Some(_), Some(1)) => format!("{what}, mild"),
        (Some(_), Some(2)) => format!("{what}, moderate"),
        (Some(_), Some(_)) => format!("{what}, severe"),
        (None, Some(value)) => format!("{what} {value}"),
    }
}

const fn author_name(author: Author) -> &'static str {
    match author {
        Author::Athlete => "you",
        Author::Coach => "the coach",
        Author::Mcp => "a connected program",
    }
}

fn absence_row(view: &PageContext, mark: &Observation) -> Markup {
    let observed = &mark.data;
    html! {
        li.note {
            p.text {
                b { (absence_label(observed)) }
                @if let Some(comment) = observed.comment() { ": " (escape_invisible(comment.as_str())) }
                " " (author_label::render(Some(mark.author)))
            }
            div.row {
                span.meta {
                    (time::element(observed.from(), view.today))
                    @if observed.through() != observed.from() { " to " (time::element(observed.through(), view.today)) }
                    span { "suggested by " (author_name(mark.author)) }
                }
                span.push {}
                (view.post_button(&format!("/settings/marks/{}/accept", mark.id), "Accept", "small primary"))
                (view.post_button(&format!("/settings/marks/{}/delete", mark.id), "Delete", "small"))
            }
        }
    }
}

fn row(view: &PageContext, note: &Note) -> Markup {
    let day = note.day.unwrap_or_else(|| Day::at(note.written_at, view.profile.zone));
    html! {
        li.note {
            p.text { (note.text.as_str()) " " (author_label::render(Some(note.author))) }
            div.row {
                span.meta { (time::element(day, view.today)) @if !note.accepted { span { "suggested by " (author_name(note.author)) } } }
                span.push {}
                @if note.accepted { a.btn.small href={ "/settings/notes/" (note.id) } aria-label={ "Edit note: " (note.text.as_str().chars().take(60).collect::<String>()) } { "Edit" } }
                @else { (view.post_button(&format!("/settings/notes/{}/accept", note.id), "Accept", "small primary")) }
                (view.post_button(&format!("/settings/notes/{}/delete", note.id), "Delete", "small"))
            }
        }
    }
}
