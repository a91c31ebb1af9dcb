//! The brief of the morning, with every number leading to where it comes from.

use crate::components::time;
use crate::http::error::PageError;
use crate::http::form::FormFields;
use crate::http::response::see_other;
use crate::page::PageContext;
use axum::response::Response;
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::facts::{Fact, FactName, FactValue, FactWord, Facts, SourceRow, TemplatePart};
use fitness_store::StoredBrief;
use maud::{Markup, html};

/// A brief in the pieces the leading card puts around the session.
pub(super) struct Brief {
    /// The sentence that leads, where somebody wrote one.
    pub(super) headline: Option<Markup>,
    /// Whether that sentence names today's session, so that nobody has to say its name again.
    pub(super) names_workout: bool,
    /// Why, who says so, and what can be done about it.
    pub(super) rationale: Markup,
}

/// Today's brief, held against the facts of now; or what is said where there is none.
pub(super) async fn load(view: &PageContext, now: &Facts) -> Result<Brief, PageError> {
    let brief = view.store().find_brief(view.user(), view.today).await?;
    Ok(brief.map_or_else(|| missing_brief(view), |brief| from_stored(view, &brief, now)))
}

fn from_stored(view: &PageContext, brief: &StoredBrief, now: &Facts) -> Brief {
    let byline = brief.body.get("byline").and_then(|text| text.as_str()).unwrap_or_default();
    let known: Option<Vec<Fact>> =
        brief.facts.iter().map(|fact| serde_json::from_value(fact.value.clone()).ok()).collect();
    let then = known.and_then(|known| Facts::new(known, Vec::new()).ok());
    let is_stale = then.as_ref().is_some_and(|then| facts_changed(view, then, now));
    let (headline, rest, names_session) = render_pieces(view, brief, then.as_ref());
    // What was true this morning and is not now does not lead: the session does, as it is.
    let (headline, before, names_session) =
        if is_stale { (None, headline, false) } else { (headline, None, names_session) };
    let why = html! {
        @if is_stale {
            p.stale role="status" {
                span { "Something changed since this brief was written." }
                (view.post_button("/brief", "Write it again", "small"))
            }
        }
        p.prose.soft[is_stale] { @if let Some(before) = &before { (before) " " } (rest) }
        p.meta {
            span { (escape_invisible(byline)) }
            span { "written " (time::clock(brief.written_at, view.profile.zone)) }
            a href={ "/days/" (brief.day) } { (brief.facts.len()) " facts: why?" }
            @if !is_stale { (view.post_button("/brief", "Write it again", "plain")) }
        }
    };
    Brief { headline, names_workout: names_session, rationale: why }
}

/// Whether an athlete would read another number, name or word today than the brief was written from.
fn facts_changed(view: &PageContext, then: &Facts, now: &Facts) -> bool {
    let same = |(then, now): (&Fact, &Fact)| {
        then.id == now.id
            && (then.value == now.value || then.format(view.units()) == now.format(view.units()))
    };
    then.known().len() != now.known().len() || !then.known().iter().zip(now.known()).all(same)
}

fn missing_brief(view: &PageContext) -> Brief {
    let why = html! {
        @if view.freshness.complete_through().is_none() {
            p { "A few sentences about your morning will be here once there is data: what to do today, and why." }
            @if view.freshness.is_running() { p.soft { "Your data is coming in now. Look again in a moment." } }
            @else { p.actions { a.btn.primary href="/sources" { "Bring your data in" } } }
        } @else {
            p { "No brief is written for today yet." }
            p.actions { (view.post_button("/brief", "Write it now", "")) a.btn href={ "/days/" (view.today) } { "See the facts" } }
        }
    };
    Brief { headline: None, names_workout: false, rationale: why }
}

/// What it says: what leads, the rest, and whether what leads names the session. Held against its own facts once more;
/// where that fails, it is shown as it was written down.
fn render_pieces(
    view: &PageContext,
    brief: &StoredBrief,
    facts: Option<&Facts>,
) -> (Option<Markup>, Markup, bool) {
    let prose = brief.body.pointer("/briefing/body").and_then(|text| text.as_str());
    let pieces = facts.zip(prose).and_then(|(facts, prose)| facts.parse_template(prose).ok());
    let rendered = brief.body.get("rendered").and_then(|text| text.as_str()).unwrap_or_default();
    let Some(pieces) = pieces else {
        return (None, html! { (escape_invisible(rendered)) }, false);
    };
    let (first, rest) = split_first_sentence(&pieces);
    let shown = |piece: &TemplatePart<'_>| match *piece {
        TemplatePart::Text(text) => html! { (escape_invisible(text)) },
        TemplatePart::Fact(fact) => fact_link(view, brief, fact),
    };
    let names = |piece: &TemplatePart<'_>| matches!(piece, TemplatePart::Fact(fact) if fact.id.as_str() == FactName::TodayWorkout.as_str());
    let names_session = first.iter().any(names);
    (
        Some(html! { @for piece in &first { (shown(piece)) } }),
        html! { @for piece in &rest { (shown(piece)) } },
        names_session,
    )
}

/// A fact as it is read here, leading to where it comes from. What the page says better than a number or a word of the
/// grader's is said so: a proposal is what it is about, and a session that is not judged yet is still to come.
fn fact_link(view: &PageContext, brief: &StoredBrief, fact: &Fact) -> Markup {
    let row = || format!("/days/{}#{}", brief.day, fact.id);
    let (to, words) = match (fact.id.as_str().parse(), &fact.value, fact.sources.as_slice()) {
        (Ok(FactName::PendingProposals), _, [SourceRow::Proposal(id)]) => {
            (format!("/proposals/{id}"), "a change to your plan".to_owned())
        }
        (Ok(FactName::PendingProposals), ..) => (row(), "changes to your plan".to_owned()),
        (Ok(FactName::TodayWorkoutVerdict), FactValue::Word(FactWord::Verdict(Verdict::Pending)), _) => {
            (row(), "ahead of you".to_owned())
        }
        _ => (row(), fact.format(view.units())),
    };
    html! { a.fact href=(to) { (escape_invisible(&words)) } }
}

/// What leads, and what is said besides.
fn split_first_sentence<'a>(pieces: &[TemplatePart<'a>]) -> (Vec<TemplatePart<'a>>, Vec<TemplatePart<'a>>) {
    for (at, piece) in pieces.iter().enumerate() {
        let TemplatePart::Text(text) = *piece else { continue };
        let Some(end) = text.find(". ") else { continue };
        let (first, rest) = text.split_at(end + 1);
        let mut before = pieces[..at].to_vec();
        before.push(TemplatePart::Text(first));
        let mut after = vec![TemplatePart::Text(rest.trim_start())];
        after.extend_from_slice(&pieces[at + 1..]);
        return (before, after);
    }
    (pieces.to_vec(), Vec::new())
}

/// `POST /brief`: writes today's brief, anew where there is one.
pub(crate) async fn rewrite(view: PageContext, _: FormFields) -> Result<Response, PageError> {
    let written = view.app.services.rewrite_brief(view.user(), view.today).await;
    written.map_err(|why| PageError::conflict(format!("The brief could not be written: {why}")))?;
    Ok(see_other("/"))
}
