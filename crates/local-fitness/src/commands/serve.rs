//! `fitness serve`

use super::sync;
use crate::args::ServeArgs;
use crate::clock;
use crate::coaching::{self, Provider};
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use anyhow::Result;
use fitness_coach::model::catalog::Choice;
use fitness_core::calendar::Day;
use fitness_core::ids::UserId;
use fitness_store::{Missing, Store};
use fitness_web::morning::{self, Chores};
use fitness_web::{App, Coaching, Kept, Limits, Looked, Names, Opened, serve};
use serde_json::json;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// The work of the server that needs a key or the net.
struct Outside(Store);

impl Coaching for Outside {
    fn open<'a>(&'a self, user: UserId, model: Option<&'a str>, today: Day) -> Looked<'a, Opened> {
        Box::pin(async move {
            coaching::open(&self.0, user, model, today).await.map_err(|why| format!("{why:#}"))
        })
    }

    fn told(&self, user: UserId) -> Looked<'_, (String, Vec<String>)> {
        Box::pin(self.who(user))
    }
}

impl Outside {
    async fn who(&self, user: UserId) -> (String, Vec<String>) {
        let chosen = coaching::chosen(&self.0, user).await.unwrap_or_default();
        let name = chosen.model.clone().unwrap_or_else(|| chosen.provider.to_string());
        let built_in = fitness_coach::built_in::NAME;
        match chosen.provider {
            Provider::BuiltIn => {
                ("The built-in coach answers: rules, no model, nothing leaves.".to_owned(), Vec::new())
            }
            Provider::Anthropic => {
                let mut names: Vec<String> = Choice::ALL.iter().map(ToString::to_string).collect();
                names.sort_by_key(|known| *known != name);
                names.push(built_in.to_owned());
                (format!("{name} by Anthropic answers."), names)
            }
            Provider::Openai => (format!("{name} answers."), vec![name, built_in.to_owned()]),
        }
    }
}

impl Chores for Outside {
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { sync::all_quietly(&self.0, user).await.map_err(|why| format!("{why:#}")) })
    }

    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async move {
            super::brief::write_when_missing(&self.0, user, day).await.map_err(|why| format!("{why:#}"))
        })
    }

    fn rewrite(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(
            async move { super::brief::rewrite(&self.0, user, day).await.map_err(|why| format!("{why:#}")) },
        )
    }
}

/// The name of the setting that marks the demo's athlete.
pub(super) const DEMO_SETTING: &str = "demo";

pub(super) async fn run(context: &Context, args: ServeArgs) -> Result<Report> {
    let store = context.open(Missing::Refuse).await?;
    for user in store.list_users().await? {
        if store.find_setting::<bool>(user.id, DEMO_SETTING).await? == Some(true) {
            let help =
                "`fitness demo` makes it anew and shows it; your own data belongs into another database";
            return Err(Failure::new("this is the demo's database", help).into());
        }
    }
    answer(store, args, None).await
}

/// Shows the demo's pages.
pub(super) async fn pages(store: Store, user: UserId, args: ServeArgs) -> Result<Report> {
    answer(store, args, Some(user)).await
}

/// Answers until told to stop. `demo` is the athlete who is signed in by a link at once.
async fn answer(store: Store, args: ServeArgs, demo: Option<UserId>) -> Result<Report> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listener = tokio::net::TcpListener::bind(address).await.map_err(|why| {
        let help = "another program may be using the port; choose one with --port";
        Failure::new(format!("cannot listen on {address}: {why}"), help)
    })?;
    let address = listener.local_addr()?;
    let site = coaching::site_at(address.port());
    let app = App {
        store: store.clone(),
        clock: clock::now,
        coaching: Arc::new(Outside(store.clone())),
        chores: Arc::new(Outside(store.clone())),
        site: site.clone().into(),
        names: Names::new(address.port(), &site),
        demo: demo.is_some(),
        kept: Kept::default(),
        limits: Limits::default(),
    };
    eprintln!("Listening on http://{address}. MCP for other programs is at {site}/mcp; Ctrl-C ends this.");
    if let Some(user) = demo {
        let token = store.offer_sign_in(user, clock::now()).await?;
        eprintln!(
            "Open this link to look around as the demo athlete:\n\n    {site}/sign-in/link?code={}\n",
            token.reveal()
        );
    }
    let outside = Outside(store.clone());
    let worker = format!("serve-{}", std::process::id());
    let until = async {
        // When Ctrl-C cannot be heard, the server runs until it is ended otherwise.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        served = serve(listener, app, coaching::prompts(), until) => served?,
        () = morning::run(store.clone(), &outside, &worker, clock::now) => {}
    }
    store.close().await;
    Ok(Report::new("Stopped.", &json!({})))
}
