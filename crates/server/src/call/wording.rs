//! What the parsers say of a value, in words for whoever wrote it: what is wrong, and what to write instead.

/// What is wrong with a value, and what would be right.
pub(super) struct Wording {
    pub(super) message: String,
    pub(super) fix: Option<String>,
}

/// How the types of this program are called outside of it. Those that serde calls something fit to be read are left out.
const KINDS: &[(&[&str], &str)] = &[
    (
        &[
            "i8",
            "i16",
            "i32",
            "i64",
            "u8",
            "u16",
            "u32",
            "u64",
            "usize",
            "invalid digit",
            "cannot parse integer",
        ],
        "a whole number",
    ),
    (&["number too"], "a smaller number"),
    (&["f32", "f64"], "a number"),
    (&["a boolean", "provided string was not `true`"], "true or false"),
    (&["a string", "a borrowed string", "string or"], "a text"),
    (&["a sequence"], "a list"),
    (&["struct ", "a map", "internally tagged"], "an object"),
    (&["failed to ", "a timestamp", "an instant", "parsed "], "a time such as 2026-05-01T09:15:00Z"),
];

/// Puts the reason of a parser into words.
pub(super) fn of(reason: &str) -> Wording {
    let reason = reason.split(" at line ").next().unwrap_or(reason);
    let (wrong, expected) = match reason.split_once("expected ") {
        // The parser of times says what it expected of single letters.
        Some((wrong, _)) if wrong.starts_with("failed to ") => ("", wrong),
        Some((wrong, expected)) => (wrong.trim_end_matches([' ', ',', ':']), expected),
        None => ("", reason),
    };
    let known = |(starts, _): &&(&[&str], &str)| starts.iter().any(|start| expected.starts_with(start));
    if wrong.starts_with("unknown variant") {
        return Wording {
            message: "is none of the values that there are".to_owned(),
            fix: Some(format!("write {expected}")),
        };
    }
    if let Some((_, kind)) = KINDS.iter().find(known) {
        return Wording { message: format!("is not {kind}"), fix: Some(format!("write {kind}")) };
    }
    match wrong {
        "" => Wording { message: format!("cannot be taken: {reason}"), fix: None },
        wrong if wrong.starts_with("invalid ") => {
            Wording { message: format!("is not {expected}"), fix: Some(format!("write {expected}")) }
        }
        wrong => Wording { message: format!("is {wrong}"), fix: Some(format!("write {expected}")) },
    }
}

#[cfg(test)]
mod tests {
    use fieldhouse_api::day::Day;
    use fieldhouse_domain::ids::ProgramId;
    use fieldhouse_domain::roles::Role;
    use jiff::Timestamp;
    use serde::de::DeserializeOwned;

    use super::*;

    fn words<T: DeserializeOwned>(json: &str) -> (String, String) {
        let error = serde_json::from_str::<T>(json).err().expect("something wrong");
        let Wording { message, fix } = of(&error.to_string());
        (message, fix.unwrap_or_default())
    }

    fn pair(message: &str, fix: &str) -> (String, String) {
        (message.to_owned(), fix.to_owned())
    }

    #[test]
    fn no_type_of_this_program_is_named_to_its_users() {
        let number = pair("is not a whole number", "write a whole number");
        assert_eq!(words::<i64>("\"219718\""), number);
        assert_eq!(words::<u32>("-1"), number);
        assert_eq!(words::<bool>("1"), pair("is not true or false", "write true or false"));
        assert_eq!(words::<String>("1"), pair("is not a text", "write a text"));
        assert_eq!(words::<Vec<i64>>("{}"), pair("is not a list", "write a list"));
        let time = "a time such as 2026-05-01T09:15:00Z";
        for text in ["\"tomorrow\"", "\"2026-05-01\"", "5", "\"2026-13-01T00:00:00Z\""] {
            let expected = (format!("is not {time}"), format!("write {time}"));
            assert_eq!(words::<Timestamp>(text), expected, "{text}");
        }
        let day = pair("is not a day", "write one such as 2026-05-31, of the years 1900 to 2199");
        assert_eq!(words::<Day>("\"tomorrow\""), day);
        assert_eq!(words::<ProgramId>("\"prg_x\"").0, "is not an id of this kind");
        assert_eq!(words::<Role>("\"king\"").0, "is none of the values that there are");
        assert!(words::<Role>("\"king\"").1.contains("`owner`"));
    }
}
