//! Cleaning up after an xtask that cannot do so itself, because Ctrl-C, SIGTERM or even SIGKILL ended it.
//!
//! A watchdog is a small shell script that waits on a pipe whose writing end only xtask holds. The kernel
//! closes that end however xtask ends, so no signal handler is needed, and SIGKILL is as good as Ctrl-C. It
//! is a shell script and not this program, because as root some scripts run as an account that may not be
//! allowed to read the folder this program was built in.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

/// On "done" nothing is left to do; when the pipe closes without it, the whole group is asked to end.
const END_GROUP: &str = r#"read -r word || kill -s TERM -- "-$1""#;

/// A running watchdog script. Dropping it says "done" and waits until the script has ended.
pub(crate) struct Watchdog {
    shell: Child,
}

impl Watchdog {
    /// Starts `shell`, a script that must `read` lines until "done", or until the pipe closes.
    pub(crate) fn start(shell: &mut Command) -> Result<Self> {
        // A group of its own, because Ctrl-C goes to all of the terminal's group.
        let shell = shell.stdin(Stdio::piped()).process_group(0).spawn().context("cannot start `sh`")?;
        Ok(Self { shell })
    }

    /// Ends all processes of a group that xtask started, if xtask itself ends before them.
    pub(crate) fn over_group(group: u32) -> Result<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", END_GROUP, "watchdog", &group.to_string()]);
        Self::start(shell.stdout(Stdio::null()).stderr(Stdio::null()))
    }

    /// Gives the script a line to `read`.
    pub(crate) fn say(&mut self, word: &str) -> Result<()> {
        let stdin = self.shell.stdin.as_mut().context("a watchdog without a pipe")?;
        writeln!(stdin, "{word}").context("a watchdog ended before its time")
    }

    /// The script's standard output, if it was started with a pipe there.
    pub(crate) fn stdout(&mut self) -> Option<ChildStdout> {
        self.shell.stdout.take()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Err(error) = self.say("done").and_then(|()| Ok(self.shell.wait()?)) {
            println!("warning: {error:#}");
        }
    }
}
