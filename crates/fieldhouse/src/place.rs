//! Which context and server a command uses: what the user has asked for, with an option or a variable, or else the current context.

use crate::contexts::Contexts;
use crate::failure::Failure;
use crate::global::DEFAULT_URL;

/// What the user has asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// --context.
    pub(crate) context: Option<String>,
    /// --base-url.
    pub(crate) base_url: Option<String>,
    /// `FIELDHOUSE_CONTEXT`.
    pub(crate) context_variable: Option<String>,
    /// `FIELDHOUSE_URL`.
    pub(crate) url_variable: Option<String>,
}

/// The server of a command, and its context if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) context: Option<String>,
    pub(crate) base_url: String,
}

impl Asked {
    /// The name of a context: an option takes precedence over the variables.
    fn name(&self) -> Option<&String> {
        self.context.as_ref().or_else(|| self.context_variable.as_ref().filter(|_| self.base_url.is_none()))
    }
}

impl Contexts {
    /// The place of a command.
    pub(crate) fn place(&self, asked: &Asked) -> Result<Place, Failure> {
        if let Some(name) = asked.name() {
            let base_url = self.find(name)?.base_url.clone();
            if let Some(other) = asked.base_url.as_ref().filter(|url| **url != base_url) {
                let what = format!("the context {name} is at {base_url}, not at {other}");
                return Err(Failure::usage(what).next("omit --base-url or --context"));
            }
            return Ok(Place { context: Some(name.clone()), base_url });
        }
        let current = self.current.as_ref().and_then(|name| Some((name, self.named.get(name)?)));
        let base_url = match (asked.base_url.as_ref().or(asked.url_variable.as_ref()), current) {
            (Some(url), _) => url.clone(),
            (None, Some((_, current))) => current.base_url.clone(),
            (None, None) => DEFAULT_URL.to_owned(),
        };
        let here = current.filter(|(_, current)| current.base_url == base_url).map(|(name, _)| name);
        let context = match (here, self.at(&base_url).as_slice()) {
            (Some(name), _) => Some(name.clone()),
            (None, [several @ .., _]) if !several.is_empty() => return Err(self.ambiguous(&base_url)),
            (None, names) => names.first().map(|name| (*name).clone()),
        };
        Ok(Place { context, base_url })
    }

    /// The place of a sign-in: its context need not exist yet, and is none if the organization decides.
    pub(crate) fn place_of_login(&self, asked: &Asked) -> Place {
        let context = asked.name().cloned();
        let existing = context.as_ref().and_then(|name| self.named.get(name));
        let current = self.current.as_ref().and_then(|name| self.named.get(name));
        let url = asked.base_url.clone().or_else(|| existing.map(|it| it.base_url.clone()));
        let url =
            url.or_else(|| asked.url_variable.clone()).or_else(|| current.map(|it| it.base_url.clone()));
        Place { context, base_url: url.unwrap_or_else(|| DEFAULT_URL.to_owned()) }
    }

    fn ambiguous(&self, base_url: &str) -> Failure {
        let names: Vec<_> = self.at(base_url).into_iter().map(String::as_str).collect();
        let next = format!("choose one with --context: {}", names.join(", "));
        Failure::usage(format!("there are several contexts at {base_url}")).next(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contexts::tests::{A, B, contexts};

    fn asked(context: &str, base_url: &str, context_variable: &str, url_variable: &str) -> Asked {
        let [context, base_url, context_variable, url_variable] =
            [context, base_url, context_variable, url_variable]
                .map(|it| Some(it.to_owned()).filter(|it| !it.is_empty()));
        Asked { context, base_url, context_variable, url_variable }
    }

    #[test]
    fn options_take_precedence_over_variables_and_variables_over_the_current_context() {
        let all =
            contexts(&[("one", A, "coburg"), ("two", B, "coburg"), ("three", B, "northside")], Some("one"));
        let place = |asked: &Asked| all.place(asked).map(|it| (it.context.unwrap_or_default(), it.base_url));
        for (asked, context, url) in [
            (asked("", "", "", ""), "one", A),
            (asked("two", "", "one", A), "two", B),
            (asked("two", B, "", ""), "two", B),
            (asked("", A, "two", B), "one", A),
            (asked("", "", "three", A), "three", B),
            (asked("", "http://new.test", "", ""), "", "http://new.test"),
        ] {
            assert_eq!(place(&asked).expect("a place"), (context.to_owned(), url.to_owned()), "{asked:?}");
        }
        for wrong in
            [asked("two", A, "", ""), asked("nope", "", "", ""), asked("", B, "", ""), asked("", "", "", B)]
        {
            assert!(place(&wrong).is_err(), "{wrong:?}");
        }
        let all = contexts(&[], None);
        assert_eq!(all.place(&Asked::default()).expect("a place").base_url, DEFAULT_URL);
    }

    #[test]
    fn a_sign_in_may_name_a_new_context() {
        let all = contexts(&[("club", A, "coburg")], Some("club"));
        let login = |asked: &Asked| all.place_of_login(asked);
        assert_eq!(
            login(&asked("new", "", "", B)),
            Place { context: Some("new".into()), base_url: B.into() }
        );
        assert_eq!(
            login(&asked("club", "", "", B)),
            Place { context: Some("club".into()), base_url: A.into() }
        );
        assert_eq!(login(&asked("", "", "", "")), Place { context: None, base_url: A.into() });
    }
}
