//! `fitness serve`

pub(crate) mod exposure;

use super::serve::exposure::Exposure;
use super::user::{machine_units, machine_zone};
use crate::audit_checkpoints;
use crate::cli::ServeArgs;
use crate::clock;
use crate::coach;
use crate::config::ServeConfig;
use crate::context::Context;
use crate::error::CliError;
use crate::logging;
use crate::output::CommandOutput;
use crate::services::AppServices;
use anyhow::Result;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::ids::UserId;
use fitness_store::{IfMissing, Store, Token};
use fitness_web::worker::{Lanes, Worker, WorkerTiming};
use fitness_web::{
    App, ConnectionSettings, FirstUserSetup, HostNames, PageCache, RateLimits, ServerState, serve, serve_tls,
};
use serde_json::json;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};

/// The name of the setting that marks the demo's athlete.
pub(super) const DEMO_SETTING: &str = "demo";

pub(super) async fn run(context: &Context, args: ServeArgs) -> Result<CommandOutput> {
    let store = context.open(IfMissing::Create).await?;
    for user in store.list_users().await? {
        if store.find_setting::<bool>(user.id, DEMO_SETTING).await? == Some(true) {
            let help =
                "`fitness demo` makes it anew and shows it; your own data belongs into another database";
            return Err(CliError::new("this is the demo's database", help).into());
        }
    }
    run_server(store, context.settings.serve_config(args)?, None).await
}

/// Shows the demo's pages, and prints a link for its athlete.
pub(super) async fn serve_demo(store: Store, user: UserId, wanted: ServeConfig) -> Result<CommandOutput> {
    run_server(store, wanted, Some(user)).await
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
async fn run_server(store: Store, wanted: ServeConfig, demo: Option<UserId>) -> Result<CommandOutput> {
    logging::init(wanted.log);
    let users = store.list_users().await?;
    let reach = Exposure::check(&wanted, &users)?;
    let address = SocketAddr::from((wanted.bind, wanted.port));
    let listener = listen(address).map_err(|why| {
        let help = "another program may be using the port; choose one with --port";
        CliError::new(format!("cannot listen on {address}: {why}"), help)
    })?;
    let address = listener.local_addr()?;
    let site = reach.site(address.port());
    let mut running = ServerState::default();
    let scheme = if reach.tls.is_some() { "https" } else { "http" };
    eprintln!(
        "Listening on {scheme}://{address}. MCP for other programs is at {site}/mcp; Ctrl-C ends this."
    );
    if users.is_empty() {
        let profile = Profile { zone: machine_zone(), units: machine_units(), ..Profile::default() };
        let (setup, path) = FirstUserSetup::new(profile);
        running.setup = setup;
        eprintln!("Nobody lives here yet. This link makes the first user, once:\n\n  {site}{path}\n");
    } else if let Some(user) = demo {
        let token = store.create_login_link(user, clock::now()).await?;
        let link = format!("{site}/sign-in/link?code={}", token.reveal());
        eprintln!("This link signs you in as the demo athlete, once:\n\n  {link}\n");
    } else {
        eprintln!("Open {site}. `fitness login` prints a link that signs a browser in.");
    }
    let outside = Arc::new(AppServices::new(store.clone(), site.clone(), demo.is_some()));
    let app = App {
        store: store.clone(),
        clock: clock::now,
        coach: outside.clone(),
        base_url: site.clone().into(),
        host_names: HostNames::new(address.port(), &site),
        is_demo: demo.is_some(),
        page_cache: PageCache::default(),
        rate_limits: RateLimits::default(),
        connections: ConnectionSettings {
            trusted_proxies: wanted.trusted_proxies.clone(),
            ..ConnectionSettings::default()
        },
        services: outside.clone(),
        state: running,
    };
    if wanted.open_browser && !users.is_empty() {
        open_browser(&site);
    }
    // Two servers on two machines may have the same number.
    let name = format!("serve-{}-{}", std::process::id(), &Token::random().reveal()[..8]);
    let pace = WorkerTiming::from_lease(Duration::from_secs(u64::from(wanted.lease_seconds)));
    // A task of its own: what takes long there delays no connection.
    let mut worker = tokio::spawn(run_worker(store.clone(), outside, name.clone(), pace, app.state.clone()));
    let prompts = coach::mcp_prompts();
    // Tasks of their own, too: they wait for the disk.
    let (health, checked) = (app.state.health.clone(), store.clone());
    let health = tokio::spawn(async move { health.run(&checked).await });
    let logged = store.clone();
    let checkpoints = tokio::spawn(async move { audit_checkpoints::run(&logged).await });
    let served = async {
        match reach.tls {
            Some(tls) => serve_tls(listener, tls, app, prompts, shutdown_signal()).await,
            None => serve(listener, app, prompts, shutdown_signal()).await,
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
    Ok(CommandOutput::new("Stopped.", &json!({})))
}

async fn run_worker(
    store: Store,
    outside: Arc<AppServices>,
    name: String,
    pace: WorkerTiming,
    running: ServerState,
) {
    let worker = Worker {
        store: &store,
        tasks: &*outside,
        name: &name,
        clock: clock::now,
        timing: pace,
        lanes: Lanes::default(),
        state: &running,
    };
    worker.run().await;
}

/// Waits for Ctrl-C, or for whoever runs services to end this one. When neither can be heard, the server runs until it is
/// ended otherwise.
pub(super) async fn shutdown_signal() {
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
