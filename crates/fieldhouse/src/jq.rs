//! jq expressions over JSON output, for `--jq`.

use std::str::FromStr;

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, Error, File, Loader, parse};
use jaq_core::{Compiler, Ctx, Filter, Vars};
use jaq_json::{Val, read, write};

use crate::failure::Failure;

/// Formats of jq that the library leaves to its program.
const FORMATS: &str = r#"
def @csv: map(if isstring then "\"" + gsub("\""; "\"\"") + "\"" elif . == null then "" else tostring end) | join(",");
def escaped: gsub("\\\\"; "\\\\") | gsub("\t"; "\\t") | gsub("\n"; "\\n") | gsub("\r"; "\\r");
def @tsv: map(if isstring then escaped elif . == null then "" else tostring end) | join("\t");
"#;

/// A jq expression that compiles.
#[derive(Clone, Debug)]
pub(crate) struct Expression(String);

impl FromStr for Expression {
    type Err = String;
    fn from_str(code: &str) -> Result<Self, String> {
        compile(code).map(|_| Self(code.to_owned()))
    }
}

impl Expression {
    /// The results for this JSON, one in each line: strings without quotes, everything else as JSON. Returns them with the error that
    /// ended the evaluation.
    pub(crate) fn apply(&self, json: &[u8]) -> (Vec<u8>, Result<(), Failure>) {
        let mut lines = Vec::new();
        let result = self.evaluate(json, &mut lines);
        (lines, result.map_err(|why| Failure::new(format!("--jq: {why}"))))
    }

    fn evaluate(&self, json: &[u8], lines: &mut Vec<u8>) -> Result<(), String> {
        let input = read::parse_single(json).map_err(|error| error.to_string())?;
        let filter = compile(&self.0)?;
        let context = Ctx::<JustLut<Val>>::new(&filter.lut, Vars::new([]));
        for result in filter.id.run((context, input)) {
            match result {
                Ok(Val::TStr(text) | Val::BStr(text)) => lines.extend_from_slice(&text),
                Ok(value) => {
                    write::write(lines, &write::Pp::default(), 0, &value)
                        .map_err(|error| error.to_string())?;
                }
                // Anything but an error is `halt`, which ends the output.
                Err(exception) => return exception.get_err().map_or(Ok(()), |error| Err(error.to_string())),
            }
            lines.push(b'\n');
        }
        Ok(())
    }
}

fn compile(code: &str) -> Result<Filter<JustLut<Val>>, String> {
    let formats = parse(FORMATS, |parser| parser.defs()).unwrap_or_default();
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(formats);
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(definitions).load(&arena, File { code, path: () });
    let modules = modules.map_err(|errors| {
        let first = errors.into_iter().next().map(|(_, error)| explain(code, error));
        first.unwrap_or_else(|| "is not a jq expression".to_owned())
    })?;
    Compiler::default().with_funs(functions).compile(modules).map_err(|errors| {
        let unknown = errors.into_iter().flat_map(|(_, errors)| errors);
        let unknown = unknown.map(|(name, kind)| format!("unknown {} {name}", kind.as_str()));
        unknown.collect::<Vec<_>>().join(", ")
    })
}

/// The first error of the parser, with its place.
fn explain(code: &str, error: Error<&str>) -> String {
    let found = match error {
        Error::Lex(errors) => errors.into_iter().next().map(|(expected, found)| (expected.as_str(), found)),
        Error::Parse(errors) => errors.into_iter().next().map(|(expected, found)| (expected.as_str(), found)),
        Error::Io(errors) => return errors.into_iter().map(|(_, text)| text).collect(),
    };
    let Some((expected, found)) = found else { return "is not a jq expression".to_owned() };
    let before = code.len().saturating_sub(found.len());
    let place = code.get(..before).map_or(before, |text| text.chars().count()) + 1;
    let expected = if expected == "nothing" { "the end" } else { expected };
    format!("expected {expected} at character {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jq(code: &str, json: &str) -> String {
        let (lines, result) = code.parse::<Expression>().expect("an expression").apply(json.as_bytes());
        let error = result.err().map(|error| error.to_string()).unwrap_or_default();
        String::from_utf8(lines).expect("text") + &error
    }

    #[test]
    fn strings_are_printed_without_quotes_and_objects_in_their_order() {
        let games = r#"[{"name": "b", "n": 1}, {"name": "a\nc", "n": null}]"#;
        assert_eq!(jq(".[].name", games), "b\na\nc\n");
        assert_eq!(jq(".[0], length", games), "{\"name\":\"b\",\"n\":1}\n2\n");
        assert_eq!(jq("map(select(.n)) | .[] | [.name, .n] | @csv", games), "\"b\",1\n");
        assert_eq!(jq(". | @csv", r#"["a\"b", 1, null, true]"#), "\"a\"\"b\",1,,true\n");
        assert_eq!(jq("@tsv", r#"["a\tb\\", 1, null]"#), "a\\tb\\\\\t1\t\n");
        assert_eq!(jq("1, halt, 2", "null"), "1\n");
        assert_eq!(jq(".[] | test(\"^a\")", "[\"ab\"]"), "true\n");
    }

    #[test]
    fn results_before_an_error_are_printed() {
        assert_eq!(jq("1, error(\"no\")", "null"), "1\n--jq: \"no\"");
    }

    #[test]
    fn an_invalid_expression_is_refused_with_its_place() {
        let refused = |code: &str| code.parse::<Expression>().expect_err("invalid");
        assert_eq!(refused(".a |"), "expected term at character 5");
        assert_eq!(refused(".[0"), "expected closing bracket at character 4");
        assert_eq!(refused("nonsense(1)"), "unknown filter nonsense");
    }
}
