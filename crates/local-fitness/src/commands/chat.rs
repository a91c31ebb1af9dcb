//! `fitness chat`

use crate::cli::ChatArgs;
use crate::clock;
use crate::coach;
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_coach::agent_loop::{EndReason, TurnEnd};
use fitness_coach::chat::{Card, Event, TurnOutcome};
use fitness_coach::grounding::mark_unverified;
use fitness_coach::tools::{Outcome, ToolName, label};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ChatId;
use fitness_core::domain::note::Author;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Store, User};
use fitness_web::coach::chat::ChatTurn;
use fitness_web::turn_timeout;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who talks, and where.
struct ChatContext<'a> {
    store: &'a Store,
    user: &'a User,
    /// Where the athlete decides.
    site: &'a str,
    args: &'a ChatArgs,
}

pub(super) async fn run(context: &Context, args: ChatArgs, json: bool) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let site = context.settings.site();
    let report = if args.list {
        list(&store, &user).await
    } else if let Some(text) = &args.text {
        send_once(&ChatContext { store: &store, user: &user, site: &site, args: &args }, text, json).await
    } else {
        run_interactive(&ChatContext { store: &store, user: &user, site: &site, args: &args }).await
    };
    store.close().await;
    report
}

async fn list(store: &Store, user: &User) -> Result<CommandOutput> {
    let chats = store.list_chats(user.id).await?;
    let zone = store.profile(user.id).await?.zone;
    if chats.is_empty() {
        return Ok(CommandOutput::new("No conversations yet. Begin one with `fitness chat`.", &chats));
    }
    let rows: Vec<_> = (chats.iter())
        .map(|chat| {
            [
                chat.id.to_string(),
                Day::at(chat.started_at, zone).to_string(),
                escape_invisible(&chat.title).to_string(),
            ]
        })
        .collect();
    let words = format!(
        "{}Go on with one with `fitness chat --chat NUMBER`.",
        table(["chat", "begun", "about"], &rows)
    );
    Ok(CommandOutput::new(words, &chats))
}

async fn send_once(here: &ChatContext<'_>, text: &str, json: bool) -> Result<CommandOutput> {
    let streaming = !json && std::io::stdout().is_terminal();
    let (chat, said, cards, by) = send_message(here, here.args.chat, text, streaming).await?;
    let answered = said.end.notice.is_none();
    let mut words = if streaming {
        String::new()
    } else {
        visible_lines(&mark_unverified(&said.reply, &said.unverified))
    };
    for command in cards.iter().filter(|_| !streaming) {
        let _ = write!(words, "\nHere it is shown by `{command}`.");
    }
    if let Some(notice) = &said.end.notice {
        let _ = write!(words, "{}{}", if words.is_empty() { "" } else { "\n" }, visible_lines(notice));
    }
    let unverified: Vec<&str> =
        said.unverified.iter().filter_map(|range| said.reply.get(range.clone())).collect();
    let data = json!({
        "chat": chat, "answer": said.reply, "by": by, "ended": said.end.reason, "notice": said.end.notice,
        "unverified": unverified, "waiting": cards, "cost_micros": said.cost.0,
    });
    let report = CommandOutput::new(words, &data);
    Ok(if answered { report } else { report.with_failure() })
}

async fn run_interactive(here: &ChatContext<'_>) -> Result<CommandOutput> {
    let ChatContext { store, user, args, .. } = here;
    if !std::io::stdin().is_terminal() {
        let help = "say something, such as `fitness chat \"how is my form?\"`";
        return Err(CliError::new("there is no terminal to talk at", help).into());
    }
    let chosen = coach::with_model(&coach::load_settings(store, user.id).await?, args.model.as_deref())?;
    let who = chosen.model.clone().unwrap_or_else(|| chosen.provider.to_string());
    println!("The {who} coach listens. An empty line ends the conversation.");
    let mut chat = args.chat;
    let talking = Arc::new(AtomicBool::new(false));
    exit_on_ctrl_c(Arc::clone(&talking));
    loop {
        talking.store(false, Ordering::SeqCst);
        let text = confirm::ask_line("\n> ")?;
        if text.trim().is_empty() {
            break;
        }
        talking.store(true, Ordering::SeqCst);
        match send_message(here, chat, &text, true).await {
            Ok((id, said, ..)) => {
                chat = Some(id);
                if let Some(notice) = said.end.notice {
                    println!("{}", visible_lines(&notice));
                }
                if said.end.reason == EndReason::Cancelled {
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
    Ok(CommandOutput::new(words, &json!({ "chat": chat })))
}

/// Ctrl-C while the coach answers ends the answer, so that what it took is counted; at any other time it ends the program.
fn exit_on_ctrl_c(talking: Arc<AtomicBool>) {
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
async fn cancelled_or_timed_out() -> TurnEnd {
    let left = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        ending = turn_timeout() => ending,
        () = left => TurnEnd::cancelled(),
    }
}

/// Foreign text for a terminal, with its lines kept.
fn visible_lines(text: &str) -> String {
    text.split('\n').map(|line| escape_invisible(line).to_string()).collect::<Vec<_>>().join("\n")
}

type TurnResult = (ChatId, TurnOutcome, Vec<String>, String);

/// Says one thing; what comes back is printed as it comes when somebody looks on.
async fn send_message(
    here: &ChatContext<'_>,
    chat: Option<ChatId>,
    text: &str,
    streaming: bool,
) -> Result<TurnResult> {
    let ChatContext { store, user, site, args } = here;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let (model, caps) = coach::open_model(store, user.id, args.model.as_deref(), today).await?;
    let desk = coach::open_coach_api(store, user.id, Author::Coach, site).await?;
    let talk = ChatTurn { store, user: user.id, chat, today, now: clock::now() };
    let mut cards: Vec<String> = Vec::new();
    let mut out = std::io::stdout();
    let mut hear = |event: Event<'_>| {
        let left = match (event.card(), &event) {
            (Some(Card::Draft { id, .. }), _) => Some(format!("fitness plan show {id}")),
            (Some(Card::Proposal { id, .. }), _) => Some(format!("fitness plan proposal show {id}")),
            (None, Event::ToolFinished { tool, result: Ok(_) }) => match tool.name {
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
                Event::Text(text) => write!(out, "{}", visible_lines(text)).and_then(|()| out.flush()),
                Event::ToolStarted(tool) => writeln!(out, "  · {}…", tool.progress_label),
                Event::ToolFinished { tool, result: Err(why) } => {
                    writeln!(out, "  · {}", label(tool.name.as_str(), Outcome::new(why, true)))
                }
                Event::UnknownTool => writeln!(out, "  · {}", label("", Outcome::Refused)),
                Event::UnverifiedNumbers { text, numbers } => {
                    let list: Vec<&str> =
                        numbers.iter().filter_map(|range| text.get(range.clone())).collect();
                    write!(out, "\n  Not backed by your data: {}", escape_invisible(&list.join(", ")))
                        .and_then(|()| writeln!(out))
                }
                Event::ToolFinished { .. } | Event::Spent { .. } | Event::MessageAdded(..) => Ok(()),
                Event::Ended(_) => writeln!(out),
            });
        }
    };
    let said = talk.run(text, (&*model, caps), &desk, cancelled_or_timed_out(), &mut hear).await;
    let (chat, conversed) =
        said.map_err(|why| CliError::new(why.to_string(), "`fitness chat --list` shows your conversations"))?;
    if streaming {
        for command in &cards {
            println!("  Here it is shown by `{command}`.");
        }
    }
    Ok((chat, conversed, cards, model.name().to_owned()))
}
