//! `/settings/notes`: what the coach is told to respect, and what was suggested for it.

use super::{Tab, again, page};
use crate::components::form::{Filling, Line};
use crate::components::{author_label, time};
use crate::http::error::{Problem, sentence};
use crate::http::extract::Numbered;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::View;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{NoteId, ObservationId};
use fitness_core::domain::note::{Author, Note, NoteText};
use fitness_core::domain::observation::{Excuse, Observation};
use fitness_core::domain::untrusted_text::visible;
use maud::{Markup, html};

/// `GET /settings/notes`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let body = body(&view, &Fields::default(), &Faults::default()).await?;
    Ok(page(&view, Tab::Notes, &body))
}

/// `POST /settings/notes`: writes one, in the place of another where one is being changed.
pub(crate) async fn save(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let text = NoteText::new(fields.one("text").unwrap_or_default()).map_err(|why| sentence(&why));
    let text = faults.take("text", text);
    let day = match fields.text("day").map(str::parse::<Day>) {
        Some(Err(_)) => {
            faults.add("day", "Write a day such as 2026-06-14, or leave it empty.");
            None
        }
        day => day.and_then(Result::ok),
    };
    let old = fields
        .text("instead")
        .map(|id| id.parse::<NoteId>().map_err(|_| Problem::not_found()))
        .transpose()?;
    if let Some(old) = old {
        own(&view, old).await?;
    }
    let Some(text) = text.filter(|_| !faults.any()) else {
        let body = body(&view, &fields, &faults).await?;
        return Ok(again(&view, Tab::Notes, &body));
    };
    view.store().add_note(view.user(), Author::Athlete, day, &text, view.now).await?;
    if let Some(old) = old {
        view.store().delete_note(view.user(), old, view.now).await?;
    }
    Ok(see_other("/settings/notes?done=noted"))
}

/// `GET /settings/notes/{id}`: one of them, to be changed.
pub(crate) async fn edit(view: View, Numbered(id): Numbered<NoteId>) -> Result<Response, Problem> {
    let note = own(&view, id).await?;
    let fields = Fields::default()
        .with("instead", id.to_string())
        .with("text", note.text.as_str())
        .with("day", note.day.map(|day| day.to_string()).unwrap_or_default());
    let body = body(&view, &fields, &Faults::default()).await?;
    Ok(page(&view, Tab::Notes, &body))
}

/// `POST /settings/notes/{id}/accept`
pub(crate) async fn accept(view: View, Numbered(id): Numbered<NoteId>) -> Result<Response, Problem> {
    view.store().accept_note(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=noted"))
}

/// `POST /settings/notes/{id}/delete`
pub(crate) async fn delete(view: View, Numbered(id): Numbered<NoteId>) -> Result<Response, Problem> {
    view.store().delete_note(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=deleted"))
}

/// `POST /settings/marks/{id}/accept`
pub(crate) async fn accept_mark(
    view: View,
    Numbered(id): Numbered<ObservationId>,
) -> Result<Response, Problem> {
    view.store().accept_observation(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=marked"))
}

/// `POST /settings/marks/{id}/delete`
pub(crate) async fn delete_mark(
    view: View,
    Numbered(id): Numbered<ObservationId>,
) -> Result<Response, Problem> {
    view.store().delete_observation(view.user(), id, view.now).await?;
    Ok(see_other("/settings/notes?done=deleted"))
}

/// So far from today a coach may mark a day, and a little more.
const MARKED_DAYS: i64 = 800;

async fn own(view: &View, id: NoteId) -> Result<Note, Problem> {
    let notes = view.store().list_notes(view.user()).await?;
    notes.into_iter().find(|note| note.id == id).ok_or_else(Problem::not_found)
}

async fn body(view: &View, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let notes = view.store().list_notes(view.user()).await?;
    let (accepted, suggested): (Vec<&Note>, Vec<&Note>) = notes.iter().partition(|note| note.accepted);
    let (first, last) = (view.today.plus(-MARKED_DAYS), view.today.plus(MARKED_DAYS));
    let marks = view.store().list_observations(view.user(), first, last).await?;
    let marks: Vec<&Observation> = marks.iter().filter(|mark| !mark.accepted).collect();
    let filling = Filling { fields, faults };
    let editing = fields.text("instead");
    Ok(html! {
        p.lead { "Notes travel with what the coach is told: those about no day always, others for a week." }
        @if !suggested.is_empty() || !marks.is_empty() {
            section.card.waits {
                h2 { "Suggested" }
                p { "None of these counts for anything until you take it over." }
                ul.plain {
                    @for note in &suggested { (row(view, note)) }
                    @for mark in &marks { (mark_row(view, mark)) }
                }
            }
        }
        section.card {
            h2 { @if editing.is_some() { "Change a note" } @else { "Write one" } }
            (filling.summary())
            form method="post" action="/settings/notes" {
                (view.token_field())
                @if let Some(id) = editing { input type="hidden" name="instead" value=(id); }
                (filling.area("text", "What should the coach know?", "Such as: left calf is tight, or: travelling next week."))
                (filling.line("day", "About a day", Line { kind: "date", hint: "May stay empty.", ..Line::default() }))
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
fn mark_row(view: &View, mark: &Observation) -> Markup {
    let observed = &mark.observed;
    let kind = observed.kind();
    html! {
        li.note {
            p.text {
                "Mark " b { (kind.excuses().map_or_else(|| kind.as_str(), Excuse::as_str)) }
                @if let Some(value) = observed.value() { " (" (value) ")" }
                @if let Some(comment) = observed.comment() { ": " (visible(comment.as_str())) }
                " " (author_label::label(Some(mark.author)))
            }
            div.row {
                span.meta {
                    (time::element(observed.from(), view.today))
                    @if observed.through() != observed.from() { " to " (time::element(observed.through(), view.today)) }
                    span { "suggested by " (mark.author) }
                }
                span.push {}
                (view.button(&format!("/settings/marks/{}/accept", mark.id), "Take it over", "small primary"))
                (view.button(&format!("/settings/marks/{}/delete", mark.id), "Delete", "small"))
            }
        }
    }
}

fn row(view: &View, note: &Note) -> Markup {
    let day = note.day.unwrap_or_else(|| Day::at(note.written_at, view.profile.zone));
    html! {
        li.note {
            p.text { (note.text.as_str()) " " (author_label::label(Some(note.author))) }
            div.row {
                span.meta { (time::element(day, view.today)) @if !note.accepted { span { "suggested by " (note.author) } } }
                span.push {}
                @if note.accepted { a.btn.small href={ "/settings/notes/" (note.id) } aria-label={ "Change note " (note.id) } { "Change" } }
                @else { (view.button(&format!("/settings/notes/{}/accept", note.id), "Take it over", "small primary")) }
                (view.button(&format!("/settings/notes/{}/delete", note.id), "Delete", "small"))
            }
        }
    }
}
