mod athletes;
mod refusals;
#[path = "../../../tests/it/shared.rs"]
mod shared;
mod special;
mod table;
