//! What every chore needs of the repository: where it is, its files, and cargo in it.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo, as a person at the root would run it. What the cargo that runs us says about this package would make build scripts
/// run again, and everything behind them be built anew.
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

/// Where cargo builds to.
pub(crate) fn target_dir(root: &Path) -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().current_dir(root).exec()?;
    Ok(metadata.target_directory.into())
}

/// Builds what the arguments say.
pub(crate) fn build(root: &Path, arguments: &[&str]) -> Result<()> {
    let built = cargo(root).args(["build", "--quiet"]).args(arguments).status().context("cargo build")?;
    if !built.success() {
        bail!("cargo build {} failed", arguments.join(" "));
    }
    Ok(())
}

/// Builds the athlete's program as it is worked on, and says where it is.
pub(crate) fn build_fitness(root: &Path) -> Result<PathBuf> {
    build(root, &["-p", "local-fitness", "--bin", "fitness"])?;
    Ok(target_dir(root)?.join("debug/fitness"))
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is one level down").to_owned()
}

/// A file of it.
pub(crate) fn read_file(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
