//! `fitness serve`

pub(crate) mod exposure;

use super::serve::exposure::Reach;
use super::user::{machine_units, machine_zone};
use crate::audit_checkpoints;
use crate::cli::ServeArgs;
use crate::clock;
use crate::coach;
use crate::config::Serving;
use crate::context::Context;
use crate::error::Failure;
use crate::logging;
use crate::output::Report;
use crate::services::Outside;
use anyhow::Result;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::ids::UserId;
use fitness_store::{Missing, Store, Token};
use fitness_web::worker::{Lanes, Pace, Worker};
use fitness_web::{App, ConnectionSettings, Kept, Limits, Names, Running, Setup, serve, serve_encrypted};
use serde_json::json;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};

/// The name of the setting that marks the demo's athlete.
pub(super) const DEMO_SETTING: &str = "demo";

pub(super) async fn run(context: &Context, args: ServeArgs) -> Result<Report> {
    let store = context.open(Missing::Create).await?;
    for user in store.list_users().await? {
        if store.find_setting::<bool>(user.id, DEMO_SETTING).await? == Some(true) {
            let help =
                "`fitness demo` makes it anew and shows it; your own data belongs into another database";
            return Err(Failure::new("this is the demo's database", help).into());
        }
    }
    answer(store, context.settings.serving(args)?, None).await
}

/// Shows the demo's pages, and prints a link for its athlete.
pub(super) async fn pages(store: Store, user: UserId, wanted: Serving) -> Result<Report> {
    answer(store, wanted, Some(user)).await
}

/// Connections that wait to be accepted. A burst of more would lose some, which clients retry only after a second.
const BACKLOG: u32 = 1024;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Answers until told to stop.
async fn answer(store: Store, wanted: Serving, demo: Option<UserId>) -> Result<Report> {
    logging::begin(wanted.log);
    let users = store.list_users().await?;
    let reach = Reach::check(&wanted, &users)?;
    let address = SocketAddr::from((wanted.bind, wanted.port));
    let listener = listen(address).map_err(|why| {
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
    } else if let Some(user) = demo {
        let token = store.offer_sign_in(user, clock::now()).await?;
        let link = format!("{site}/sign-in/link?code={}", token.reveal());
        eprintln!("This link signs you in as the demo athlete, once:\n\n  {link}\n");
    } else {
        eprintln!("Open {site}. `fitness login` prints a link that signs a browser in.");
    }
    let outside = Arc::new(Outside::new(store.clone(), site.clone(), demo.is_some()));
    let app = App {
        store: store.clone(),
        clock: clock::now,
        coaching: outside.clone(),
        site: site.clone().into(),
        names: Names::new(address.port(), &site),
        demo: demo.is_some(),
        kept: Kept::default(),
        limits: Limits::default(),
        connections: ConnectionSettings {
            trusted_proxies: wanted.trusted_proxies.clone(),
            ..ConnectionSettings::default()
        },
        outside: outside.clone(),
        running,
    };
    if wanted.open && !users.is_empty() {
        open_browser(&site);
    }
    // Two servers on two machines may have the same number.
    let name = format!("serve-{}-{}", std::process::id(), &Token::random().reveal()[..8]);
    let pace = Pace::of(Duration::from_secs(u64::from(wanted.lease)));
    // A task of its own: what takes long there delays no connection.
    let mut worker =
        tokio::spawn(run_worker(store.clone(), outside, name.clone(), pace, app.running.clone()));
    let prompts = coach::prompts();
    // Tasks of their own, too: they wait for the disk.
    let (health, checked) = (app.running.health.clone(), store.clone());
    let health = tokio::spawn(async move { health.run(&checked).await });
    let logged = store.clone();
    let checkpoints = tokio::spawn(async move { audit_checkpoints::run(&logged).await });
    let served = async {
        match reach.tls {
            Some(tls) => serve_encrypted(listener, tls, app, prompts, until_told_to_stop()).await,
            None => serve(listener, app, prompts, until_told_to_stop()).await,
        }
    };
    tokio::select! {
        served = served => served?,
        // It ends only by a fault of the program; a server that does nothing by itself must not look well.
        ended = &mut worker => ended?,
    }
    for task in [worker, health, checkpoints] {
        task.abort();
        drop(task.await);
    }
    // What was begun and is not finished, somebody else need not wait for.
    drop(store.release_jobs(&name, clock::now()).await);
    store.close().await;
    Ok(Report::new("Stopped.", &json!({})))
}

async fn run_worker(store: Store, outside: Arc<Outside>, name: String, pace: Pace, running: Running) {
    let worker = Worker {
        store: &store,
        chores: &*outside,
        name: &name,
        clock: clock::now,
        pace,
        lanes: Lanes::default(),
        running: &running,
    };
    worker.run().await;
}

/// Waits for Ctrl-C, or for whoever runs services to end this one. When neither can be heard, the server runs until it is
/// ended otherwise.
pub(super) async fn until_told_to_stop() {
    let ctrl_c = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = ctrl_c => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut told) => {
            told.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
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
