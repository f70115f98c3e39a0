//! The account that PostgreSQL runs as: xtask's own, or an unprivileged one if xtask runs as root, which PostgreSQL refuses.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// Used as root, in this order. The first comes with PostgreSQL's packages, the second with every Unix.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// The account that runs PostgreSQL and its tools.
pub(crate) struct Account {
    /// User and group, if they are not xtask's own.
    other: Option<(u32, u32)>,
}

impl Account {
    pub(crate) fn choose() -> Result<Self> {
        if !is_root()? {
            return Ok(Self { other: None });
        }
        let name = UNPRIVILEGED
            .into_iter()
            .find(|name| id(&["-u", name]).is_ok())
            .context("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`")?;
        println!("As root, PostgreSQL runs as the user {name}.");
        Ok(Self { other: Some((id(&["-u", name])?, id(&["-g", name])?)) })
    }

    /// Makes the account the owner of `folder`.
    pub(crate) fn give(&self, folder: &Path) -> Result<()> {
        let Some((user, group)) = self.other else { return Ok(()) };
        chown(folder, Some(user), Some(group)).with_context(|| format!("cannot chown {}", folder.display()))
    }

    /// A program to run with this account in `folder`, which it must be able to enter.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
        let mut command = Command::new(program);
        // `openssl` writes to the home folder, and root's is closed to others.
        command.current_dir(folder).env("HOME", folder);
        if let Some((user, group)) = self.other {
            command.uid(user).gid(group);
        }
        command
    }
}

pub(crate) fn is_root() -> Result<bool> {
    Ok(id(&["-u"])? == 0)
}

fn id(arguments: &[&str]) -> Result<u32> {
    process::output(Command::new("id").args(arguments))?.parse().context("`id` printed no number")
}
