//! The database: connections, migrations, entities, transactions, audit log, health and integrity.

pub(crate) mod audit;
pub(crate) mod change_counter;
pub(crate) mod compress;
pub(crate) mod connect;
pub(crate) mod convert;
pub(crate) mod entities;
pub(crate) mod error;
pub(crate) mod health;
pub(crate) mod integrity;
pub mod location;
pub mod migrations;
pub(crate) mod read_connection;
pub(crate) mod store;
pub(crate) mod tx;
