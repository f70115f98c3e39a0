//! Addresses: where the server is, and where an operation is on it.

use http::uri::Scheme;
use reqwest::Url;

use crate::errors::Error;

/// The prefix of the API's paths on a server.
const API: &str = "/api/v1";

/// A server's address as it is best kept: without a slash at its end, and without the API's own path. Fails where it is none.
pub fn server_address(text: &str) -> Result<String, Error> {
    Ok(base(text)?.as_str().trim_end_matches('/').to_owned())
}

/// Reads the server's address: `http` or `https`, with or without a path before the API's own, which may be left out.
pub(crate) fn base(text: &str) -> Result<Url, Error> {
    let refuse = |why: &str| Error::Request(format!("{text:?} is not a server's address: {why}"));
    let mut url = Url::parse(text).map_err(|error| refuse(&error.to_string()))?;
    let web = [Scheme::HTTP, Scheme::HTTPS].iter().any(|scheme| url.scheme() == scheme.as_str());
    if !web || !url.has_host() {
        return Err(refuse("it must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(refuse("it must hold neither a name, a password nor a query"));
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(API).unwrap_or(path).to_owned();
    url.set_path(&path);
    Ok(url)
}

/// Puts the parameters in an operation's path and the path on the server's address.
pub(crate) fn operation(base: &Url, path: &str, parameters: &[String]) -> Result<Url, Error> {
    let mut url = base.clone();
    let mut segments = url.path_segments_mut().map_err(|()| Error::Request("no path fits".to_owned()))?;
    segments.pop_if_empty();
    let mut parameters = parameters.iter().map(String::as_str);
    for segment in path.split('/').skip(1) {
        if segment.starts_with('{') {
            segments.push(spelled_out(path, parameters.next())?);
        } else {
            segments.push(segment);
        }
    }
    drop(segments);
    Ok(url)
}

/// The parameter, if it can be one segment of a path: nothing, `.` and `..` would make the address another operation's.
fn spelled_out<'a>(path: &str, parameter: Option<&'a str>) -> Result<&'a str, Error> {
    parameter
        .filter(|text| !matches!(*text, "" | "." | ".."))
        .ok_or_else(|| Error::Request(format!("{path} requires parameters that are neither empty nor dots")))
}

/// Puts any path, with or without a query, on the server's address. What comes out is always on that server.
pub(crate) fn anywhere(base: &Url, path: &str) -> Result<Url, Error> {
    let text = format!("{}/{}", base.as_str().trim_end_matches('/'), path.trim_start_matches('/'));
    Url::parse(&text).map_err(|error| Error::Request(format!("{path:?} is not a path: {error}")))
}

/// Adds query parameters, URL-encoded already.
pub(crate) fn add_query(url: &mut Url, query: &str) {
    let joined = [url.query().unwrap_or_default(), query].into_iter().filter(|part| !part.is_empty());
    let joined = joined.collect::<Vec<_>>().join("&");
    url.set_query((!joined.is_empty()).then_some(joined.as_str()));
}

/// Puts a cursor in the place of the one before.
pub(crate) fn set_cursor(url: &mut Url, cursor: &str) {
    let others: Vec<_> = url.query_pairs().into_owned().filter(|(name, _)| name != "cursor").collect();
    url.query_pairs_mut().clear().extend_pairs(others).append_pair("cursor", cursor);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        base(text).expect("an address")
    }

    #[test]
    fn a_path_is_filled_and_its_parameters_encoded() {
        for (at, path, parameters, wanted) in [
            ("http://a.test", "/healthz", &[][..], "http://a.test/healthz"),
            ("http://a.test/", "/api/v1/seasons/{id}", &["sea_1"], "http://a.test/api/v1/seasons/sea_1"),
            ("https://a.test/x/", "/docs/{file}", &["a/b?c#d%"], "https://a.test/x/docs/a%2Fb%3Fc%23d%25"),
            ("http://a.test", "/teams/{id}/staff/{staff_id}", &["t", "s"], "http://a.test/teams/t/staff/s"),
        ] {
            let parameters: Vec<_> = parameters.iter().map(|text| (*text).to_owned()).collect();
            let filled = operation(&url(at), path, &parameters).expect("an address");
            assert_eq!(filled.as_str(), wanted);
        }
        for parameters in [&[][..], &["", "x"], &["x", ".."], &["."], &["x"]] {
            let parameters: Vec<_> = parameters.iter().map(|text| (*text).to_owned()).collect();
            let filled = operation(&url("http://a.test"), "/teams/{id}/staff/{staff_id}", &parameters);
            assert!(filled.is_err(), "{parameters:?}");
        }
    }

    #[test]
    fn no_path_leads_to_another_server() {
        for path in ["//evil.test/x", "http://evil.test", "@evil.test", ":80@evil.test/", "\\\\evil.test"] {
            let address = anywhere(&url("http://a.test"), path).expect("an address");
            assert_eq!(address.host_str(), Some("a.test"), "{path}");
        }
    }

    #[test]
    fn a_cursor_replaces_the_one_before_and_leaves_the_filters() {
        let mut address = anywhere(&url("http://a.test"), "/s?status=active&cursor=old").expect("an address");
        add_query(&mut address, "q=u12+girls");
        set_cursor(&mut address, "n&w");
        assert_eq!(address.query(), Some("status=active&q=u12+girls&cursor=n%26w"));
    }

    #[test]
    fn an_address_has_one_spelling() {
        for (text, wanted) in [
            ("http://a.test", "http://a.test"),
            ("HTTP://A.test:80/", "http://a.test"),
            ("http://a.test:8080/api/v1/", "http://a.test:8080"),
            ("https://a.test/x/api/v1", "https://a.test/x"),
            ("https://a.test/api/v12", "https://a.test/api/v12"),
        ] {
            assert_eq!(server_address(text).expect("an address"), wanted);
        }
    }

    #[test]
    fn only_the_address_of_a_server_is_one() {
        for wrong in ["", "a.test", "ftp://a.test", "http://me:pw@a.test", "http://a.test/?x=1", "http://"] {
            assert!(base(wrong).is_err(), "{wrong}");
        }
    }
}
