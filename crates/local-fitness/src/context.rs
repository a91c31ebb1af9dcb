//! What every command needs: the store, opened when it is needed, and whose data is meant.

use crate::config::Settings;
use crate::error::CliError;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{IfMissing, Store, User};

/// The words before the command.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) user: Option<String>,
    pub(crate) settings: Settings,
}

impl Context {
    /// Opens the database that is set.
    pub(crate) async fn open(&self, missing: IfMissing) -> Result<Store> {
        let backups = self.settings.backups()?;
        Ok(Store::open_with_backups(self.settings.location()?, missing, backups).await?)
    }

    /// Opens an existing database for the user that is meant.
    pub(crate) async fn open_for_user(&self) -> Result<(Store, User)> {
        let store = self.open(IfMissing::Refuse).await?;
        let user = self.find_user(&store, None).await?;
        Ok((store, user))
    }

    /// The user a command acts for: the one named, or the only one.
    pub(crate) async fn find_user(&self, store: &Store, named: Option<&str>) -> Result<User> {
        let Some(name) = named.or(self.user.as_deref()) else {
            let mut users = store.list_users().await?;
            return match users.len() {
                0 => {
                    Err(CliError::new("there is no user yet", "add one with `fitness user add NAME`").into())
                }
                1 => Ok(users.remove(0)),
                n => {
                    let names: Vec<String> =
                        users.iter().map(|user| escape_invisible(&user.name).to_string()).collect();
                    let message = format!("there are {n} users: {}", names.join(", "));
                    Err(CliError::new(message, "say whose data you mean with --user NAME").into())
                }
            };
        };
        store.find_user(name).await?.ok_or_else(|| {
            CliError::new(
                format!("there is no user called `{name}`"),
                "`fitness user list` shows who there is",
            )
            .into()
        })
    }
}
