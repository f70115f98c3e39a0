//! Cleans up after an xtask that was ended by Ctrl-C, SIGTERM or even SIGKILL.
//!
//! A watchdog is a small shell script that waits on a pipe whose writing end only xtask has. The kernel closes it however xtask ends, so
//! that no signal handler is needed. It is a shell script and not this program, because as root some scripts run as an account that may not
//! be able to read the folder of this program.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

/// "done" means that nothing is left to do. If the pipe closes without it, the group is ended.
const END_GROUP: &str = r#"read -r word || kill -s TERM -- "-$1""#;

/// A running watchdog script. Dropping it sends "done" and waits for its end.
pub(crate) struct Watchdog {
    shell: Child,
}

impl Watchdog {
    /// Starts `shell`, a script that must `read` lines until "done", or until the pipe closes.
    pub(crate) fn start(shell: &mut Command) -> Result<Self> {
        // In its own group, because Ctrl-C goes to all of the terminal's group.
        let shell = shell.stdin(Stdio::piped()).process_group(0).spawn().context("cannot start `sh`")?;
        Ok(Self { shell })
    }

    /// Ends all processes of a group that xtask started, if xtask ends before them.
    pub(crate) fn over_group(group: u32) -> Result<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", END_GROUP, "watchdog", &group.to_string()]);
        Self::start(shell.stdout(Stdio::null()).stderr(Stdio::null()))
    }

    /// Sends a line to the script.
    pub(crate) fn say(&mut self, word: &str) -> Result<()> {
        let stdin = self.shell.stdin.as_mut().context("a watchdog without a pipe")?;
        writeln!(stdin, "{word}").context("a watchdog ended too early")
    }

    /// The script's standard output, if it has a pipe.
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
