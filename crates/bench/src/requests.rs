//! The requests of a workload: a method, paths, headers and a body, as the file that wrk's script reads.

use serde::{Deserialize, Serialize};

/// The place of a number in a body that no other request of a run has.
pub(crate) const COUNTER: &str = "##########";

/// One request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: String,
    /// The path with the query.
    pub(crate) path: String,
    /// The body of a POST; empty otherwise.
    pub(crate) body: String,
    /// The headers, each as a line.
    pub(crate) headers: Vec<String>,
    /// The label in the names of the organization that is asked for; empty if its names have none.
    #[serde(skip)]
    pub(crate) label: String,
}

impl Request {
    /// A GET request.
    pub(crate) fn get(path: &str, header: String) -> Self {
        let (method, path) = ("GET".to_owned(), path.to_owned());
        Self { method, path, body: String::new(), headers: vec![header], label: String::new() }
    }

    /// A POST request with a JSON body.
    pub(crate) fn post(path: &str, body: &str, header: Option<String>) -> Self {
        let mut headers = vec!["Content-Type: application/json".to_owned()];
        headers.extend(header);
        let (method, path) = ("POST".to_owned(), path.to_owned());
        Self { method, path, body: body.to_owned(), headers, label: String::new() }
    }

    /// The same with a number in the body.
    pub(crate) fn numbered(&self, number: u64) -> Self {
        Self { body: self.body.replace(COUNTER, &format!("{number:010}")), ..self.clone() }
    }

    /// A line of the script's file. No field contains a tab or a line break, because they are paths, JSON and tokens.
    fn line(&self) -> String {
        let mut line = [self.method.as_str(), &self.path, &self.body].join("\t");
        for header in &self.headers {
            line.push('\t');
            line.push_str(header);
        }
        line
    }
}

/// The requests from which the load is picked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests(pub(crate) Vec<Request>);

impl Requests {
    /// The file for wrk's script.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|request| request.line() + "\n").collect()
    }

    /// The same requests for another path, as the limit server has one for each workload.
    pub(crate) fn at(&self, path: &str) -> Self {
        Self(self.0.iter().map(|request| Request { path: path.to_owned(), ..request.clone() }).collect())
    }

    /// The same paths with other headers, as other servers need them.
    pub(crate) fn with_headers(&self, headers: &[String]) -> Self {
        Self(self.0.iter().map(|request| Request { headers: headers.to_vec(), ..request.clone() }).collect())
    }

    /// Some requests, evenly spread.
    pub(crate) fn sample(&self, count: usize) -> impl Iterator<Item = (usize, &Request)> {
        let step = (self.0.len() / count).max(1);
        self.0.iter().enumerate().step_by(step).take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_line_and_a_number_keeps_the_length() {
        let body = format!(r#"{{"name":"{COUNTER}"}}"#);
        let post = Request::post("/a", &body, Some("x-api-key: k".to_owned()));
        let line = format!("POST\t/a\t{body}\tContent-Type: application/json\tx-api-key: k\n");
        assert_eq!(Requests(vec![post.clone()]).text(), line);
        assert_eq!(post.numbered(7).body, r#"{"name":"0000000007"}"#);
        assert_eq!(post.numbered(7).body.len(), body.len());
    }

    #[test]
    fn a_sample_is_spread_over_all() {
        let all = Requests((0..100).map(|at| Request::get(&format!("/{at}"), String::new())).collect());
        let paths: Vec<_> = all.sample(4).map(|(_, request)| request.path.as_str()).collect();
        assert_eq!(paths, ["/0", "/25", "/50", "/75"]);
        assert_eq!(all.sample(1000).count(), 100);
    }
}
