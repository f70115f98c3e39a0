//! Indents JSON, otherwise unchanged.

/// The same JSON with a line for each member, in the original order, which parsing it would lose.
pub(crate) fn indented(json: &str) -> String {
    let mut text = String::new();
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        let empty = matches!(letters.peek(), Some(']' | '}'));
        match letter {
            _ if quoted => {
                text.push(letter);
                quoted = escaped || letter != '"';
                escaped = letter == '\\' && !escaped;
            }
            _ if letter.is_ascii_whitespace() => {}
            '{' | '[' if !empty => {
                depth += 1;
                text.push(letter);
                start_line(&mut text, depth);
            }
            '}' | ']' if !text.ends_with(['{', '[']) => {
                depth -= 1;
                start_line(&mut text, depth);
                text.push(letter);
            }
            ',' => {
                text.push(letter);
                start_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => {
                text.push(letter);
                quoted = letter == '"';
            }
        }
    }
    text
}

fn start_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_indented_as_serde_does_it() {
        for value in [
            json!({"a": [1, {"b": []}, {}, "x, {y}: [\\\"z\\"], "c": null, "d": {"e": true}}),
            json!([]),
            json!("\\"),
            json!(7),
        ] {
            let wanted = serde_json::to_string_pretty(&value).expect("JSON");
            assert_eq!(indented(&value.to_string()), wanted);
            assert_eq!(indented(&wanted), wanted);
        }
        assert_eq!(indented(r#"{"b":1,"a":2}"#), "{\n  \"b\": 1,\n  \"a\": 2\n}");
    }
}
