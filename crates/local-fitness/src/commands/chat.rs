//! `fitness chat`

use crate::cli::ChatArgs;
use crate::clock;
use crate::coach;
use crate::confirm;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_coach::agent_loop::{Ended, Ending};
use fitness_coach::chat::{Card, Conversed, Event};
use fitness_coach::grounding::marked;
use fitness_coach::tools::{Outcome, ToolName, label};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ChatId;
use fitness_core::domain::note::Author;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::{Store, User};
use fitness_web::coach::chat::Talk;
use fitness_web::out_of_time;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who talks, and where.
struct Here<'a> {
    store: &'a Store,
    user: &'a User,
    /// Where the athlete decides.
    site: &'a str,
    args: &'a ChatArgs,
}

pub(super) async fn run(context: &Context, args: ChatArgs, json: bool) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let site = context.settings.site();
    let report = if args.list {
        list(&store, &user).await
    } else if let Some(text) = &args.text {
        once(&Here { store: &store, user: &user, site: &site, args: &args }, text, json).await
    } else {
        converse(&Here { store: &store, user: &user, site: &site, args: &args }).await
    };
    store.close().await;
    report
}

async fn list(store: &Store, user: &User) -> Result<Report> {
    let chats = store.list_chats(user.id).await?;
    let zone = store.profile(user.id).await?.zone;
    if chats.is_empty() {
        return Ok(Report::new("No conversations yet. Begin one with `fitness chat`.", &chats));
    }
    let rows: Vec<_> = (chats.iter())
        .map(|chat| {
            [
                chat.id.to_string(),
                Day::at(chat.started_at, zone).to_string(),
                visible(&chat.title).to_string(),
            ]
        })
        .collect();
    let words = format!(
        "{}Go on with one with `fitness chat --chat NUMBER`.",
        table(["chat", "begun", "about"], &rows)
    );
    Ok(Report::new(words, &chats))
}

async fn once(here: &Here<'_>, text: &str, json: bool) -> Result<Report> {
    let streaming = !json && std::io::stdout().is_terminal();
    let (chat, said, cards, by) = say(here, here.args.chat, text, streaming).await?;
    let answered = said.ending.notice.is_none();
    let mut words = if streaming { String::new() } else { shown(&marked(&said.answer, &said.unverified)) };
    for command in cards.iter().filter(|_| !streaming) {
        let _ = write!(words, "\nHere it is shown by `{command}`.");
    }
    if let Some(notice) = &said.ending.notice {
        let _ = write!(words, "{}{}", if words.is_empty() { "" } else { "\n" }, shown(notice));
    }
    let unverified: Vec<&str> =
        said.unverified.iter().filter_map(|range| said.answer.get(range.clone())).collect();
    let data = json!({
        "chat": chat, "answer": said.answer, "by": by, "ended": said.ending.ended, "notice": said.ending.notice,
        "unverified": unverified, "waiting": cards, "cost_micros": said.cost.0,
    });
    let report = Report::new(words, &data);
    Ok(if answered { report } else { report.unhealthy() })
}

async fn converse(here: &Here<'_>) -> Result<Report> {
    let Here { store, user, args, .. } = here;
    if !std::io::stdin().is_terminal() {
        let help = "say something, such as `fitness chat \"how is my form?\"`";
        return Err(Failure::new("there is no terminal to talk at", help).into());
    }
    let chosen = coach::this_time(&coach::chosen(store, user.id).await?, args.model.as_deref())?;
    let who = chosen.model.clone().unwrap_or_else(|| chosen.provider.to_string());
    println!("The {who} coach listens. An empty line ends the conversation.");
    let mut chat = args.chat;
    let talking = Arc::new(AtomicBool::new(false));
    leave_on_ctrl_c(Arc::clone(&talking));
    loop {
        talking.store(false, Ordering::SeqCst);
        let text = confirm::ask_line("\n> ")?;
        if text.trim().is_empty() {
            break;
        }
        talking.store(true, Ordering::SeqCst);
        match say(here, chat, &text, true).await {
            Ok((id, said, ..)) => {
                chat = Some(id);
                if let Some(notice) = said.ending.notice {
                    println!("{}", shown(&notice));
                }
                if said.ending.ended == Ended::Cancelled {
                    break;
                }
            }
            Err(error) => println!("{error:#}"),
        }
    }
    let words = match chat {
        Some(chat) => format!("Go on with `fitness chat --chat {chat}`."),
        None => "Nothing was said.".to_owned(),
    };
    Ok(Report::new(words, &json!({ "chat": chat })))
}

/// Ctrl-C while the coach answers ends the answer, so that what it took is counted; at any other time it ends the program.
fn leave_on_ctrl_c(talking: Arc<AtomicBool>) {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if !talking.load(Ordering::SeqCst) {
                println!();
                std::process::exit(130);
            }
        }
    });
}

/// How a turn ends that is neither answered nor broken: by the clock, or because the athlete has had enough.
async fn until_left() -> Ending {
    let left = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        ending = out_of_time() => ending,
        () = left => Ending::cancelled(),
    }
}

/// Foreign text for a terminal, with its lines kept.
fn shown(text: &str) -> String {
    text.split('\n').map(|line| visible(line).to_string()).collect::<Vec<_>>().join("\n")
}

type Said = (ChatId, Conversed, Vec<String>, String);

/// Says one thing; what comes back is printed as it comes when somebody looks on.
async fn say(here: &Here<'_>, chat: Option<ChatId>, text: &str, streaming: bool) -> Result<Said> {
    let Here { store, user, site, args } = here;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let (model, caps) = coach::open(store, user.id, args.model.as_deref(), today).await?;
    let desk = coach::desk(store, user.id, Author::Coach, site).await?;
    let talk = Talk { store, user: user.id, chat, today, now: clock::now() };
    let mut cards: Vec<String> = Vec::new();
    let mut out = std::io::stdout();
    let mut hear = |event: Event<'_>| {
        let left = match (event.card(), &event) {
            (Some(Card::Draft { id, .. }), _) => Some(format!("fitness plan show {id}")),
            (Some(Card::Proposal { id, .. }), _) => Some(format!("fitness plan proposal show {id}")),
            (None, Event::Called { tool, answer: Ok(_) }) => match tool.name {
                ToolName::SuggestNote => Some("fitness note list".to_owned()),
                ToolName::SuggestObservation => Some("fitness day list".to_owned()),
                _ => None,
            },
            (None, _) => None,
        };
        // Several suggestions are shown by one command.
        cards.extend(left.filter(|command| !cards.contains(command)));
        if streaming {
            // A terminal that has gone away does not stop the coach from finishing.
            drop(match event {
                Event::Text(text) => write!(out, "{}", shown(text)).and_then(|()| out.flush()),
                Event::Calling(tool) => writeln!(out, "  · {}…", tool.doing),
                Event::Called { tool, answer: Err(why) } => {
                    writeln!(out, "  · {}", label(tool.name.as_str(), Outcome::new(why, true)))
                }
                Event::UnknownTool => writeln!(out, "  · {}", label("", Outcome::Refused)),
                Event::Unbacked { text, numbers } => {
                    let list: Vec<&str> =
                        numbers.iter().filter_map(|range| text.get(range.clone())).collect();
                    write!(out, "\n  Not backed by your data: {}", visible(&list.join(", ")))
                        .and_then(|()| writeln!(out))
                }
                Event::Called { .. } | Event::Spent { .. } | Event::Added(..) => Ok(()),
                Event::Ended(_) => writeln!(out),
            });
        }
    };
    let said = talk.say(text, (&*model, caps), &desk, until_left(), &mut hear).await;
    let (chat, conversed) =
        said.map_err(|why| Failure::new(why.to_string(), "`fitness chat --list` shows your conversations"))?;
    if streaming {
        for command in &cards {
            println!("  Here it is shown by `{command}`.");
        }
    }
    Ok((chat, conversed, cards, model.name().to_owned()))
}
