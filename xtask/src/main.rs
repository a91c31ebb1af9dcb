//! Development tasks, run as `cargo xtask TASK`:
//!
//! - `tidy`: checks dependencies between crates, consent call sites, documents and CI files
//! - `bench ingest|metrics|web|all`: benchmarks; `all` writes `docs/benchmarks.md`
//! - `hostile`: memory used while importing malicious files
//! - `skips`: tests skipped because a tool is missing
//! - `schema`: writes `docs/schema`
//! - `pictures`: takes the screenshots in the README
//! - `release-plan`, `release-notes`: whether this version needs a release, and its changelog
//! - `pack`: builds the release archive of one target
//! - `pin-images`, `check-images`: compose files with image digests

mod bench;
mod ci_lint;
mod demo_server;
mod image_digests;
mod layering;
mod malicious_files;
mod release_archive;
mod release_plan;
mod repo_lint;
mod schema;
mod screenshots;
mod skipped_tests;
mod workspace;

use anyhow::{Result, bail};
use std::path::Path;

/// Every task with its arguments. Workflows and documents may name only these.
const COMMANDS: &[&str] = &[
    "tidy",
    "hostile",
    "pictures",
    "release-plan",
    "release-notes",
    "schema",
    "skips",
    "pack --target TARGET --to FOLDER",
    "pin-images --to FOLDER IMAGES",
    "check-images FOLDER",
    "bench ingest",
    "bench metrics",
    "bench web",
    "bench all",
    "bench all --small",
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => {
            let problems = repo_lint::problems()?;
            for problem in &problems {
                eprintln!("tidy: {problem}");
            }
            if !problems.is_empty() {
                bail!("{} problem(s)", problems.len());
            }
            println!("tidy: no problems");
            Ok(())
        }
        ["bench", "ingest"] => bench::ingest(&workspace::root()),
        ["bench", "metrics"] => bench::metrics(&workspace::root()),
        ["bench", "web"] => bench::web(&workspace::root()),
        ["bench", "all"] => bench::bench_all(&workspace::root(), false),
        ["bench", "all", "--small"] => bench::bench_all(&workspace::root(), true),
        ["hostile"] => malicious_files::measure(&workspace::root()),
        ["pack", "--target", target, "--to", folder] => {
            release_archive::pack(&workspace::root(), target, Path::new(folder))
        }
        ["pin-images", "--to", folder, images @ ..] => {
            image_digests::pin(&workspace::root(), Path::new(folder), images)
        }
        ["check-images", folder] => image_digests::check(Path::new(folder)),
        ["pictures"] => screenshots::take(&workspace::root()),
        ["release-plan"] => release_plan::print_plan(&workspace::root()),
        ["release-notes"] => {
            println!("{}", release_plan::notes(&workspace::root())?);
            Ok(())
        }
        ["schema"] => schema::write(&workspace::root()),
        ["skips"] => skipped_tests::check(&workspace::root()),
        _ => bail!("usage: cargo xtask {}", COMMANDS.join(" | ")),
    }
}
