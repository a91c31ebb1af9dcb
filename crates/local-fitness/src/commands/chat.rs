//! `fitness chat`: chat with the coach in the terminal.

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
use fitness_coach::chat::{Card, ChatEvent, TurnOutcome};
use fitness_coach::grounding::mark_unverified;
use fitness_coach::tools::{CallStatus, ToolName, label};
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

struct ChatContext<'a> {
    store: &'a Store,
    user: &'a User,
    /// URL of the app, for links.
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
        return Ok(CommandOutput::new("No conversations yet. Start one with `fitness chat`.", &chats));
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
        "{}Continue one with `fitness chat --chat NUMBER`.",
        table(["chat", "started", "title"], &rows)
    );
    Ok(CommandOutput::new(words, &chats))
}

async fn send_once(here: &ChatContext<'_>, text: &str, json: bool) -> Result<CommandOutput> {
    let streaming = !json && std::io::stdout().is_terminal();
    let (chat, outcome, cards, by) = send_message(here, here.args.chat, text, streaming).await?;
    let succeeded = outcome.end.notice.is_none();
    let mut words = if streaming {
        String::new()
    } else {
        visible_lines(&mark_unverified(&outcome.reply, &outcome.unverified))
    };
    for command in cards.iter().filter(|_| !streaming) {
        let _ = write!(words, "\nSee it with `{command}`.");
    }
    if let Some(notice) = &outcome.end.notice {
        let _ = write!(words, "{}{}", if words.is_empty() { "" } else { "\n" }, visible_lines(notice));
    }
    let unverified: Vec<&str> =
        outcome.unverified.iter().filter_map(|range| outcome.reply.get(range.clone())).collect();
    let data = json!({
        "chat": chat, "answer": outcome.reply, "by": by, "ended": outcome.end.reason, "notice": outcome.end.notice,
        "unverified": unverified, "waiting": cards, "cost_micros": outcome.cost.0,
    });
    let report = CommandOutput::new(words, &data);
    Ok(if succeeded { report } else { report.with_failure() })
}

async fn run_interactive(here: &ChatContext<'_>) -> Result<CommandOutput> {
    let ChatContext { store, user, args, .. } = here;
    if !std::io::stdin().is_terminal() {
        let help = "pass a message, such as `fitness chat \"how is my form?\"`";
        return Err(CliError::new("a conversation needs a terminal", help).into());
    }
    let chosen = coach::with_model(&coach::load_settings(store, user.id).await?, args.model.as_deref())?;
    let who = chosen.model.clone().unwrap_or_else(|| chosen.provider.to_string());
    println!("Chat with the {who} coach. Press Enter on an empty line to end the conversation.");
    let mut chat = args.chat;
    let replying = Arc::new(AtomicBool::new(false));
    exit_on_ctrl_c(Arc::clone(&replying));
    loop {
        replying.store(false, Ordering::SeqCst);
        let text = confirm::ask_line("\n> ")?;
        if text.trim().is_empty() {
            break;
        }
        replying.store(true, Ordering::SeqCst);
        match send_message(here, chat, &text, true).await {
            Ok((id, outcome, ..)) => {
                chat = Some(id);
                if let Some(notice) = outcome.end.notice {
                    println!("{}", visible_lines(&notice));
                }
                if outcome.end.reason == EndReason::Cancelled {
                    break;
                }
            }
            Err(error) => println!("{error:#}"),
        }
    }
    let words = match chat {
        Some(chat) => format!("Continue with `fitness chat --chat {chat}`."),
        None => "No messages.".to_owned(),
    };
    Ok(CommandOutput::new(words, &json!({ "chat": chat })))
}

/// Ctrl-C during a reply cancels only the reply, so that its cost is recorded; otherwise it exits.
fn exit_on_ctrl_c(replying: Arc<AtomicBool>) {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if !replying.load(Ordering::SeqCst) {
                println!();
                std::process::exit(130);
            }
        }
    });
}

/// Resolves on timeout or Ctrl-C.
async fn cancelled_or_timed_out() -> TurnEnd {
    let cancelled = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        ending = turn_timeout() => ending,
        () = cancelled => TurnEnd::cancel(),
    }
}

/// Escapes untrusted text for the terminal, keeping line breaks.
fn visible_lines(text: &str) -> String {
    text.split('\n').map(|line| escape_invisible(line).to_string()).collect::<Vec<_>>().join("\n")
}

type TurnResult = (ChatId, TurnOutcome, Vec<String>, String);

/// Sends one message; prints the reply as it arrives if `streaming`.
async fn send_message(
    here: &ChatContext<'_>,
    chat: Option<ChatId>,
    text: &str,
    streaming: bool,
) -> Result<TurnResult> {
    let ChatContext { store, user, site, args } = here;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let (model, caps) = coach::open_model(store, user.id, args.model.as_deref(), today).await?;
    let api = coach::open_coach_api(store, user.id, Author::Coach, site).await?;
    let turn = ChatTurn { store, user: user.id, chat, today, now: clock::now() };
    let mut cards: Vec<String> = Vec::new();
    let mut out = std::io::stdout();
    let mut on_event = |event: ChatEvent<'_>| {
        let command = match (event.card(), &event) {
            (Some(Card::Draft { id, .. }), _) => Some(format!("fitness plan show {id}")),
            (Some(Card::Proposal { id, .. }), _) => Some(format!("fitness plan proposal show {id}")),
            (None, ChatEvent::ToolFinished { tool, result: Ok(_) }) => match tool.name {
                ToolName::SuggestNote => Some("fitness note list".to_owned()),
                ToolName::SuggestObservation => Some("fitness day list".to_owned()),
                _ => None,
            },
            (None, _) => None,
        };
        // One command lists all suggestions.
        cards.extend(command.filter(|command| !cards.contains(command)));
        if streaming {
            // Ignore a closed terminal, so that the turn finishes.
            drop(match event {
                ChatEvent::Text(text) => write!(out, "{}", visible_lines(text)).and_then(|()| out.flush()),
                ChatEvent::ToolStarted(tool) => writeln!(out, "  · {}…", tool.progress_label),
                ChatEvent::ToolFinished { tool, result: Err(why) } => {
                    writeln!(out, "  · {}", label(tool.name.as_str(), CallStatus::new(why, true)))
                }
                ChatEvent::UnknownTool => writeln!(out, "  · {}", label("", CallStatus::Refused)),
                ChatEvent::UnverifiedNumbers { text, numbers } => {
                    let list: Vec<&str> =
                        numbers.iter().filter_map(|range| text.get(range.clone())).collect();
                    write!(out, "\n  Not backed by your data: {}", escape_invisible(&list.join(", ")))
                        .and_then(|()| writeln!(out))
                }
                ChatEvent::ToolFinished { .. } | ChatEvent::Spent { .. } | ChatEvent::MessageAdded(..) => {
                    Ok(())
                }
                ChatEvent::Ended(_) => writeln!(out),
            });
        }
    };
    let result = turn.run(text, (&*model, caps), &api, cancelled_or_timed_out(), &mut on_event).await;
    let (chat, outcome) = result
        .map_err(|why| CliError::new(why.to_string(), "`fitness chat --list` lists your conversations"))?;
    if streaming {
        for command in &cards {
            println!("  See it with `{command}`.");
        }
    }
    Ok((chat, outcome, cards, model.name().to_owned()))
}
