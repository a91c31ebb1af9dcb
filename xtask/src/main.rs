//! Chores of the repository. `cargo xtask tidy` tests the repository itself, `cargo xtask bench ingest|metrics|web`
//! measures an import, what is worked out from it, and the pages, and `bench all` writes it down; `cargo xtask hostile` measures
//! what files made to harm cost, `cargo xtask coverage` how much of the code ran in the tests, `cargo xtask skips` what they left out; `cargo xtask schema` writes
//! `docs/schema`, and `cargo xtask pictures` takes those of the README; `cargo xtask release-plan` says whether this is to be
//! released, `release-notes` what is to be said of it, and `pack` makes the archive of one target; `pin-images` writes the compose files
//! of a release with the digests of their images, and `check-images` refuses some without.

mod bench;
mod ci_lint;
mod coverage;
mod demo_server;
mod image_digests;
mod layering;
mod malicious_files;
mod release;
mod release_archive;
mod repo_lint;
mod schema;
mod screenshots;
mod skipped_tests;
mod workspace;

use anyhow::{Result, bail};
use std::path::Path;

/// Every chore, as it is written after `cargo xtask`. What workflows and documents name must be one of these.
const COMMANDS: &[&str] = &[
    "tidy",
    "coverage",
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
            println!("tidy: the dependency rule, the fence, the call sites and the documents hold");
            Ok(())
        }
        ["bench", "ingest"] => bench::ingest(&workspace::root()),
        ["bench", "metrics"] => bench::metrics(&workspace::root()),
        ["bench", "web"] => bench::web(&workspace::root()),
        ["bench", "all"] => bench::bench_all(&workspace::root(), false),
        ["bench", "all", "--small"] => bench::bench_all(&workspace::root(), true),
        ["coverage"] => coverage::measure(&workspace::root()),
        ["hostile"] => malicious_files::measure(&workspace::root()),
        ["pack", "--target", target, "--to", folder] => {
            release_archive::pack(&workspace::root(), target, Path::new(folder))
        }
        ["pin-images", "--to", folder, images @ ..] => {
            image_digests::pin(&workspace::root(), Path::new(folder), images)
        }
        ["check-images", folder] => image_digests::check(Path::new(folder)),
        ["pictures"] => screenshots::take(&workspace::root()),
        ["release-plan"] => release::print_plan(&workspace::root()),
        ["release-notes"] => {
            println!("{}", release::notes(&workspace::root())?);
            Ok(())
        }
        ["schema"] => schema::write(&workspace::root()),
        ["skips"] => skipped_tests::check(&workspace::root()),
        _ => bail!("usage: cargo xtask {}", COMMANDS.join(" | ")),
    }
}
