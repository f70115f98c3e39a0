//! The options of the server's mail: an SMTP server, or a folder.

use std::path::{Path, PathBuf};

use clap::Args;
use fieldhouse_domain::mail::NOTIFY_HOLD;
use fieldhouse_server::mail::{Mailer, Smtp};
use jiff::SignedDuration;
use url::Url;

use crate::failure::Failure;

/// How the server sends mail.
#[derive(Args)]
#[command(next_help_heading = "Mail")]
pub(crate) struct Mail {
    /// The mail server, as in `smtp://user:password@mail.example.org`; smtps:// starts with TLS, and smtp:// requires STARTTLS unless
    /// ?tls=optional is added
    #[arg(
        long,
        env = "FIELDHOUSE_SMTP_URL",
        hide_env_values = true,
        value_name = "URL",
        conflicts_with = "folder"
    )]
    smtp_url: Option<String>,
    /// Write messages to this folder instead of sending them [default: the folder mail in the data folder]
    #[arg(long = "mail-dir", env = "FIELDHOUSE_MAIL_DIR", value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The address that messages come from
    #[arg(
        long = "mail-from",
        env = "FIELDHOUSE_MAIL_FROM",
        default_value = "fieldhouse@localhost",
        value_name = "EMAIL"
    )]
    from: String,
    /// How many seconds messages about changed games are held; if the change is undone meanwhile, they are never sent
    #[arg(
        long = "notify-hold-s",
        env = "FIELDHOUSE_NOTIFY_HOLD_S",
        default_value_t = NOTIFY_HOLD.as_secs(),
        value_parser = clap::value_parser!(i64).range(0..=43_200),
        value_name = "SECONDS"
    )]
    notify_hold_s: i64,
}

impl Mail {
    /// The mailer. `data` is the data folder, unless several servers share the database.
    pub(crate) fn mailer(&self, data: Option<&Path>) -> Result<Mailer, Failure> {
        match self.folder(data)? {
            Some(folder) => Mailer::files(&folder, &self.from),
            None => Mailer::smtp(smtp(self.url().unwrap_or_default())?, &self.from),
        }
        .map_err(Failure::usage)
    }

    /// The folder that messages are written to; none if they are sent. Servers that share a database need one of the options, because
    /// messages in the folder of one of them would be overlooked.
    pub(crate) fn folder(&self, data: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
        match (self.url(), &self.folder, data) {
            (Some(_), ..) => Ok(None),
            (None, Some(folder), _) => Ok(Some(folder.clone())),
            (None, None, Some(data)) => Ok(Some(data.join("mail"))),
            (None, None, None) => Err(Failure::usage("with PostgreSQL, say how mail is sent")
                .next("send it with --smtp-url, or write it to a folder with --mail-dir")),
        }
    }

    /// How long messages about changed games are held.
    pub(crate) fn hold(&self) -> SignedDuration {
        SignedDuration::from_secs(self.notify_hold_s)
    }

    fn url(&self) -> Option<&str> {
        self.smtp_url.as_deref().filter(|url| !url.is_empty())
    }
}

fn smtp(text: &str) -> Result<Smtp, Failure> {
    let wrong = || {
        Failure::usage("--smtp-url is not the URL of a mail server")
            .next("write smtp://user:password@mail.example.org or smtps://user:password@mail.example.org")
    };
    let url = Url::parse(text).map_err(|_| wrong())?;
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
    let implicit_tls = match url.scheme() {
        "smtps" => true,
        "smtp" => false,
        _ => return Err(wrong()),
    };
    let allow_plain = match url.query() {
        Some("tls=optional") => true,
        None | Some("tls=required") => false,
        Some(_) => return Err(wrong()),
    };
    let credentials = url.password().map(|password| (decoded(url.username()), decoded(password)));
    Ok(Smtp { host: host.to_owned(), port: url.port(), credentials, implicit_tls, allow_plain })
}

/// A part of a URL without its percent-encoding.
fn decoded(part: &str) -> String {
    percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_server_is_read_from_its_url() {
        let read = |text| smtp(text).ok();
        let plain = Smtp {
            host: "mail.example.org".to_owned(),
            port: None,
            credentials: None,
            implicit_tls: false,
            allow_plain: false,
        };
        assert_eq!(read("smtp://mail.example.org"), Some(plain.clone()));
        assert_eq!(
            read("smtps://club%40a:p%3Aw@mail.example.org:2465"),
            Some(Smtp {
                port: Some(2465),
                credentials: Some(("club@a".to_owned(), "p:w".to_owned())),
                implicit_tls: true,
                ..plain.clone()
            })
        );
        assert_eq!(read("smtp://mail.example.org?tls=optional"), Some(Smtp { allow_plain: true, ..plain }));
        for wrong in ["", "mail.example.org", "http://mail.example.org", "smtp://a?tls=none", "smtp://"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
