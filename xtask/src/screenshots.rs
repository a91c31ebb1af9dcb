//! `cargo xtask pictures`: takes the README's screenshots of the demo's pages.

use crate::demo_server::DemoServer;
use crate::workspace::{build_fitness, target_dir};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Writes to `docs/pictures`. Needs Chromium and Node.js with playwright-core, which `./check`
/// installs.
pub(crate) fn take(root: &Path) -> Result<()> {
    let modules = std::env::var_os("FITNESS_NODE_MODULES")
        .map_or_else(|| root.join("target/check/node/node_modules"), Into::into);
    if !modules.join("playwright-core").is_dir() {
        bail!("no playwright-core in {}; ./check installs it", modules.display());
    }
    let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .into_iter()
        .find(|path| Path::new(path).exists())
        .context("Chromium is not installed")?;
    let home = target_dir(root)?.join("pictures");
    std::fs::create_dir_all(&home)?;
    let mut command = Command::new(build_fitness(root)?);
    command.env("HOME", &home).env("XDG_DATA_HOME", &home).env("TMPDIR", &home).arg("demo");
    let demo = DemoServer::start(command)?;
    let folder = root.join("docs/pictures");
    std::fs::create_dir_all(&folder)?;
    let taken = Command::new("node")
        .arg(root.join("xtask/src/pictures.mjs"))
        .arg(&folder)
        .env("FITNESS_NODE_MODULES", &modules)
        .env("FITNESS_CHROMIUM", chromium)
        .env("FITNESS_BASE", format!("http://{}", demo.host))
        .env("FITNESS_LINK", demo.login_link())
        .status()
        .context("node")?;
    if !taken.success() {
        bail!("the screenshots could not be taken");
    }
    println!("wrote docs/pictures");
    Ok(())
}
