//! What a server says when it accepts requests: to people, and to programs in the ready file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use fieldhouse_server::private_file;
use fieldhouse_store::Engine;
use serde_json::json;

use crate::demo::Demo;
use crate::output::note;

/// A server that accepts requests.
pub(crate) struct Ready {
    pub(crate) base_url: String,
    pub(crate) engine: Engine,
    /// The folder that messages are written to; none if they are sent.
    pub(crate) mail_folder: Option<PathBuf>,
    pub(crate) demo: Option<Demo>,
    /// Whether the data is deleted when the server stops.
    pub(crate) thrown_away: bool,
}

impl Ready {
    /// Writes the ready file, if there is one, then prints where the server is.
    pub(crate) fn announce(&self, file: Option<&Path>) -> anyhow::Result<()> {
        if let Some(file) = file {
            private_file::write(file, self.document().to_string().as_bytes())
                .with_context(|| format!("{} cannot be written", file.display()))?;
        }
        if let Some(demo) = &self.demo {
            demo.announce(self);
            return Ok(());
        }
        let (url, engine) = (&self.base_url, self.engine.name());
        note(&format!("Fieldhouse is running at {url} on {engine}. Documentation: {url}/docs"));
        self.announce_mail();
        Ok(())
    }

    /// Prints where messages are written, because a server without a mail server sends none.
    pub(crate) fn announce_mail(&self) {
        if let Some(folder) = &self.mail_folder {
            note(&format!("Mail is not sent. Each message becomes a file in {}.", folder.display()));
        }
    }

    fn document(&self) -> serde_json::Value {
        json!({
            "base_url": self.base_url,
            "organization": self.demo.as_ref().map(|demo| &demo.organization),
            "accounts": self.demo.as_ref().map(|demo| demo.accounts.as_slice()).unwrap_or_default(),
            "mail_folder": self.mail_folder,
            "pid": std::process::id(),
        })
    }
}

/// Removes the ready file of an earlier server, or of this one.
pub(crate) fn remove(file: Option<&Path>) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", file.display()))
        }
        _ => Ok(()),
    }
}
