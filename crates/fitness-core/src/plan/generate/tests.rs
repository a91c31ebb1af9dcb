mod athletes;
mod life;
mod paces;
mod refusals;
mod special;
mod strength;
mod sweep;
mod table;
