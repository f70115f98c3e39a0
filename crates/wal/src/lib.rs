//! Writes SQLite's write-ahead log in large pieces.
//!
//! SQLite writes each frame of the log with two calls of the system: one for its head of 24 bytes, one for its page. A batch of transactions
//! has tens of frames, and the calls took a fifth of the writer's time. This crate registers a file system with SQLite
//! ([VFS](https://sqlite.org/vfs.html)) that is the usual one, except that frames wait in memory for the commit of their transaction
//! (`pieces.rs`). When SQLite ends a commit, the log has all of it, as with the usual one.
//!
//! It is the only crate with unsafe code, because SQLite calls its file system through pointers.

mod pieces;
mod vfs;

pub use vfs::register;
