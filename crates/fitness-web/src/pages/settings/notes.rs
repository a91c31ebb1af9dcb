//! `/settings/notes`: what the coach is told to respect, and what was suggested for it.

use super::{Tab, invalid_form_page, page};
use crate::components::form::{FormState, InputOptions};
use crate::components::{author_label, time};
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{NoteId, ObservationId};
use fitness_core::domain::note::{Author, Note, NoteText};
use fitness_core::domain::observation::{AbsenceReason, Observation};
use fitness_core::domain::untrusted_text::escape_invisible;
use maud::{Markup, html};

/// `GET /settings/notes`
pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Notes, &body))
}

/// `POST /settings/notes`: writes one, in the place of another where one is being changed.
pub(crate) async fn save(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let text = NoteText::new(fields.get("text").unwrap_or_default()).map_err(|why| to_sentence(&why));
    let text = faults.ok_or_add("text", text);
    let day = match fields.get_trimmed("day").map(str::parse::<Day>) {
        Some(Err(_)) => {
            faults.add("day", "Write a day such as 2026-06-14, or leave it empty.");
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

/// `GET /settings/notes/{id}`: one of them, to be changed.
pub(crate) async fn edit(view: PageContext, PathId(id): PathId<NoteId>) -> Result<Response, PageError> {
    let note = find_note(&view, id).await?;
    let fields = FormFields::default()
        .with("instead", id.to_string())
        .with("text", note.text.as_str())
        .with("day", note.day.map(|day| day.to_string()).unwrap_or_default());
    let body = body(&view, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Notes, &body))
}

/// `POST /settings/notes/{id}/accept`
pub(crate) async fn accept(view: PageContext, PathId(id): PathId<NoteId>) -> Result<Response, PageError> {
    view.store().accept_note(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=noted"))
}

/// `POST /settings/notes/{id}/delete`
pub(crate) async fn delete(view: PageContext, PathId(id): PathId<NoteId>) -> Result<Response, PageError> {
    view.store().delete_note(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=deleted"))
}

/// `POST /settings/marks/{id}/accept`
pub(crate) async fn accept_absence(
    view: PageContext,
    PathId(id): PathId<ObservationId>,
) -> Result<Response, PageError> {
    view.store().accept_observation(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=marked"))
}

/// `POST /settings/marks/{id}/delete`
pub(crate) async fn delete_absence(
    view: PageContext,
    PathId(id): PathId<ObservationId>,
) -> Result<Response, PageError> {
    view.store().delete_observation(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=deleted"))
}

/// So far from today a coach may mark a day, and a little more.
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
    let filling = FormState { fields, errors: faults };
    let editing = fields.get_trimmed("instead");
    Ok(html! {
        p.lead { "Notes travel with what the coach is told: those about no day always, others for a week." }
        @if !suggested.is_empty() || !marks.is_empty() {
            section.card.waits {
                h2 { "Suggested" }
                p { "None of these counts for anything until you take it over." }
                ul.plain {
                    @for note in &suggested { (row(view, note)) }
                    @for mark in &marks { (absence_row(view, mark)) }
                }
            }
        }
        section.card {
            h2 { @if editing.is_some() { "Change a note" } @else { "Write one" } }
            (filling.error_summary())
            form method="post" action="/settings/notes" {
                (view.token_field())
                @if let Some(id) = editing { input type="hidden" name="instead" value=(id); }
                (filling.textarea("text", "What should the coach know?", "Such as: left calf is tight, or: travelling next week."))
                (filling.input("day", "About a day", InputOptions { input_type: "date", hint: "May stay empty.", ..InputOptions::default() }))
                p.actions {
                    button.primary type="submit" { "Save" }
                    @if editing.is_some() { a.btn href="/settings/notes" { "Leave it as it was" } }
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

/// A mark that a coach suggests.
fn absence_row(view: &PageContext, mark: &Observation) -> Markup {
    let observed = &mark.data;
    let kind = observed.kind();
    html! {
        li.note {
            p.text {
                "Mark " b { (kind.absence_reason().map_or_else(|| kind.as_str(), AbsenceReason::as_str)) }
                @if let Some(value) = observed.value() { " (" (value) ")" }
                @if let Some(comment) = observed.comment() { ": " (escape_invisible(comment.as_str())) }
                " " (author_label::render(Some(mark.author)))
            }
            div.row {
                span.meta {
                    (time::element(observed.from(), view.today))
                    @if observed.through() != observed.from() { " to " (time::element(observed.through(), view.today)) }
                    span { "suggested by " (mark.author) }
                }
                span.push {}
                (view.post_button(&format!("/settings/marks/{}/accept", mark.id), "Take it over", "small primary"))
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
                span.meta { (time::element(day, view.today)) @if !note.accepted { span { "suggested by " (note.author) } } }
                span.push {}
                @if note.accepted { a.btn.small href={ "/settings/notes/" (note.id) } aria-label={ "Change note " (note.id) } { "Change" } }
                @else { (view.post_button(&format!("/settings/notes/{}/accept", note.id), "Take it over", "small primary")) }
                (view.post_button(&format!("/settings/notes/{}/delete", note.id), "Delete", "small"))
            }
        }
    }
}
