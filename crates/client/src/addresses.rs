//! URLs of the server and of its operations.

use http::uri::Scheme;
use reqwest::Url;

use crate::errors::Error;

/// The prefix of the API's paths on a server.
const API: &str = "/api/v1";

/// Normalizes a server's URL: no slash at the end, and no path of the API itself. Fails if it is invalid.
pub fn server_address(text: &str) -> Result<String, Error> {
    Ok(base(text)?.as_str().trim_end_matches('/').to_owned())
}

/// Parses the server's URL: `http` or `https`, with or without a path before the API's own, which may be left out.
pub(crate) fn base(text: &str) -> Result<Url, Error> {
    let refuse = |why: &str| Error::Request(format!("{text:?} is not a server's URL: {why}"));
    let mut url = Url::parse(text).map_err(|error| refuse(&error.to_string()))?;
    let web = [Scheme::HTTP, Scheme::HTTPS].iter().any(|scheme| url.scheme() == scheme.as_str());
    if !web || !url.has_host() {
        return Err(refuse("it must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(refuse("it must not contain a name, a password or a query"));
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(API).unwrap_or(path).to_owned();
    url.set_path(&path);
    Ok(url)
}

/// The URL of an operation, with the parameters in its path.
pub(crate) fn operation(base: &Url, path: &str, parameters: &[String]) -> Result<Url, Error> {
    let mut url = base.clone();
    let mut segments =
        url.path_segments_mut().map_err(|()| Error::Request("the URL cannot have a path".to_owned()))?;
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

/// The parameter, if it can be a segment of a path. An empty string, `.` and `..` would give the URL of another operation.
fn spelled_out<'a>(path: &str, parameter: Option<&'a str>) -> Result<&'a str, Error> {
    parameter.filter(|text| !matches!(*text, "" | "." | "..")).ok_or_else(|| {
        Error::Request(format!("{path} requires parameters that are not empty, \".\" or \"..\""))
    })
}

/// The URL of any path, with or without a query. It is always on the same server.
pub(crate) fn anywhere(base: &Url, path: &str) -> Result<Url, Error> {
    let text = format!("{}/{}", base.as_str().trim_end_matches('/'), path.trim_start_matches('/'));
    Url::parse(&text).map_err(|error| Error::Request(format!("{path:?} is not a path: {error}")))
}

/// Adds encoded query parameters.
pub(crate) fn add_query(url: &mut Url, query: &str) {
    let joined = [url.query().unwrap_or_default(), query].into_iter().filter(|part| !part.is_empty());
    let joined = joined.collect::<Vec<_>>().join("&");
    url.set_query((!joined.is_empty()).then_some(joined.as_str()));
}

/// Replaces the cursor.
pub(crate) fn set_cursor(url: &mut Url, cursor: &str) {
    let others: Vec<_> = url.query_pairs().into_owned().filter(|(name, _)| name != "cursor").collect();
    url.query_pairs_mut().clear().extend_pairs(others).append_pair("cursor", cursor);
}

/// The cursor in the link to the next page (RFC 8288).
pub(crate) fn cursor_of_link(link: &str) -> Option<String> {
    let (target, relation) = link.strip_prefix('<')?.split_once('>')?;
    let (_, query) = target.split_once('?').filter(|_| relation.contains("rel=\"next\""))?;
    let mut pairs: Vec<(String, String)> = serde_urlencoded::from_str(query).ok()?;
    let place = pairs.iter().position(|(name, _)| name == "cursor")?;
    Some(pairs.swap_remove(place).1)
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
    fn no_path_reaches_another_server() {
        for path in ["//evil.test/x", "http://evil.test", "@evil.test", ":80@evil.test/", "\\\\evil.test"] {
            let address = anywhere(&url("http://a.test"), path).expect("an address");
            assert_eq!(address.host_str(), Some("a.test"), "{path}");
        }
    }

    #[test]
    fn a_cursor_replaces_the_previous_one_and_keeps_the_filters() {
        let mut address = anywhere(&url("http://a.test"), "/s?status=active&cursor=old").expect("an address");
        add_query(&mut address, "q=u12+girls");
        set_cursor(&mut address, "n&w");
        assert_eq!(address.query(), Some("status=active&q=u12+girls&cursor=n%26w"));
    }

    #[test]
    fn urls_are_normalized() {
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
    fn invalid_urls_are_refused() {
        for wrong in ["", "a.test", "ftp://a.test", "http://me:pw@a.test", "http://a.test/?x=1", "http://"] {
            assert!(base(wrong).is_err(), "{wrong}");
        }
    }
}
