//! The contract: every response in the tests is compared with the OpenAPI document. Its status and error code must be declared for the
//! operation, its headers for the status, and its body must match the schema.
//!
//! If `FIELDHOUSE_PRODUCED` names a folder, an empty file is written to it for each status that an operation has returned. `cargo xtask
//! test` compares these with the document afterwards: see `xtask/src/statuses.rs`.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use fieldhouse_server::openapi;
use jsonschema::Validator;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::Answer;

/// Headers of HTTP itself, which the document does not declare.
const OF_HTTP: [&str; 6] =
    ["allow", "connection", "content-length", "content-type", "date", "transfer-encoding"];

/// The document with its compiled schemas.
pub(crate) struct Contract {
    document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
    produced: Mutex<BTreeSet<String>>,
    record_in: Option<PathBuf>,
}

/// The contract of the server, compiled once for the process.
pub(crate) static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract {
    document: serde_json::to_value(openapi::document("/")).expect("a document is JSON"),
    validators: Mutex::default(),
    produced: Mutex::default(),
    record_in: std::env::var_os("FIELDHOUSE_PRODUCED").map(PathBuf::from),
});

impl Contract {
    /// Checks the response to a request with this method and path, and returns what is wrong.
    pub(crate) fn check(&self, method: &str, path: &str, answer: &Answer) -> Result<(), String> {
        let Some(operation) = self.operation(method, path) else {
            return self.check_unknown(answer);
        };
        let id = operation["operationId"].as_str().unwrap_or_default();
        let status = answer.status.to_string();
        let (entry, response) = self.response(operation, &status).ok_or_else(|| {
            format!("{id} does not declare the status {status} or the code `{}`", answer.code())
        })?;
        if answer.status >= 400 {
            let codes = entry["description"].as_str().unwrap_or_default();
            if method != "HEAD" && !codes.contains(&format!("`{}`", answer.code())) {
                return Err(format!("{id} {status} declares {codes} and not `{}`", answer.code()));
            }
            check_sentences(answer).map_err(|text| format!("{id} {status}: not a sentence: {text:?}"))?;
        }
        check_headers(&self.document, response, &answer.headers)
            .map_err(|why| format!("{id} {status}: {why}"))?;
        self.check_body(&format!("{id} {status}"), method, response, answer)?;
        self.record(id, &status);
        Ok(())
    }

    /// The operation of a method and path in the document.
    fn operation(&self, method: &str, path: &str) -> Option<&Value> {
        let method = if method == "HEAD" { "get".to_owned() } else { method.to_lowercase() };
        let parts: Vec<&str> = path.split('/').collect();
        let fits = |template: &str| {
            let wanted: Vec<&str> = template.split('/').collect();
            let fit = |(wanted, part): (&&str, &&str)| {
                wanted == part || (wanted.starts_with('{') && !part.is_empty())
            };
            wanted.len() == parts.len() && wanted.iter().zip(&parts).all(fit)
        };
        let paths = self.document["paths"].as_object()?;
        // A literal path takes precedence over one with a parameter.
        let named = paths.iter().filter(|(template, _)| fits(template));
        let (_, item) = named.min_by_key(|(template, _)| template.matches('{').count())?;
        item.get(&method)
    }

    /// The entry of a status, and the response that it is or refers to.
    fn response<'a>(&'a self, operation: &'a Value, status: &str) -> Option<(&'a Value, &'a Value)> {
        let responses = &operation["responses"];
        let of = |name: &str| responses.get(name);
        let entry = of(status).or_else(|| of("default").filter(|_| status >= "400"))?;
        Some((entry, self.resolved(entry)))
    }

    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        let reference = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        reference.map_or(value, |pointer| self.document.pointer(pointer).unwrap_or(&Value::Null))
    }

    /// Checks that a request that matches no operation gets a problem.
    fn check_unknown(&self, answer: &Answer) -> Result<(), String> {
        if answer.status < 400 {
            return Err(format!("a path outside the document responds with {}", answer.status));
        }
        let schema = json!({"$ref": "#/components/schemas/Problem"});
        if answer.text.is_empty() { Ok(()) } else { self.validate("a problem", &schema, &answer.body) }
    }

    fn check_body(&self, what: &str, method: &str, response: &Value, answer: &Answer) -> Result<(), String> {
        let Some(content) = response["content"].as_object() else {
            let empty = answer.text.is_empty();
            return if empty { Ok(()) } else { Err(format!("{what} declares no body but has one")) };
        };
        let media_type = answer.header("content-type").split(';').next().unwrap_or_default().trim();
        let Some(content) = content.get(media_type).or_else(|| content.get("*/*")) else {
            return Err(format!("{what} does not declare the media type {media_type:?}"));
        };
        match content.get("schema") {
            Some(schema) if method != "HEAD" => {
                let body = serde_json::from_str(&answer.text).map_err(|error| format!("{what}: {error}"))?;
                self.validate(what, schema, &body)
            }
            _ => Ok(()),
        }
    }

    fn validate(&self, what: &str, schema: &Value, body: &Value) -> Result<(), String> {
        let validator = self.validator(what, schema);
        let wrong: Vec<_> =
            validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{what}: {}", wrong.join("; "))) }
    }

    fn validator(&self, what: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || {
            let whole =
                json!({"components": self.document["components"], "$ref": "#/schema", "schema": schema});
            let options = jsonschema::draft202012::options().should_validate_formats(true);
            Arc::new(options.build(&whole).expect("a schema of the document compiles"))
        };
        validators.entry(what.to_owned()).or_insert_with(compile).clone()
    }

    fn record(&self, id: &str, status: &str) {
        let Some(folder) = &self.record_in else { return };
        let name = format!("{id} {status}");
        let mut produced = self.produced.lock().unwrap_or_else(PoisonError::into_inner);
        if produced.insert(name.clone()) {
            std::fs::write(folder.join(name), "").expect("a produced status is recorded");
        }
    }
}

/// Checks that the detail of a problem and the fix of each field end with a full stop, and that a fix starts with a capital letter.
fn check_sentences(answer: &Answer) -> Result<(), String> {
    let is_sentence = |text: &&str| text.starts_with(char::is_uppercase) && text.ends_with('.');
    let errors = answer.body["errors"].as_array().into_iter().flatten();
    let mut fixes = errors.filter_map(|error| error["fix"].as_str()).filter(|fix| !is_sentence(fix));
    let detail = answer.body["detail"].as_str().filter(|detail| !detail.ends_with('.'));
    fixes.next().or(detail).map_or(Ok(()), |text| Err(text.to_owned()))
}

fn check_headers(document: &Value, response: &Value, headers: &HeaderMap) -> Result<(), String> {
    let declared = response["headers"].as_object().into_iter().flatten();
    let declared: HashMap<String, &Value> = declared
        .map(|(name, _)| (name.to_lowercase(), &document["components"]["headers"][name]["schema"]))
        .collect();
    for (name, value) in headers {
        let name = name.as_str();
        if OF_HTTP.contains(&name) {
            continue;
        }
        let schema = declared.get(name).ok_or_else(|| format!("the header {name} is not declared"))?;
        let number = value.to_str().is_ok_and(|value| value.parse::<u64>().is_ok());
        if schema["type"] == "integer" && !number {
            return Err(format!("the header {name} is {value:?} and not an integer"));
        }
    }
    Ok(())
}
