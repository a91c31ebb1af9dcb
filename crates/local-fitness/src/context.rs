//! Context of a command: configuration, database and selected user.

use crate::config::AppConfig;
use crate::error::CliError;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{MissingDatabasePolicy, Store, User};

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) user: Option<String>,
    pub(crate) settings: AppConfig,
}

impl Context {
    pub(crate) async fn open(&self, missing: MissingDatabasePolicy) -> Result<Store> {
        let backups = self.settings.backups()?;
        Ok(Store::open_with_backups(self.settings.location()?, missing, backups).await?)
    }

    /// Opens the existing database for the selected user.
    pub(crate) async fn open_for_user(&self) -> Result<(Store, User)> {
        let store = self.open(MissingDatabasePolicy::Refuse).await?;
        let user = self.find_user(&store, None).await?;
        Ok((store, user))
    }

    /// The named user, or the only one.
    pub(crate) async fn find_user(&self, store: &Store, named: Option<&str>) -> Result<User> {
        let Some(name) = named.or(self.user.as_deref()) else {
            let mut users = store.list_users().await?;
            return match users.len() {
                0 => {
                    Err(CliError::new("there are no users yet", "add one with `fitness user add NAME`")
                        .into())
                }
                1 => Ok(users.remove(0)),
                n => {
                    let names: Vec<String> =
                        users.iter().map(|user| escape_invisible(&user.name).to_string()).collect();
                    let message = format!("there are {n} users: {}", names.join(", "));
                    Err(CliError::new(message, "select one with --user NAME").into())
                }
            };
        };
        store.find_user(name).await?.ok_or_else(|| {
            CliError::new(format!("there is no user called `{name}`"), "`fitness user list` lists the users")
                .into()
        })
    }
}
