//! The messages that the server sends, read from a folder.

use fieldhouse_server::mail::{Mailer, deliver};

use super::Club;

/// A message.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) text: String,
}

impl Letter {
    /// The address in its text.
    pub(crate) fn link(&self) -> String {
        let line = self.text.lines().find(|line| line.contains("?token="));
        line.unwrap_or_else(|| panic!("no link: {}", self.text)).trim().to_owned()
    }

    /// The token of its link.
    pub(crate) fn token(&self) -> String {
        self.link().split_once("?token=").expect("a token").1.to_owned()
    }

    fn parse(written: &str) -> Self {
        let (head, body) = written.split_once("\r\n\r\n").expect("a head");
        let head = head.replace("\r\n ", " ");
        let header = |name: &str| {
            let line = head.lines().find(|line| line.starts_with(&format!("{name}: ")));
            line.unwrap_or_else(|| panic!("no {name}: {head}"))[name.len() + 2..].to_owned()
        };
        let quoted = head.contains("quoted-printable");
        let body = if quoted { unquoted(body) } else { body.to_owned() };
        Self { to: header("To"), subject: header("Subject"), text: body.replace("\r\n", "\n") }
    }
}

/// Quoted-printable text, decoded (RFC 2045).
fn unquoted(text: &str) -> String {
    let text = text.replace("=\r\n", "");
    let mut parts = text.split('=');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// Sends the waiting messages and returns them.
pub(crate) async fn sent(club: &Club) -> Vec<Letter> {
    let folder = tempfile::tempdir().expect("a folder");
    let mailer = Mailer::files(folder.path(), "club@fieldhouse.example").expect("an address");
    deliver(&club.app, &mailer).await.expect("messages are sent");
    let files = std::fs::read_dir(folder.path()).expect("the folder");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files.iter().map(|file| Letter::parse(&std::fs::read_to_string(file).expect("a message"))).collect()
}

/// Checks that no message waits.
pub(crate) async fn sent_nothing(club: &Club) {
    let letters = sent(club).await;
    assert!(letters.is_empty(), "{letters:?}");
}

/// Tries to send the waiting messages to where no message arrives.
pub(crate) async fn deliver_nowhere(club: &Club) {
    let folder = tempfile::tempdir().expect("a folder");
    let mailer = Mailer::files(folder.path(), "club@fieldhouse.example").expect("an address");
    // A file where its folder was.
    let place = folder.path().to_owned();
    drop(folder);
    std::fs::write(&place, "").expect("a file");
    assert_eq!(deliver(&club.app, &mailer).await.expect("messages are read"), 0, "none is sent");
    std::fs::remove_file(&place).expect("the file");
}
