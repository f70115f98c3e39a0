//! Writes SQLite's write-ahead log in large pieces.
//!
//! SQLite writes each frame of the log with two system calls: one for its head of 24 bytes, one for its page. A batch of transactions
//! has tens of frames, and the calls took a fifth of the writer's time. This crate registers a [VFS](https://sqlite.org/vfs.html) that is the
//! default one, except that frames wait in memory while a COMMIT runs (`pieces.rs`). When SQLite ends it, the log has all of it, as
//! with the default VFS. It is for databases with `synchronous=NORMAL`, whose commits flush nothing.
//!
//! It is the only crate with unsafe code, because SQLite calls its VFS through pointers.

mod pieces;
mod vfs;

pub use vfs::{commit, register};
