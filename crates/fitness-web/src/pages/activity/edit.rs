//! Rating, note, edits, deletion and original file of an activity.

use super::{ActivityPageData, RecordingViewMode, load_activity, page};
use crate::components::core_message::sentence;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::flash::Flash;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::activities::parse_activity_id;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::merge::Edit;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::untrusted_text::{escape_invisible, sanitize_for_storage};
use fitness_store::Error;
use maud::{Markup, html};

const MAX_NAME_CHARS: usize = 200;

/// Session RPE on the CR10 scale (Foster 2001), where 3 is moderate. Plans set easy running at 3.
const EFFORTS: [(&str, &str); 12] = [
    ("", "—"),
    ("0", "0 · rest"),
    ("1", "1 · very, very easy"),
    ("2", "2 · easy"),
    ("3", "3 · easy to moderate"),
    ("4", "4 · somewhat hard"),
    ("5", "5 · hard"),
    ("6", "6 · hard"),
    ("7", "7 · very hard"),
    ("8", "8 · very hard"),
    ("9", "9 · very hard"),
    ("10", "10 · maximal"),
];

/// The stored values of the forms.
pub(super) fn initial_fields(seen: &ActivityPageData) -> FormFields {
    let effort = seen.effort.as_ref().and_then(|one| one.data.value());
    let name = seen.stored.activity.name.as_deref().unwrap_or_default();
    FormFields::default()
        .with("effort", effort.map(|effort| effort.to_string()).unwrap_or_default())
        .with("name", escape_invisible(name).to_string())
        .with("sport", seen.stored.activity.sport.as_str())
}

pub(super) fn forms(
    view: &PageContext,
    seen: &ActivityPageData,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Markup {
    let filling = SubmittedForm { fields, errors: faults };
    let address = |what: &str| format!("/activities/{}/{what}", seen.stored.id);
    let sports: Vec<(&str, &str)> =
        Sport::ALL.iter().filter(|s| **s != Sport::Rest).map(|s| (s.as_str(), s.title())).collect();
    html! {
        (filling.error_summary())
        div.grid {
            section.card {
                h2 { "How did it feel?" }
                @for note in &seen.notes { p.quote { (escape_invisible(note.text.as_str())) " " span.small.faint { (time::clock_or_date(note.written_at, view.profile.zone, view.today)) } } }
                form method="post" action=(address("note")) {
                    (view.token_field())
                    (filling.select("effort", "Effort, 0 to 10", "How hard the whole workout felt.", &EFFORTS))
                    (filling.textarea("note", "Note for the coach", "Anything to remember about this day."))
                    p.actions { button.primary type="submit" { "Save" } }
                }
            }
            section.card {
                h2 { "Edit" }
                form method="post" action=(address("edit")) {
                    (view.token_field())
                    (filling.input("name", "Name", InputOptions::default()))
                    (filling.select("sport", "Sport", "", &sports))
                    p.actions { button type="submit" { "Save changes" } }
                }
                p.hint { "Importing again keeps your edits." }
                div.actions {
                    @if seen.stored.edited { (view.post_button(&address("reset"), "Undo my edits", "btn small")) }
                    (view.post_button(&address("delete"), "Delete", "btn small danger"))
                }
                p.hint { "Deleted activities don't count and can be restored." }
            }
        }
    }
}

/// `POST /activities/{id}/note`: saves effort and note.
pub(crate) async fn save_note(
    view: PageContext,
    Path(text): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let id = parse_activity_id(&text)?;
    let seen = load_activity(&view, id).await?;
    let mut faults = FieldErrors::default();
    let day = seen.stored.day;
    let effort = fields.get_trimmed("effort").and_then(|text| {
        let value = text.parse::<u8>().map_err(|_| "Choose a number from 0 to 10.".to_owned());
        let felt = value.and_then(|value| {
            ObservationData::new(ObservationKind::Rpe, day, day, Some(value)).map_err(|bad| sentence(&bad))
        });
        faults.ok_or_add("effort", felt)
    });
    let words = fields
        .get_trimmed("note")
        .and_then(|text| faults.ok_or_add("note", NoteText::new(text).map_err(|bad| sentence(&bad))));
    if effort.is_none() && words.is_none() && !faults.has_any() {
        faults.add("note", "Choose an effort or write a note.");
    }
    if faults.has_any() {
        return Ok(page(
            &view,
            &seen,
            RecordingViewMode::ByDistance,
            &submitted_fields(&seen, &fields, &["effort", "note"]),
            &faults,
        ));
    }
    let said = seen.effort.as_ref().and_then(|one| one.data.value());
    if let Some(felt) = effort.filter(|felt| felt.value() != said) {
        let felt = felt.for_activity(Some(id));
        view.store().add_observation(view.user(), Author::Athlete, &felt, view.now).await?;
    }
    if let Some(words) = words {
        view.store().add_note(view.user(), Author::Athlete, Some(day), &words, view.now).await?;
    }
    Ok(redirect_with_flash(&format!("/activities/{id}"), Flash::Noted))
}

/// `POST /activities/{id}/edit`: changes name and sport.
pub(crate) async fn update(
    view: PageContext,
    Path(text): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let id = parse_activity_id(&text)?;
    let seen = load_activity(&view, id).await?;
    let mut faults = FieldErrors::default();
    let before = &seen.stored.activity;
    let shown = before.name.as_deref().map(|name| escape_invisible(name).to_string()).unwrap_or_default();
    let name = fields.get_trimmed("name").filter(|name| *name != shown.trim()).map(sanitize_for_storage);
    match &name {
        Some(name) if name.chars().count() > MAX_NAME_CHARS => {
            faults.add("name", format!("Use at most {MAX_NAME_CHARS} characters."));
        }
        None if fields.get_trimmed("name").is_none() && before.name.is_some() => {
            faults.add("name", "Enter a name. To get the original name back, undo your edits.");
        }
        _ => {}
    }
    let sport = fields.get_trimmed("sport").unwrap_or_default().parse::<Sport>();
    let sport = faults.ok_or_add("sport", sport.map_err(|_| "Choose a sport from the list."));
    let edit = Edit { name, sport: sport.filter(|sport| *sport != before.sport), ..Edit::default() };
    if !faults.has_any() && edit != Edit::default() {
        match view.store().edit_activity(view.user(), id, edit, view.now).await {
            Err(Error::Edit(bad)) => faults.add("sport", sentence(&bad)),
            other => other?,
        }
    }
    if faults.has_any() {
        return Ok(page(
            &view,
            &seen,
            RecordingViewMode::ByDistance,
            &submitted_fields(&seen, &fields, &["name", "sport"]),
            &faults,
        ));
    }
    Ok(redirect_with_flash(&format!("/activities/{id}"), Flash::Saved))
}

/// Submitted values of one form and stored values of the other.
fn submitted_fields(seen: &ActivityPageData, fields: &FormFields, names: &[&str]) -> FormFields {
    let begun = initial_fields(seen);
    let all = ["effort", "note", "name", "sport"];
    all.into_iter().fold(FormFields::default(), |kept, name| {
        let from = if names.contains(&name) { fields } else { &begun };
        match from.get(name) {
            Some(value) => kept.with(name, value),
            None => kept,
        }
    })
}

pub(crate) async fn reset(view: PageContext, Path(text): Path<String>) -> Result<Response, PageError> {
    let id = parse_activity_id(&text)?;
    view.store().reset_activity(view.user(), id, view.now).await?;
    Ok(redirect_with_flash(&format!("/activities/{id}"), Flash::Saved))
}

pub(crate) async fn delete(view: PageContext, Path(text): Path<String>) -> Result<Response, PageError> {
    view.store().delete_activity(view.user(), parse_activity_id(&text)?, view.now).await?;
    Ok(redirect_with_flash("/activities?deleted=1", Flash::Deleted))
}

pub(crate) async fn restore(view: PageContext, Path(text): Path<String>) -> Result<Response, PageError> {
    let id = parse_activity_id(&text)?;
    view.store().restore_activity(view.user(), id, view.now).await?;
    Ok(redirect_with_flash(&format!("/activities/{id}"), Flash::Restored))
}

/// `GET /activities/{id}/files/{hash}`: the imported file, unchanged.
pub(crate) async fn download_original(
    view: PageContext,
    Path((text, hash)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let id: ActivityId = parse_activity_id(&text)?;
    let originals = view.store().list_activity_originals(view.user(), id).await?;
    let original =
        originals.into_iter().find(|one| one.sha256.to_string() == hash).ok_or_else(PageError::not_found)?;
    let bytes = view.store().read_original(view.user(), original.sha256).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", original.file_name())),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

fn redirect_with_flash(address: &str, done: Flash) -> Response {
    let sign = if address.contains('?') { '&' } else { '?' };
    see_other(&format!("{address}{sign}done={done}"))
}
