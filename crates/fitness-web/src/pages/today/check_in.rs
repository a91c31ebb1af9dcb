//! The check-in on Today: how the athlete feels, ill, injured or away days, a note for the coach.

use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::time;
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::{see_other, unprocessable};
use crate::page::{NavItem, PageContext};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{AbsenceReason, ObservationData, ObservationKind};
use maud::{Markup, html};

/// The mood scale, 1 (worst) to 5 (best).
const FEELINGS: [(u8, &str); 5] = [(1, "Bad"), (2, "Poor"), (3, "All right"), (4, "Good"), (5, "Great")];

/// One button for each step of the mood scale.
pub(super) async fn feeling_buttons(view: &PageContext) -> Result<Markup, PageError> {
    let observed = view.store().list_observations(view.user(), view.today, view.today).await?;
    let mood = |kind| kind == ObservationKind::Mood;
    let said = observed.iter().rev().filter(|one| one.accepted).find(|one| mood(one.data.kind()));
    let said = said.and_then(|one| one.data.value());
    Ok(html! {
        form.feel method="post" action="/feel" {
            (view.token_field())
            fieldset {
                legend { "How do you feel?" }
                div.taps {
                    @for (value, word) in FEELINGS {
                        button type="submit" name="feeling" value=(value) aria-pressed=(if said == Some(value) { "true" } else { "false" }) {
                            b { (value) } span { (word) }
                        }
                    }
                }
            }
        }
    })
}

pub(crate) async fn save_feeling(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let feeling = fields.get_trimmed("feeling").and_then(|text| text.parse().ok());
    let observed = feeling.and_then(|value| {
        ObservationData::new(ObservationKind::Mood, view.today, view.today, Some(value)).ok()
    });
    let Some(observed) = observed else {
        return Err(PageError::new(StatusCode::UNPROCESSABLE_ENTITY, "Choose how you feel, from 1 to 5."));
    };
    view.store().add_observation(view.user(), Author::Athlete, &observed, view.now).await?;
    Ok(see_other("/?done=saved"))
}

/// Current absences, the note form and the absence form.
pub(super) async fn absence_and_note_card(view: &PageContext) -> Result<Markup, PageError> {
    let ahead = view.store().list_observations(view.user(), view.today, view.today.plus_days(60)).await?;
    let marks = ahead.iter().filter(|one| one.accepted && one.data.kind().absence_reason().is_some());
    let fields =
        FormFields::default().with("from", view.today.to_string()).with("through", view.today.to_string());
    Ok(html! {
        section.card {
            @for mark in marks {
                p.row {
                    @let (from, through) = (mark.data.from(), mark.data.through());
                    span { "Marked as " b { (mark.data.kind().absence_reason().map(AbsenceReason::as_str).unwrap_or_default()) }
                        @if from <= view.today { " through " }
                        @else if from == through { " on " }
                        @else { " from " (time::element(from, view.today)) " to " }
                        (time::element(through, view.today)) "." }
                    (view.post_button(&format!("/marks/{}/remove", mark.id), "Remove", "plain"))
                }
            }
            (note_form(view, &FormFields::default(), &FieldErrors::default()))
            details { summary { "Ill, injured or away?" } (absence_form(view, &fields, &FieldErrors::default())) }
        }
    })
}

fn note_form(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Markup {
    let filling = SubmittedForm { fields, errors: faults };
    html! {
        form method="post" action="/notes" {
            (view.token_field())
            (filling.input("note", "Note for the coach", InputOptions { placeholder: "Calf has been tight since Tuesday", ..InputOptions::default() }))
            button.small type="submit" { "Save note" }
        }
    }
}

fn absence_form(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Markup {
    let filling = SubmittedForm { fields, errors: faults };
    let day = InputOptions { input_type: "date", is_required: true, ..InputOptions::default() };
    html! {
        form method="post" action="/marks" {
            (view.token_field())
            (filling.error_summary())
            (filling.select("reason", "Reason", "", &[("ill", "Ill"), ("injured", "Injured"), ("away", "Away or no time")]))
            div.fields { (filling.input("from", "First day", day)) (filling.input("through", "Last day", day)) }
            (filling.select("severity", "Severity", "For illness and injury.", &[("", "Not specified"), ("1", "Mild"), ("2", "Moderate"), ("3", "Severe (fever, or pain when running)")]))
            p.hint { "These days won't count against you. If you have an active plan, the coach will suggest a change to it." }
            button.small type="submit" { "Mark these days" }
        }
    }
}

pub(crate) async fn create_note(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let text = faults.ok_or_add(
        "note",
        NoteText::new(fields.get("note").unwrap_or_default()).map_err(|why| to_sentence(&why)),
    );
    let Some(text) = text else {
        return Ok(invalid_form_page(&view, "Note for the coach", &note_form(&view, &fields, &faults)));
    };
    view.store().add_note(view.user(), Author::Athlete, Some(view.today), &text, view.now).await?;
    Ok(see_other("/?done=noted"))
}

pub(crate) async fn create_absence(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let day = |faults: &mut FieldErrors, name: &'static str| {
        let read = fields.get_trimmed(name).unwrap_or_default().parse::<Day>();
        faults.ok_or_add(name, read.map_err(|_| "Choose a date."))
    };
    let reason =
        faults.ok_or_add("reason", fields.get_trimmed("reason").unwrap_or_default().parse::<AbsenceReason>());
    let (from, through) = (day(&mut faults, "from"), day(&mut faults, "through"));
    let severity = match fields.get_trimmed("severity") {
        None => None,
        Some(text) => {
            faults.ok_or_add("severity", text.parse::<u8>().map_err(|_| "Choose a severity from the list."))
        }
    };
    let observed = reason.zip(from.zip(through)).and_then(|(reason, (from, through))| {
        let severity = severity.filter(|_| reason != AbsenceReason::Away);
        let observed = ObservationData::new(reason.observation_kind(), from, through, severity);
        faults.ok_or_add("through", observed.map_err(|why| to_sentence(&why)))
    });
    let Some(observed) = observed.filter(|_| !faults.has_any()) else {
        return Ok(invalid_form_page(&view, "Ill, injured or away", &absence_form(&view, &fields, &faults)));
    };
    view.store().record_absence(view.user(), &observed, view.now).await?;
    Ok(see_other("/?done=marked"))
}

pub(crate) async fn remove_absence(
    view: PageContext,
    PathId(id): PathId<fitness_core::domain::ids::ObservationId>,
) -> Result<Response, PageError> {
    view.store().delete_observation(view.user(), id, view.now).await?;
    Ok(see_other("/?done=unmarked"))
}

fn invalid_form_page(view: &PageContext, title: &str, form: &Markup) -> Response {
    let body = html! { section.card { h1 { (title) } (form) } };
    unprocessable(view.page(NavItem::Today, title, &body))
}
