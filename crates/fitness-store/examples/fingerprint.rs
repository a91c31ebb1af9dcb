//! Prints the content hash of a user's imported data: `fingerprint DATABASE NAME`. Benchmarks
//! compare it before and after.
//!
//! Examples are built with the test kit, so the database must be in the temporary directory
//! (`TMPDIR`).

use fitness_store::{Location, MissingDatabasePolicy, Store};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(database), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("usage: fingerprint DATABASE NAME".into());
    };
    let store = Store::open(Location::parse(&database)?, MissingDatabasePolicy::Refuse).await?;
    let name = name.to_string_lossy();
    let user = store.find_user(&name).await?.ok_or_else(|| format!("no user named {name}"))?;
    println!("{}", store.fingerprint(user.id).await?);
    store.close().await;
    Ok(())
}
