//! The athlete's own word about today: how they feel, what keeps them from training, a note for the coach.

use crate::components::form::{Filling, Line};
use crate::http::error::{Problem, sentence};
use crate::http::extract::Numbered;
use crate::http::form::{Faults, Fields};
use crate::http::response::{see_other, unprocessable};
use crate::page::{Place, View};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{Excuse, ObservationKind, Observed};
use maud::{Markup, html};

/// How one may feel, from 1 to 5.
const FEELINGS: [(u8, &str); 5] = [(1, "Bad"), (2, "Poor"), (3, "All right"), (4, "Good"), (5, "Great")];

/// Five things to tap.
pub(super) async fn felt(view: &View) -> Result<Markup, Problem> {
    let observed = view.store().list_observations(view.user(), view.today, view.today).await?;
    let mood = |kind| kind == ObservationKind::Mood;
    let said = observed.iter().rev().filter(|one| one.accepted).find(|one| mood(one.observed.kind()));
    let said = said.and_then(|one| one.observed.value());
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

/// `POST /feel`
pub(crate) async fn feel(view: View, fields: Fields) -> Result<Response, Problem> {
    let feeling = fields.text("feeling").and_then(|text| text.parse().ok());
    let observed = feeling
        .and_then(|value| Observed::new(ObservationKind::Mood, view.today, view.today, Some(value)).ok());
    let Some(observed) = observed else {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "Say how you feel from 1 to 5."));
    };
    view.store().add_observation(view.user(), Author::Athlete, &observed, view.now).await?;
    Ok(see_other("/?done=noted"))
}

/// What keeps from training, and a note.
pub(super) async fn card(view: &View) -> Result<Markup, Problem> {
    let ahead = view.store().list_observations(view.user(), view.today, view.today.plus(60)).await?;
    let marks = ahead.iter().filter(|one| one.accepted && one.observed.kind().excuses().is_some());
    let fields =
        Fields::default().with("from", view.today.to_string()).with("through", view.today.to_string());
    Ok(html! {
        section.card {
            @for mark in marks {
                p.row {
                    span { "Marked " b { (mark.observed.kind().excuses().map(Excuse::as_str).unwrap_or_default()) } " through " (crate::components::time::element(mark.observed.through(), view.today)) "." }
                    (view.button(&format!("/marks/{}/remove", mark.id), "Take it back", "plain"))
                }
            }
            (note_form(view, &Fields::default(), &Faults::default()))
            details { summary { "Ill, hurt or no time?" } (mark_form(view, &fields, &Faults::default())) }
        }
    })
}

fn note_form(view: &View, fields: &Fields, faults: &Faults) -> Markup {
    let filling = Filling { fields, faults };
    html! {
        form method="post" action="/notes" {
            (view.token_field())
            (filling.line("note", "Note for the coach", Line { example: "Calf is tight since Tuesday", ..Line::default() }))
            button.small type="submit" { "Save the note" }
        }
    }
}

fn mark_form(view: &View, fields: &Fields, faults: &Faults) -> Markup {
    let filling = Filling { fields, faults };
    let day = Line { kind: "date", required: true, ..Line::default() };
    html! {
        form method="post" action="/marks" {
            (view.token_field())
            (filling.summary())
            (filling.choice("reason", "What is it?", "", &[("ill", "Ill"), ("injured", "Hurt"), ("away", "No time, or away")]))
            div.fields { (filling.line("from", "From", day)) (filling.line("through", "Through", day)) }
            (filling.choice("severity", "How bad?", "For illness and injury only.", &[("", "Not said"), ("1", "A little"), ("2", "Clearly"), ("3", "Badly: fever, or running hurts")]))
            p.hint { "These days are left out of adherence, and the rules look at what to do about the plan." }
            button.small type="submit" { "Mark these days" }
        }
    }
}

/// `POST /notes`
pub(crate) async fn note(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let text = faults
        .take("note", NoteText::new(fields.one("note").unwrap_or_default()).map_err(|why| sentence(&why)));
    let Some(text) = text else {
        return Ok(again(&view, "A note for the coach", &note_form(&view, &fields, &faults)));
    };
    view.store().add_note(view.user(), Author::Athlete, Some(view.today), &text, view.now).await?;
    Ok(see_other("/?done=noted"))
}

/// `POST /marks`
pub(crate) async fn mark(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let day = |faults: &mut Faults, name: &'static str| {
        let read = fields.text(name).unwrap_or_default().parse::<Day>();
        faults.take(name, read.map_err(|_| "Give a day, such as 2026-06-14."))
    };
    let reason = faults.take("reason", fields.text("reason").unwrap_or_default().parse::<Excuse>());
    let (from, through) = (day(&mut faults, "from"), day(&mut faults, "through"));
    let severity = match fields.text("severity") {
        None => None,
        Some(text) => faults.take("severity", text.parse::<u8>().map_err(|_| "Choose one of these.")),
    };
    let observed = reason.zip(from.zip(through)).and_then(|(reason, (from, through))| {
        let severity = severity.filter(|_| reason != Excuse::Away);
        let observed = Observed::new(reason.kind(), from, through, severity);
        faults.take("through", observed.map_err(|why| sentence(&why)))
    });
    let Some(observed) = observed.filter(|_| !faults.any()) else {
        return Ok(again(&view, "Days to mark", &mark_form(&view, &fields, &faults)));
    };
    view.store().mark_days(view.user(), &observed, view.now).await?;
    Ok(see_other("/?done=marked"))
}

/// `POST /marks/{id}/remove`
pub(crate) async fn unmark(
    view: View,
    Numbered(id): Numbered<fitness_core::domain::ids::ObservationId>,
) -> Result<Response, Problem> {
    view.store().delete_observation(view.user(), id, view.now).await?;
    Ok(see_other("/?done=saved"))
}

fn again(view: &View, title: &str, form: &Markup) -> Response {
    let body = html! { section.card { h1 { (title) } (form) } };
    unprocessable(view.page(Place::Today, title, &body))
}
