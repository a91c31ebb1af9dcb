//! The coach's tools for other programs, over the Model Context Protocol.
//!
//! FENCED like `fitness-coach`, whose tool table it serves: it depends on `fitness-core` and `fitness-coach`
//! and can name nothing else. `cargo xtask tidy` keeps it that way.
//!
//! Empty in this version; the fence stands before what it encloses.
