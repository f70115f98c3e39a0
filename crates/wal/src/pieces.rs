//! The part of the log that is still in memory.
//!
//! The [format of the log](https://sqlite.org/fileformat2.html#the_write_ahead_log): each frame is a head of 24 bytes and a page. The second
//! 32-bit field of a head is zero, except in the last frame of a commit. A reader believes no frame after the last commit.

use std::ops::Range;

/// The length of a frame's head. Nothing else that SQLite writes to the log in a commit has it, because it flushes nothing between frames.
const HEAD: usize = 24;
/// Where a head has its second field, which is zero unless the frame ends a commit.
const COMMIT: Range<usize> = 4..8;
/// How much is written with one system call. SQLite's default VFS for Unix takes no more.
const PIECE: usize = 0x1_ffff;
/// How much waits at most.
const MAX: usize = 8 * PIECE;

/// Frames of a commit that are not in the file yet, without a gap between them.
#[derive(Default)]
pub(crate) struct Waiting {
    bytes: Vec<u8>,
    /// Where in the file they begin.
    start: i64,
    /// The number of their commit.
    commit: u64,
}

/// Writes bytes to the file, at a place in it. An error is SQLite's number for it.
pub(crate) type Write<'a> = &'a mut dyn FnMut(&[u8], i64) -> Result<(), i32>;

impl Waiting {
    /// Takes bytes that belong at a place in the file. Writes them, with all that waits, unless they can wait too: only frames of a commit can.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        at: i64,
        commit: Option<u64>,
        write: Write<'_>,
    ) -> Result<(), i32> {
        self.forget_all_but(commit);
        let follows = !self.bytes.is_empty() && self.end() == Some(at);
        if !follows || self.bytes.len() + bytes.len() > MAX {
            self.write_all(write)?;
        }
        let Some(commit) = commit else { return write(bytes, at) };
        let is_head = bytes.len() == HEAD;
        let ends_commit = is_head && bytes[COMMIT] != [0; 4];
        if self.bytes.is_empty() {
            // A page whose head has been written is written too.
            if !is_head || ends_commit {
                return write(bytes, at);
            }
            (self.start, self.commit) = (at, commit);
        }
        self.bytes.extend_from_slice(bytes);
        if ends_commit { self.write_all(write) } else { Ok(()) }
    }

    /// Writes what waits of the commit that runs.
    pub(crate) fn write(&mut self, commit: Option<u64>, write: Write<'_>) -> Result<(), i32> {
        self.forget_all_but(commit);
        self.write_all(write)
    }

    /// Writes all that waits. After an error nothing waits, because SQLite rolls the commit back.
    fn write_all(&mut self, write: Write<'_>) -> Result<(), i32> {
        let mut start = self.start;
        let written = self.bytes.chunks(PIECE).try_for_each(|piece| {
            write(piece, start)?;
            start += i64::try_from(piece.len()).unwrap_or(i64::MAX);
            Ok(())
        });
        self.bytes.clear();
        written
    }

    /// Forgets what waits unless it belongs to the commit that runs. It belongs to one that failed, which SQLite has rolled back.
    fn forget_all_but(&mut self, commit: Option<u64>) {
        if commit != Some(self.commit) {
            self.bytes.clear();
        }
    }

    fn end(&self) -> Option<i64> {
        i64::try_from(self.bytes.len()).ok()?.checked_add(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 4096;

    /// A file whose writes are recorded, or fail.
    #[derive(Default)]
    struct Recorded {
        waiting: Waiting,
        written: Vec<(i64, usize)>,
        fails: bool,
        commit: Option<u64>,
    }

    impl Recorded {
        fn in_commit() -> Self {
            Self { commit: Some(1), ..Self::default() }
        }

        fn take(&mut self, bytes: &[u8], at: usize) -> Result<(), i32> {
            let Self { waiting, written, fails, commit } = self;
            waiting.take(bytes, i64::try_from(at).expect("small"), *commit, &mut |bytes, at| {
                written.push((at, bytes.len()));
                if *fails { Err(10) } else { Ok(()) }
            })
        }

        /// Takes frames from a place in the file on. The last one may end a commit.
        fn frames(&mut self, start: usize, count: usize, ends_commit: bool) -> Result<(), i32> {
            (0..count).try_for_each(|frame| {
                let at = start + frame * (HEAD + PAGE);
                let mut head = [1; HEAD];
                head[COMMIT].fill(u8::from(ends_commit && frame + 1 == count));
                self.take(&head, at)?;
                self.take(&[2; PAGE], at + HEAD)
            })
        }
    }

    #[test]
    fn a_commit_is_written_in_two_pieces() {
        let mut file = Recorded::in_commit();
        file.take(&[3; 32], 0).expect("the head of the log");
        file.frames(32, 3, true).expect("written");
        let last_page = 32 + 2 * (HEAD + PAGE) + HEAD;
        let pieces = [(0, 32), (32, last_page - 32), (i64::try_from(last_page).expect("small"), PAGE)];
        assert_eq!(file.written, pieces);
    }

    #[test]
    fn nothing_waits_before_the_commit() {
        let mut file = Recorded::default();
        file.frames(32, 1, false).expect("written");
        assert_eq!(file.written, [(32, HEAD), (56, PAGE)]);
    }

    #[test]
    fn frames_of_a_commit_that_failed_are_forgotten() {
        for next in [None, Some(2)] {
            let mut file = Recorded::in_commit();
            file.frames(32, 2, false).expect("they wait");
            file.commit = next;
            file.frames(32 + 2 * (HEAD + PAGE), 1, true).expect("written");
            let start = i64::try_from(32 + 2 * (HEAD + PAGE)).expect("small");
            assert_eq!(file.written, [(start, HEAD), (start + 24, PAGE)]);
        }
    }

    #[test]
    fn a_page_that_is_written_again_follows_what_waits() {
        let mut file = Recorded::in_commit();
        file.frames(32, 2, false).expect("it waits");
        file.take(&[4; PAGE], 56).expect("written");
        assert_eq!(file.written, [(32, 2 * (HEAD + PAGE)), (56, PAGE)]);
    }

    #[test]
    fn a_long_commit_is_written_in_pieces() {
        let mut file = Recorded::in_commit();
        let count = 2 * MAX / (HEAD + PAGE);
        file.frames(32, count, true).expect("written");
        let mut end = 32;
        for (at, length) in &file.written {
            assert_eq!(*at, end, "without a gap");
            assert!(*length <= PIECE, "{length}");
            end += i64::try_from(*length).expect("small");
        }
        assert_eq!(end, i64::try_from(32 + count * (HEAD + PAGE)).expect("small"));
        assert!(file.written.len() <= 20, "{:?}", file.written);
    }

    #[test]
    fn after_a_failure_nothing_waits() {
        let mut file = Recorded { fails: true, ..Recorded::in_commit() };
        assert_eq!(file.frames(32, 2, true), Err(10));
        file.fails = false;
        file.written.clear();
        file.frames(32, 1, true).expect("written");
        assert_eq!(file.written, [(32, HEAD), (56, PAGE)], "the commit that failed is not written later");
    }
}
