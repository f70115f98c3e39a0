//! What of the log waits in memory.
//!
//! The [format of the log](https://sqlite.org/fileformat2.html#the_write_ahead_log): each frame is a head of 24 bytes and a page. The second
//! number of a head is zero, except in the last frame of a commit. A reader believes no frame after the last commit.

/// The length of a frame's head, which nothing else in the log has.
const HEAD: usize = 24;
/// Where a head has its second number, which is zero unless the frame ends a commit.
const COMMIT: std::ops::Range<usize> = 4..8;
/// The maximum number of bytes that wait. SQLite's file system for Unix can write no more at once.
const MOST: usize = 0x1_ffff;

/// Bytes that were given to be written and are not in the file yet: a piece without a gap. None of them is the end of a commit.
#[derive(Default)]
pub(crate) struct Waiting {
    bytes: Vec<u8>,
    /// Where in the file they begin.
    start: i64,
}

/// Writes bytes to the file, at a place in it. An error is SQLite's number for it.
pub(crate) type Write<'a> = &'a mut dyn FnMut(&[u8], i64) -> Result<(), i32>;

impl Waiting {
    /// Takes bytes that belong at a place in the file. Writes them, with all that waits, unless they can wait too.
    pub(crate) fn take(&mut self, bytes: &[u8], at: i64, write: Write<'_>) -> Result<(), i32> {
        if at == 0 {
            // The log begins again, so that what waits was rolled back.
            self.bytes.clear();
        }
        let follows = !self.bytes.is_empty() && self.end() == Some(at);
        if !follows || self.bytes.len() + bytes.len() > MOST {
            self.write(write)?;
            self.start = at;
        }
        let is_head = bytes.len() == HEAD;
        let ends_commit = is_head && bytes[COMMIT] != [0; 4];
        // A page waits with its head. One whose head has been written is written too: it is the last of a commit, or written a second time.
        if self.bytes.is_empty() && (!is_head || ends_commit) {
            return write(bytes, at);
        }
        self.bytes.extend_from_slice(bytes);
        if ends_commit { self.write(write) } else { Ok(()) }
    }

    /// Writes all that waits. After an error nothing waits, because SQLite rolls the transaction back.
    pub(crate) fn write(&mut self, write: Write<'_>) -> Result<(), i32> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let written = write(&self.bytes, self.start);
        self.bytes.clear();
        written
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
    }

    impl Recorded {
        fn take(&mut self, bytes: &[u8], at: usize) -> Result<(), i32> {
            let Self { waiting, written, fails } = self;
            waiting.take(bytes, i64::try_from(at).expect("small"), &mut |bytes, at| {
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
        let mut file = Recorded::default();
        file.take(&[3; 32], 0).expect("the head of the log");
        file.frames(32, 3, true).expect("written");
        let last_page = 32 + 2 * (HEAD + PAGE) + HEAD;
        let pieces = [(0, 32), (32, last_page - 32), (i64::try_from(last_page).expect("small"), PAGE)];
        assert_eq!(file.written, pieces);
    }

    #[test]
    fn what_was_rolled_back_is_written_before_what_takes_its_place() {
        let mut file = Recorded::default();
        file.frames(32, 2, false).expect("it waits");
        assert_eq!(file.written, []);
        file.frames(32, 1, true).expect("written");
        assert_eq!(file.written, [(32, 2 * (HEAD + PAGE)), (32, HEAD), (56, PAGE)]);
    }

    #[test]
    fn what_was_rolled_back_is_not_written_to_a_log_that_begins_again() {
        let mut file = Recorded::default();
        file.frames(32, 2, false).expect("it waits");
        file.take(&[3; 32], 0).expect("the head of the log");
        assert_eq!(file.written, [(0, 32)]);
    }

    #[test]
    fn a_page_that_is_written_again_follows_what_waits() {
        let mut file = Recorded::default();
        file.frames(32, 2, false).expect("it waits");
        file.take(&[4; PAGE], 56).expect("written");
        assert_eq!(file.written, [(32, 2 * (HEAD + PAGE)), (56, PAGE)]);
    }

    #[test]
    fn a_long_transaction_waits_in_pieces() {
        let mut file = Recorded::default();
        let count = 3 * MOST / (HEAD + PAGE);
        file.frames(32, count, true).expect("written");
        let lengths: Vec<usize> = file.written.iter().map(|(_, length)| *length).collect();
        assert!(lengths.iter().all(|length| *length <= MOST), "{lengths:?}");
        assert!(lengths.len() <= 6, "{lengths:?}");
        assert_eq!(lengths.iter().sum::<usize>(), count * (HEAD + PAGE));
    }

    #[test]
    fn after_a_failure_nothing_waits() {
        let mut file = Recorded { fails: true, ..Recorded::default() };
        assert_eq!(file.frames(32, 2, true), Err(10));
        file.fails = false;
        file.written.clear();
        file.frames(32, 1, true).expect("written");
        assert_eq!(
            file.written,
            [(32, HEAD), (56, PAGE)],
            "the transaction that failed is not written later"
        );
    }
}
