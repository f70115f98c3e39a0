//! Operations from text: a file of JSON or JSON lines, or what was typed into an editor.

use fieldhouse_client::api::changesets::NewChangeset;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::record::read_json;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Lines that start with this are comments.
const COMMENT: &str = "//";

/// A changeset's body from text: the body itself, a list of operations, or operations one in each line. Comments are left out.
pub(super) fn body(text: &str) -> Result<Value, Failure> {
    // Comments become empty lines, so that errors name the lines of the file.
    let is_comment = |line: &&str| line.trim_start().starts_with(COMMENT);
    let lines: Vec<&str> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(|line| if is_comment(&line) { "" } else { line })
        .collect();
    let whole = lines.join("\n");
    if whole.trim().is_empty() {
        return Err(Failure::usage("it is empty").next(FORMS));
    }
    match serde_json::from_str(&without_last_commas(&whole)) {
        Ok(Value::Array(operations)) => Ok(json!({"operations": operations})),
        Ok(Value::Object(operation)) if operation.contains_key("op") => {
            Ok(json!({"operations": [operation]}))
        }
        Ok(body @ Value::Object(_)) => Ok(body),
        Ok(_) => Err(Failure::usage("it contains neither a changeset nor operations").next(FORMS)),
        Err(error) => {
            let Some(operations) = json_lines(&lines) else {
                let place = format!("line {}, column {}", error.line(), error.column());
                return Err(Failure::usage(format!("it is not JSON at {place}")).next(FORMS));
            };
            Ok(json!({"operations": operations?}))
        }
    }
}

/// The same text with spaces instead of commas that end a list, so that its lines can be moved and left out.
fn without_last_commas(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut last, mut quoted, mut escaped) = (None, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => quoted = !quoted,
            _ if quoted || byte.is_ascii_whitespace() => {}
            b',' => {
                last = Some(at);
                continue;
            }
            b']' | b'}' => {
                if let Some(comma) = last {
                    bytes[comma] = b' ';
                }
            }
            _ => {}
        }
        escaped = quoted && byte == b'\\' && !escaped;
        if quoted || !byte.is_ascii_whitespace() {
            last = None;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

const FORMS: &str = "write a changeset, a list of operations, or one operation in each line; \
    `fieldhouse changesets new --edit` shows the form";

/// The operations of JSON lines. `None` if the first line is not JSON by itself.
fn json_lines(lines: &[&str]) -> Option<Result<Vec<Value>, Failure>> {
    let mut numbered = lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    let (_, first) = numbered.peek()?;
    serde_json::from_str::<Value>(first).ok()?;
    let read = numbered.map(|(at, line)| {
        serde_json::from_str(line)
            .map_err(|_| Failure::usage(format!("line {} is not JSON", at + 1)).next(FORMS))
    });
    Some(read.collect())
}

/// The body that the client sends. The rules of the contract are checked here, with the same messages.
pub(super) fn checked(body: &Value) -> Result<NewChangeset, Failure> {
    read_json(body, Vec::new()).map_err(|refusal| match refusal {
        Refusal::Invalid(errors) => {
            let line = |error: &fieldhouse_domain::FieldError| {
                let fix = error.fix.as_deref().unwrap_or_default();
                let name = error.pointer.trim_start_matches('/');
                format!("{name} {}. {fix}", error.message).trim_end().to_owned()
            };
            Failure::usage(errors.iter().map(line).collect::<Vec<_>>().join("; "))
        }
        other => Failure::usage(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        body(text).expect("a body")
    }

    fn wrong(text: &str) -> String {
        body(text).expect_err("a failure").what
    }

    #[test]
    fn a_body_a_list_and_lines_are_read() {
        let whole = json!({"title": "T", "operations": [{"op": "a"}]});
        assert_eq!(read(&whole.to_string()), whole);
        let two = json!({"operations": [{"op": "a"}, {"op": "b"}]});
        assert_eq!(read(r#"[{"op": "a"}, {"op": "b"}]"#), two);
        assert_eq!(read("\u{feff}{\"op\": \"a\"}\n\n// no\n{\"op\": \"b\"}\n"), two);
        assert_eq!(read(r#"{"op": "a"}"#), json!({"operations": [{"op": "a"}]}));
        assert_eq!(read("[{\"op\": \"a\"},\n {\"op\": \"b\"},\n]"), two);
        assert_eq!(read(r#"{"title": "a,] \",}",}"#), json!({"title": "a,] \",}"}));
        assert_eq!(read("// what\n{\n  // why\n  \"title\": \"a // b\"\n}"), json!({"title": "a // b"}));
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(wrong("{\"op\": \"a\"}\n// no\n{\"op\": b}"), "line 3 is not JSON");
        assert_eq!(wrong("{\n  \"title\": x\n}"), "it is not JSON at line 2, column 12");
        assert_eq!(wrong("7"), "it contains neither a changeset nor operations");
        assert_eq!(wrong("// nothing\n"), "it is empty");
        let failure = checked(&json!({"title": 7, "operation": []})).expect_err("a failure");
        assert!(failure.what.contains("title") && failure.what.contains("operation"), "{}", failure.what);
    }
}
