//! The content lines of a calendar (RFC 5545, section 3.1): unfolded, with name, parameters and value.
//!
//! The crates that read calendars bring a second library for dates, or are no longer maintained, and none of them reports the line of an
//! event. Dates, zones and durations are read by `jiff`, so that only the lines remain to be read here.

/// One content line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The line of the file on which it starts.
    pub(super) number: u64,
    /// Its name in upper case.
    pub(super) name: String,
    /// Its parameters, with names in upper case.
    pub(super) parameters: Vec<(String, String)>,
    /// Its value, still escaped.
    pub(super) value: String,
}

/// The content lines of a calendar. Lines without a colon are left out.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut unfolded: Vec<(u64, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        match (line.strip_prefix([' ', '\t']), unfolded.last_mut()) {
            (Some(rest), Some((_, before))) => before.push_str(rest),
            _ => unfolded.push((number, line.to_owned())),
        }
    }
    unfolded.iter().filter_map(|(number, line)| parsed(*number, line)).collect()
}

fn parsed(number: u64, line: &str) -> Option<Line> {
    let mut quoted = false;
    let colon = line.char_indices().find(|(_, letter)| {
        quoted ^= *letter == '"';
        *letter == ':' && !quoted
    })?;
    let (head, value) = (&line[..colon.0], &line[colon.0 + 1..]);
    let mut parts = outside_quotes(head).into_iter();
    let name = parts.next()?.trim().to_ascii_uppercase();
    let parameter = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_ascii_uppercase(), value.trim().trim_matches('"').to_owned()))
    };
    let parameters = parts.filter_map(parameter).collect();
    Some(Line { number, name, parameters, value: value.to_owned() })
}

/// The parts between semicolons that are not in quotation marks.
fn outside_quotes(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|letter| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    })
    .collect()
}

impl Line {
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value as text: `\n` is a line feed, and other escaped characters are themselves.
    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(self.value.len());
        let mut letters = self.value.chars();
        while let Some(letter) = letters.next() {
            match (letter, letter == '\\') {
                (_, true) => match letters.next() {
                    Some('n' | 'N') => text.push('\n'),
                    Some(other) => text.push(other),
                    None => {}
                },
                (letter, false) => text.push(letter),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_unfolded_and_split() {
        let text = "BEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:Mag\r\n ic\\, Reb\r\n\tels\\n2nd\\\\line\r\nnonsense\r\n\
                    dtstart;x=\"a;b:c\";TZID=\"Europe/Rome\":20230101T090000\r\nURL:https://a.example/?a=1&amp;b\r\n";
        let lines = lines(text);
        let names: Vec<_> = lines.iter().map(|line| (line.number, line.name.as_str())).collect();
        assert_eq!(names, [(1, "BEGIN"), (2, "SUMMARY"), (6, "DTSTART"), (7, "URL")]);
        assert_eq!(lines[1].text(), "Magic, Rebels\n2nd\\line");
        assert_eq!(
            (lines[2].parameter("TZID"), lines[2].parameter("X")),
            (Some("Europe/Rome"), Some("a;b:c"))
        );
        assert_eq!(lines[3].value, "https://a.example/?a=1&amp;b");
    }
}
