//! The brief of the morning, with every number leading to where it comes from.

use crate::answer::see_other;
use crate::fields::Fields;
use crate::parts::time;
use crate::problem::Problem;
use crate::view::View;
use axum::response::Response;
use fitness_core::facts::{Fact, Facts, Told};
use fitness_core::text::visible;
use fitness_store::StoredBrief;
use maud::{Markup, html};

/// The card that leads.
pub(super) async fn card(view: &View) -> Result<Markup, Problem> {
    let brief = view.store().find_brief(view.user(), view.today).await?;
    let Some(brief) = brief else { return Ok(none(view)) };
    let byline = brief.body.get("byline").and_then(|text| text.as_str()).unwrap_or_default();
    Ok(html! {
        section.card.brief aria-label="Brief of the morning" {
            (told(view, &brief))
            p.meta {
                span { (visible(byline)) }
                span { "written " (time::clock(brief.written_at, view.profile.zone)) }
                a href={ "/days/" (brief.day) } { (brief.facts.len()) " facts: why?" }
                (view.button("/brief", "Write it again", "plain"))
            }
        }
    })
}

fn none(view: &View) -> Markup {
    html! {
        section.card.brief aria-label="Brief of the morning" {
            @if view.fresh.complete().is_none() {
                p { "A few sentences about your morning will be here once there is data: what to do today, and why." }
                p.actions { a.btn.primary href="/sources" { "Bring your data in" } }
            } @else {
                p { "No brief is written for today yet." }
                p.actions { (view.button("/brief", "Write it now", "primary")) a.btn href={ "/days/" (view.today) } { "See the facts" } }
            }
        }
    }
}

/// What it says. Held against its own facts once more; where that fails, it is shown as it was written down.
fn told(view: &View, brief: &StoredBrief) -> Markup {
    let known: Option<Vec<Fact>> =
        brief.facts.iter().map(|fact| serde_json::from_value(fact.value.clone()).ok()).collect();
    let facts = known.and_then(|known| Facts::new(known, Vec::new()).ok());
    let prose = brief.body.pointer("/briefing/body").and_then(|text| text.as_str());
    let pieces = facts.as_ref().zip(prose).and_then(|(facts, prose)| facts.read(prose).ok());
    let rendered = brief.body.get("rendered").and_then(|text| text.as_str()).unwrap_or_default();
    let Some(pieces) = pieces else { return html! { p.prose { (visible(rendered)) } } };
    let (first, rest) = first_sentence(&pieces);
    let shown = |piece: &Told<'_>| match *piece {
        Told::Text(text) => html! { (visible(text)) },
        Told::Fact(fact) => {
            html! { a.fact href={ "/days/" (brief.day) "#" (fact.id) } { (visible(&fact.shown(view.units()))) } }
        }
    };
    html! {
        p.prose {
            b.lead { @for piece in &first { (shown(piece)) } }
            @for piece in &rest { (shown(piece)) }
        }
    }
}

/// What leads, and what is said besides.
fn first_sentence<'a>(pieces: &[Told<'a>]) -> (Vec<Told<'a>>, Vec<Told<'a>>) {
    for (at, piece) in pieces.iter().enumerate() {
        let Told::Text(text) = *piece else { continue };
        let Some(end) = text.find(". ") else { continue };
        let (first, rest) = text.split_at(end + 1);
        let mut before = pieces[..at].to_vec();
        before.push(Told::Text(first));
        let mut after = vec![Told::Text(rest.trim_start())];
        after.extend_from_slice(&pieces[at + 1..]);
        return (before, after);
    }
    (pieces.to_vec(), Vec::new())
}

/// `POST /brief`: writes today's brief, anew where there is one.
pub(crate) async fn rewrite(view: View, _: Fields) -> Result<Response, Problem> {
    let written = view.app.outside.rewrite(view.user(), view.today).await;
    written.map_err(|why| Problem::conflict(format!("The brief could not be written: {why}")))?;
    Ok(see_other("/"))
}
