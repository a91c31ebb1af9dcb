mod athletes;
mod paces;
mod refusals;
mod special;
mod strength;
mod table;
