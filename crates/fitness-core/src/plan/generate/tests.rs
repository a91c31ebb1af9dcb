mod athletes;
mod refusals;
mod special;
mod table;
