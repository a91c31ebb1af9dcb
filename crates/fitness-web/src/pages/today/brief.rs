//! The brief of the morning, with every number leading to where it comes from.

use crate::components::time;
use crate::http::error::Problem;
use crate::http::form::Fields;
use crate::http::response::see_other;
use crate::page::View;
use axum::response::Response;
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::facts::{Fact, FactName, FactValue, FactWord, Facts, SourceRow, Told};
use fitness_store::StoredBrief;
use maud::{Markup, html};

/// A brief in the pieces the leading card puts around the session.
pub(super) struct Brief {
    /// The sentence that leads, where somebody wrote one.
    pub(super) headline: Option<Markup>,
    /// Whether that sentence names today's session, so that nobody has to say its name again.
    pub(super) names_session: bool,
    /// Why, who says so, and what can be done about it.
    pub(super) why: Markup,
}

/// Today's brief, held against the facts of now; or what is said where there is none.
pub(super) async fn find(view: &View, now: &Facts) -> Result<Brief, Problem> {
    let brief = view.store().find_brief(view.user(), view.today).await?;
    Ok(brief.map_or_else(|| none(view), |brief| written(view, &brief, now)))
}

fn written(view: &View, brief: &StoredBrief, now: &Facts) -> Brief {
    let byline = brief.body.get("byline").and_then(|text| text.as_str()).unwrap_or_default();
    let known: Option<Vec<Fact>> =
        brief.facts.iter().map(|fact| serde_json::from_value(fact.value.clone()).ok()).collect();
    let then = known.and_then(|known| Facts::new(known, Vec::new()).ok());
    let is_stale = then.as_ref().is_some_and(|then| have_changed(view, then, now));
    let (headline, rest, names_session) = told(view, brief, then.as_ref());
    // What was true this morning and is not now does not lead: the session does, as it is.
    let (headline, before, names_session) =
        if is_stale { (None, headline, false) } else { (headline, None, names_session) };
    let why = html! {
        @if is_stale {
            p.stale role="status" {
                span { "Something changed since this brief was written." }
                (view.button("/brief", "Write it again", "small"))
            }
        }
        p.prose.soft[is_stale] { @if let Some(before) = &before { (before) " " } (rest) }
        p.meta {
            span { (visible(byline)) }
            span { "written " (time::clock(brief.written_at, view.profile.zone)) }
            a href={ "/days/" (brief.day) } { (brief.facts.len()) " facts: why?" }
            @if !is_stale { (view.button("/brief", "Write it again", "plain")) }
        }
    };
    Brief { headline, names_session, why }
}

/// Whether an athlete would read another number, name or word today than the brief was written from.
fn have_changed(view: &View, then: &Facts, now: &Facts) -> bool {
    let same = |(then, now): (&Fact, &Fact)| {
        then.id == now.id && (then.value == now.value || then.shown(view.units()) == now.shown(view.units()))
    };
    then.known().len() != now.known().len() || !then.known().iter().zip(now.known()).all(same)
}

fn none(view: &View) -> Brief {
    let why = html! {
        @if view.fresh.complete().is_none() {
            p { "A few sentences about your morning will be here once there is data: what to do today, and why." }
            @if view.fresh.is_running() { p.soft { "Your data is coming in now. Look again in a moment." } }
            @else { p.actions { a.btn.primary href="/sources" { "Bring your data in" } } }
        } @else {
            p { "No brief is written for today yet." }
            p.actions { (view.button("/brief", "Write it now", "")) a.btn href={ "/days/" (view.today) } { "See the facts" } }
        }
    };
    Brief { headline: None, names_session: false, why }
}

/// What it says: what leads, the rest, and whether what leads names the session. Held against its own facts once more;
/// where that fails, it is shown as it was written down.
fn told(view: &View, brief: &StoredBrief, facts: Option<&Facts>) -> (Option<Markup>, Markup, bool) {
    let prose = brief.body.pointer("/briefing/body").and_then(|text| text.as_str());
    let pieces = facts.zip(prose).and_then(|(facts, prose)| facts.read(prose).ok());
    let rendered = brief.body.get("rendered").and_then(|text| text.as_str()).unwrap_or_default();
    let Some(pieces) = pieces else {
        return (None, html! { (visible(rendered)) }, false);
    };
    let (first, rest) = first_sentence(&pieces);
    let shown = |piece: &Told<'_>| match *piece {
        Told::Text(text) => html! { (visible(text)) },
        Told::Fact(fact) => linked(view, brief, fact),
    };
    let names = |piece: &Told<'_>| matches!(piece, Told::Fact(fact) if fact.id.as_str() == FactName::TodaySession.as_str());
    let names_session = first.iter().any(names);
    (
        Some(html! { @for piece in &first { (shown(piece)) } }),
        html! { @for piece in &rest { (shown(piece)) } },
        names_session,
    )
}

/// A fact as it is read here, leading to where it comes from. What the page says better than a number or a word of the
/// grader's is said so: a proposal is what it is about, and a session that is not judged yet is still to come.
fn linked(view: &View, brief: &StoredBrief, fact: &Fact) -> Markup {
    let row = || format!("/days/{}#{}", brief.day, fact.id);
    let (to, words) = match (fact.id.as_str().parse(), &fact.value, fact.sources.as_slice()) {
        (Ok(FactName::ProposalWaiting), _, [SourceRow::Proposal(id)]) => {
            (format!("/proposals/{id}"), "a change to your plan".to_owned())
        }
        (Ok(FactName::ProposalWaiting), ..) => (row(), "changes to your plan".to_owned()),
        (Ok(FactName::TodaySessionState), FactValue::Word(FactWord::Verdict(Verdict::Pending)), _) => {
            (row(), "ahead of you".to_owned())
        }
        _ => (row(), fact.shown(view.units())),
    };
    html! { a.fact href=(to) { (visible(&words)) } }
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
