//! `fitness serve`

use super::reach::Reach;
use super::user::{machine_units, machine_zone};
use crate::args::ServeArgs;
use crate::clock;
use crate::coaching;
use crate::context::Context;
use crate::failure::Failure;
use crate::outside::Outside;
use crate::report::Report;
use anyhow::Result;
use fitness_core::athlete::Profile;
use fitness_store::Missing;
use fitness_web::{App, Kept, Limits, Names, Running, Setup, morning, serve, serve_encrypted};
use serde_json::json;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;

pub(super) async fn run(context: &Context, args: ServeArgs) -> Result<Report> {
    let store = context.open(Missing::Create).await?;
    let users = store.list_users().await?;
    let reach = Reach::check(&args, &users)?;
    let address = SocketAddr::from((args.bind, args.port));
    let listener = tokio::net::TcpListener::bind(address).await.map_err(|why| {
        let help = "another program may be using the port; choose one with --port";
        Failure::new(format!("cannot listen on {address}: {why}"), help)
    })?;
    let address = listener.local_addr()?;
    let site = reach.site(address.port());
    let mut running = Running::default();
    let scheme = if reach.tls.is_some() { "https" } else { "http" };
    eprintln!(
        "Listening on {scheme}://{address}. MCP for other programs is at {site}/mcp; Ctrl-C ends this."
    );
    if users.is_empty() {
        let profile = Profile { zone: machine_zone(), units: machine_units(), ..Profile::default() };
        let (setup, path) = Setup::new(profile);
        running.setup = setup;
        eprintln!("Nobody lives here yet. This link makes the first user, once:\n\n  {site}{path}\n");
    } else {
        eprintln!("Open {site}. `fitness login` prints a link that signs a browser in.");
    }
    let outside = Arc::new(Outside(store.clone()));
    let app = App {
        store: store.clone(),
        clock: clock::now,
        coaching: outside.clone(),
        site: site.clone().into(),
        names: Names::new(address.port(), &site),
        demo: false,
        kept: Kept::default(),
        limits: Limits::default(),
        outside: outside.clone(),
        running,
    };
    if !args.no_open && !users.is_empty() {
        open_browser(&site);
    }
    let worker = format!("serve-{}", std::process::id());
    let prompts = coaching::prompts();
    let served = async {
        match reach.tls {
            Some(tls) => serve_encrypted(listener, tls, app, prompts, until_ctrl_c()).await,
            None => serve(listener, app, prompts, until_ctrl_c()).await,
        }
    };
    tokio::select! {
        served = served => served?,
        () = morning::run(store.clone(), &*outside, &worker, clock::now) => {}
    }
    store.close().await;
    Ok(Report::new("Stopped.", &json!({})))
}

/// Waits for Ctrl-C. When it cannot be heard, the server runs until it is ended otherwise.
pub(super) async fn until_ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Opens a browser where a person is looking; that there is none is no matter. The address is told to other programs of
/// this machine on the way, so it never holds a secret.
pub(super) fn open_browser(site: &str) {
    if !std::io::stderr().is_terminal() || !std::io::stdin().is_terminal() {
        return;
    }
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(first).arg(site).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Without a browser the link above is enough.
    drop(command.spawn());
}
