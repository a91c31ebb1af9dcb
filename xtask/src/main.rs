//! Chores of the repository. `cargo xtask tidy` tests the repository itself, `cargo xtask bench ingest|metrics|web`
//! measures an import, what is worked out from it, and the pages, `cargo xtask hostile` what files made to harm cost,
//! `cargo xtask coverage` how much of the code ran in the tests; `cargo xtask schema` writes `docs/schema`, and
//! `cargo xtask pictures` takes those of the README; `cargo xtask release-plan` says whether this is to be released.

mod bench;
mod coverage;
mod demo;
mod fence;
mod hostile;
mod pictures;
mod release;
mod schema;
mod tidy;
mod workspace;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => {
            let problems = tidy::problems()?;
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
        ["coverage"] => coverage::measure(&workspace::root()),
        ["hostile"] => hostile::measure(&workspace::root()),
        ["pictures"] => pictures::take(&workspace::root()),
        ["release-plan"] => release::tell(&workspace::root()),
        ["schema"] => schema::write(&workspace::root()),
        _ => bail!(
            "usage: cargo xtask tidy | coverage | hostile | pictures | release-plan | schema | bench ingest | bench metrics | bench web"
        ),
    }
}
