//! Named contexts: a server, an organization on it and a credential, as they are stored in the user's configuration folder.

use std::collections::BTreeMap;
use std::str::FromStr;

use fieldhouse_client::api::organization::OrganizationRef;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The longest name of a context.
const MAX_NAME: usize = 64;

/// All stored data. It contains secrets, so it is not `Debug`.
#[derive(Default, Serialize, Deserialize)]
#[serde(from = "Layouts")]
pub(crate) struct Contexts {
    /// The name of the context that commands use.
    pub(crate) current: Option<String>,
    /// By name.
    #[serde(rename = "contexts")]
    pub(crate) named: BTreeMap<String, Named>,
    /// The tokens of guests, who save programs without signing in, by the server's URL.
    pub(crate) guests: BTreeMap<String, String>,
}

/// A context.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Named {
    /// The server's URL.
    pub(crate) base_url: String,
    /// The organization of the credential. Unknown if its key may not read it.
    pub(crate) organization: Option<OrganizationRef>,
    /// How the user is signed in.
    pub(crate) credential: Option<Credential>,
}

/// How the user is signed in.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Credential {
    /// With e-mail address and password.
    Session {
        /// The session, which distinguishes a newer sign-in.
        session_id: String,
        /// Valid for some minutes.
        access_token: String,
        /// Can be used once.
        refresh_token: String,
        /// When the session expires. Unknown if an older version of this program stored it.
        #[serde(default)]
        session_expires_at: Option<Timestamp>,
    },
    /// With a key.
    ApiKey {
        /// The key.
        key: String,
    },
}

/// A context's name: letters, digits, and - _ . between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContextName(pub(crate) String);

impl FromStr for ContextName {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let valid = (1..=MAX_NAME).contains(&text.len()) && text.chars().all(known) && !text.starts_with('-');
        valid.then(|| Self(text.to_owned())).ok_or("write 1 to 64 letters, digits, - _ or .")
    }
}

impl Contexts {
    /// The context with this name.
    pub(crate) fn find(&self, name: &str) -> Result<&Named, Failure> {
        self.named.get(name).ok_or_else(|| {
            let names: Vec<_> = self.named.keys().map(String::as_str).collect();
            let known = if names.is_empty() {
                "there is none yet".to_owned()
            } else {
                format!("known: {}", names.join(", "))
            };
            let next = format!("{known}; create it: fieldhouse login <email> --context {name}");
            Failure::usage(format!("there is no context {name}")).next(next)
        })
    }

    /// The name under which a sign-in without --context is stored: that of the organization's context on this server, or a new one.
    pub(crate) fn name_for(&self, base_url: &str, organization: Option<&OrganizationRef>) -> String {
        let here = self.at(base_url);
        let id = organization.map(|organization| organization.id);
        let same = here.iter().find(|name| self.named[**name].organization.as_ref().map(|it| it.id) == id);
        let unknown = here.iter().find(|name| self.named[**name].organization.is_none());
        if let Some(name) = same.or(unknown) {
            return (*name).clone();
        }
        let wanted = organization.map_or_else(|| host(base_url), |organization| organization.slug.clone());
        self.free(&wanted)
    }

    /// The names of the contexts on a server.
    pub(crate) fn at(&self, base_url: &str) -> Vec<&String> {
        self.named.iter().filter(|(_, it)| it.base_url == base_url).map(|(name, _)| name).collect()
    }

    /// A name that is not in use.
    fn free(&self, wanted: &str) -> String {
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        names.find(|name| !self.named.contains_key(name)).unwrap_or_default()
    }
}

/// A server's host as a name.
fn host(base_url: &str) -> String {
    let host = base_url.split_once("//").map_or(base_url, |(_, rest)| rest);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' };
    host.chars().map(plain).collect::<String>().trim_matches('-').chars().take(MAX_NAME).collect()
}

/// The file as this version writes it, or as it was before there were contexts: one credential for each server.
#[derive(Deserialize)]
struct Layouts {
    current: Option<String>,
    #[serde(default)]
    contexts: BTreeMap<String, Named>,
    #[serde(default)]
    guests: BTreeMap<String, String>,
    #[serde(default)]
    servers: BTreeMap<String, Server>,
}

/// A server of the older layout.
#[derive(Deserialize)]
struct Server {
    credential: Option<Credential>,
    guest_token: Option<String>,
}

impl From<Layouts> for Contexts {
    fn from(file: Layouts) -> Self {
        let Layouts { current, contexts, guests, servers } = file;
        let mut all = Self { current, named: contexts, guests };
        for (base_url, Server { credential, guest_token }) in servers {
            all.guests.extend(guest_token.map(|token| (base_url.clone(), token)));
            let was_current = all.current.as_ref() == Some(&base_url);
            if credential.is_some() || was_current {
                let name = all.free(&host(&base_url));
                if was_current {
                    all.current = Some(name.clone());
                }
                all.named.insert(name, Named { base_url, organization: None, credential });
            }
        }
        all
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    pub(crate) const A: &str = "http://a.test:8080";
    pub(crate) const B: &str = "https://b.test";

    fn organization(slug: &str) -> OrganizationRef {
        let id = if slug == "coburg" {
            "org_01h2xcejqtf2nbrexx3vqjhp41"
        } else {
            "org_01h2xcejqtf2nbrexx3vqjhp42"
        };
        serde_json::from_value(json!({"id": id, "name": slug, "slug": slug})).expect("an organization")
    }

    /// Contexts with their names, URLs and organizations.
    pub(crate) fn contexts(named: &[(&str, &str, &str)], current: Option<&str>) -> Contexts {
        let entry = |(name, url, slug): &(&str, &str, &str)| {
            let organization = Some(organization(slug));
            ((*name).to_owned(), Named { base_url: (*url).to_owned(), organization, credential: None })
        };
        let named = named.iter().map(entry).collect();
        Contexts { current: current.map(str::to_owned), named, guests: BTreeMap::new() }
    }

    #[test]
    fn a_sign_in_updates_the_context_of_its_organization_or_creates_one() {
        let all = contexts(&[("club", A, "coburg"), ("northside", B, "northside")], Some("club"));
        assert_eq!(all.name_for(A, Some(&organization("coburg"))), "club");
        assert_eq!(all.name_for(A, Some(&organization("northside"))), "northside-2");
        assert_eq!(all.name_for(B, Some(&organization("coburg"))), "coburg");
        assert_eq!(all.name_for("https://[::1]:80/x", None), "--1--80-x".trim_matches('-'));
    }

    #[test]
    fn a_file_from_before_contexts_is_migrated() {
        let file = json!({"current": A, "servers": {
            A: {"credential": {"kind": "api_key", "key": "fhk_1"}, "guest_token": "guest"},
            B: {"credential": null, "guest_token": null},
        }});
        let all: Contexts = serde_json::from_value(file).expect("a file");
        assert_eq!(all.current.as_deref(), Some("a.test-8080"));
        assert_eq!(all.named.keys().collect::<Vec<_>>(), ["a.test-8080"]);
        assert_eq!(all.guests[A], "guest");
        let again: Contexts = serde_json::from_value(json!(all)).expect("a file");
        assert!(
            matches!(&again.named["a.test-8080"].credential, Some(Credential::ApiKey { key }) if key == "fhk_1")
        );
        assert_eq!(
            all.name_for(A, Some(&organization("coburg"))),
            "a.test-8080",
            "its organization was unknown"
        );
    }

    #[test]
    fn names_are_short_and_plain() {
        for name in ["coburg", "a.test-8080", "A_1"] {
            assert!(name.parse::<ContextName>().is_ok(), "{name}");
        }
        for name in ["", "-x", "a b", "é", "a/b", &"x".repeat(65)] {
            assert!(name.parse::<ContextName>().is_err(), "{name}");
        }
    }
}
