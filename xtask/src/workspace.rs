//! Repository root, files and cargo commands, shared by all tasks.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo as run from a shell at the root. The package variables that `cargo xtask` sets would make
/// build scripts run again and rebuild everything that depends on them.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    for (name, _) in std::env::vars_os() {
        let told = name.to_string_lossy();
        if told.starts_with("CARGO_MANIFEST_") || told.starts_with("CARGO_PKG_") {
            cargo.env_remove(&name);
        }
    }
    cargo.current_dir(root);
    cargo
}

pub(crate) fn target_dir(root: &Path) -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().current_dir(root).exec()?;
    Ok(metadata.target_directory.into())
}

pub(crate) fn build(root: &Path, arguments: &[&str]) -> Result<()> {
    let built = cargo(root).args(["build", "--quiet"]).args(arguments).status().context("cargo build")?;
    if !built.success() {
        bail!("cargo build {} failed", arguments.join(" "));
    }
    Ok(())
}

/// Builds `fitness` with the dev profile and returns its path.
pub(crate) fn build_fitness(root: &Path) -> Result<PathBuf> {
    build(root, &["-p", "local-fitness", "--bin", "fitness"])?;
    Ok(target_dir(root)?.join("debug/fitness"))
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is one level down").to_owned()
}

pub(crate) fn read_file(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
