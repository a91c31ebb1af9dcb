//! `fitness serve`: the web server and its background tasks.

pub(crate) mod exposure;

use super::serve::exposure::ListenConfig;
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
use fitness_store::{MissingDatabasePolicy, Store, Token};
use fitness_web::worker::{AllLaneLimits, Worker, WorkerTiming};
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

/// Setting that marks the demo user.
pub(super) const DEMO_SETTING: &str = "demo";

pub(super) async fn run(context: &Context, args: ServeArgs) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Create).await?;
    for user in store.list_users().await? {
        if store.find_setting::<bool>(user.id, DEMO_SETTING).await? == Some(true) {
            let help = "use `fitness demo` for it, and another database for your own data";
            return Err(CliError::new("this is the demo database", help).into());
        }
    }
    run_server(store, context.settings.serve_config(args)?, None).await
}

/// Serves the demo, and prints a sign-in link for its user.
pub(super) async fn serve_demo(store: Store, user: UserId, wanted: ServeConfig) -> Result<CommandOutput> {
    run_server(store, wanted, Some(user)).await
}

/// Listen backlog. Connections beyond it are dropped, and clients retry only after a second.
const BACKLOG: u32 = 1024;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until Ctrl-C or SIGTERM.
async fn run_server(store: Store, wanted: ServeConfig, demo: Option<UserId>) -> Result<CommandOutput> {
    logging::init(wanted.log);
    let users = store.list_users().await?;
    let reach = ListenConfig::check(&wanted, &users)?;
    let address = SocketAddr::from((wanted.bind, wanted.port));
    let listener = listen(address).map_err(|why| {
        let help = "another program may be using the port; choose another with --port";
        CliError::new(format!("cannot listen on {address}: {why}"), help)
    })?;
    let address = listener.local_addr()?;
    let site = reach.site(address.port());
    let mut state = ServerState::default();
    let scheme = if reach.tls.is_some() { "https" } else { "http" };
    eprintln!("Listening on {scheme}://{address}. MCP: {site}/mcp. Press Ctrl-C to stop.");
    if users.is_empty() {
        let profile = Profile { zone: machine_zone(), units: machine_units(), ..Profile::default() };
        let (setup, path) = FirstUserSetup::new(profile);
        state.setup = setup;
        eprintln!("No users yet. Open this link to create your account:\n\n  {site}{path}\n");
    } else if let Some(user) = demo {
        let token = store.create_login_link(user, clock::now()).await?;
        let link = format!("{site}/sign-in/link?code={}", token.reveal());
        eprintln!("Open this link to sign in as the demo athlete (works once):\n\n  {link}\n");
    } else {
        eprintln!("Open {site}. To sign in without a password, run `fitness login`.");
    }
    let services = Arc::new(AppServices::new(store.clone(), site.clone(), demo.is_some()));
    let app = App {
        store: store.clone(),
        clock: clock::now,
        coach: services.clone(),
        base_url: site.clone().into(),
        host_names: HostNames::new(address.port(), &site),
        is_demo: demo.is_some(),
        page_cache: PageCache::default(),
        rate_limits: RateLimits::default(),
        connections: ConnectionSettings {
            trusted_proxies: wanted.trusted_proxies.clone(),
            ..ConnectionSettings::default()
        },
        services: services.clone(),
        state,
    };
    if wanted.open_browser && !users.is_empty() {
        open_browser(&site);
    }
    // Servers on two machines can have the same process id.
    let name = format!("serve-{}-{}", std::process::id(), &Token::random().reveal()[..8]);
    let timing = WorkerTiming::from_lease(Duration::from_secs(u64::from(wanted.lease_seconds)));
    // A separate task, so that long jobs do not delay connections.
    let mut worker =
        tokio::spawn(run_worker(store.clone(), services, name.clone(), timing, app.state.clone()));
    let prompts = coach::mcp_prompts();
    // Separate tasks, as they block on disk I/O.
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
        // The worker ends only on a bug; stop the server too, so that the failure is noticed.
        ended = &mut worker => ended?,
    }
    for task in [worker, health, checkpoints] {
        task.abort();
        drop(task.await);
    }
    // Release unfinished jobs, so that another server need not wait for the lease.
    drop(store.release_jobs(&name, clock::now()).await);
    store.close().await;
    Ok(CommandOutput::new("Stopped.", &json!({})))
}

async fn run_worker(
    store: Store,
    services: Arc<AppServices>,
    name: String,
    timing: WorkerTiming,
    state: ServerState,
) {
    let worker = Worker {
        store: &store,
        tasks: &*services,
        name: &name,
        clock: clock::now,
        timing,
        lanes: AllLaneLimits::default(),
        state: &state,
    };
    worker.run().await;
}

/// Waits for Ctrl-C or SIGTERM; forever if the handlers cannot be installed.
pub(super) async fn shutdown_signal() {
    let ctrl_c = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = ctrl_c => {}
        () = wait_for_sigterm() => {}
    }
}

#[cfg(unix)]
async fn wait_for_sigterm() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signals) => {
            signals.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn wait_for_sigterm() {
    std::future::pending().await
}

/// Opens a browser if started from a terminal. Other programs can see the URL, so it never contains
/// a secret.
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
    // If it fails, the printed link is enough.
    drop(command.spawn());
}
