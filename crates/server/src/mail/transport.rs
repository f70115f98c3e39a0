//! How messages leave the server: by SMTP, or as files that a person or another program picks up.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fieldhouse_store::mail::Mail;
use lettre::message::header::{ContentTransferEncoding, ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, Message};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use super::Rendered;
use crate::private_file;

/// How long to wait for the mail server.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Sends messages.
#[derive(Clone)]
pub struct Mailer {
    from: Address,
    out: Out,
}

#[derive(Clone)]
enum Out {
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>),
    Files(PathBuf),
}

/// A mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smtp {
    /// Its host name.
    pub host: String,
    /// Its port. `None` for that of the protocol.
    pub port: Option<u16>,
    /// User name and password.
    pub credentials: Option<(String, String)>,
    /// Whether the connection starts with TLS (`smtps`); otherwise STARTTLS is required.
    pub implicit_tls: bool,
    /// Whether to send without encryption if the server offers none.
    pub allow_plain: bool,
}

/// Why a message was not sent.
#[derive(Debug)]
pub struct MailerError {
    /// The reason.
    pub reason: String,
    /// Whether another attempt would fail too.
    pub permanent: bool,
}

impl Mailer {
    /// Sends by SMTP, from an address.
    pub fn smtp(smtp: Smtp, from: &str) -> Result<Self, String> {
        let tls = TlsParameters::new(smtp.host.clone()).map_err(|error| error.to_string())?;
        let tls = match (smtp.implicit_tls, smtp.allow_plain) {
            (true, _) => Tls::Wrapper(tls),
            (false, true) => Tls::Opportunistic(tls),
            (false, false) => Tls::Required(tls),
        };
        let port = smtp.port.unwrap_or(if smtp.implicit_tls { 465 } else { 587 });
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(smtp.host)
            .port(port)
            .tls(tls)
            .timeout(Some(TIMEOUT));
        if let Some((user, password)) = smtp.credentials {
            transport = transport.credentials(Credentials::new(user, password));
        }
        Ok(Self { from: address(from)?, out: Out::Smtp(Box::new(transport.build())) })
    }

    /// Writes messages to a folder, one file each, which only the server's user can read.
    pub fn files(folder: &Path, from: &str) -> Result<Self, String> {
        Ok(Self { from: address(from)?, out: Out::Files(folder.to_owned()) })
    }

    /// Sends a message. Its `Message-ID` is made from the row's id, so that a message that is sent twice can be recognized.
    pub(crate) async fn send(
        &self,
        mail: &Mail,
        rendered: &Rendered,
        base_url: &str,
    ) -> Result<(), MailerError> {
        let permanent = |reason: String| MailerError { reason, permanent: true };
        let temporary = |reason: String| MailerError { reason, permanent: false };
        let message = self.message(mail, rendered, base_url).map_err(permanent)?;
        match &self.out {
            Out::Smtp(transport) => match transport.send(message).await {
                Ok(_) => Ok(()),
                Err(error) => {
                    let permanent = error.is_permanent();
                    Err(MailerError { reason: chain(&error), permanent })
                }
            },
            Out::Files(folder) => {
                let (folder, name) = (folder.clone(), format!("{}.eml", mail.id));
                let written = tokio::task::spawn_blocking(move || {
                    std::fs::create_dir_all(&folder)?;
                    private_file::write(&folder.join(name), &message.formatted())
                });
                let written = written.await.map_err(|error| temporary(error.to_string()))?;
                written.map_err(|error| temporary(error.to_string()))
            }
        }
    }

    /// The text of a message. In a file it is readable as it is; for mail servers, lines are kept short.
    fn body(&self, text: &str) -> Body {
        match self.out {
            Out::Files(_) => {
                let lines = text.replace('\n', "\r\n").into_bytes();
                Body::dangerous_pre_encoded(lines, ContentTransferEncoding::EightBit)
            }
            Out::Smtp(_) => Body::new(text.to_owned()),
        }
    }

    fn message(&self, mail: &Mail, rendered: &Rendered, base_url: &str) -> Result<Message, String> {
        let to: Address =
            mail.recipient.as_str().parse().map_err(|_| "the address is not valid".to_owned())?;
        let host = base_url.split("://").nth(1).unwrap_or("localhost").split([':', '/']).next();
        Message::builder()
            .from(Mailbox::new(Some(rendered.from.clone()), self.from.clone()))
            .to(Mailbox::new(None, to))
            .subject(&rendered.subject)
            .date(mail.created_at.into())
            .message_id(Some(format!("<{}@{}>", mail.id, host.unwrap_or("localhost"))))
            .header(AutoSubmitted)
            .header(ContentType::TEXT_PLAIN)
            .body(self.body(&rendered.text))
            .map_err(|error| error.to_string())
    }
}

fn address(text: &str) -> Result<Address, String> {
    text.parse().map_err(|_| format!("{text} is not an e-mail address"))
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// `Auto-Submitted` (RFC 3834): no person wrote the message, so that no automatic reply is expected.
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }
    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }
    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}
