//! Titles of events, as people write them: `Dolphins @ Bears`, `Packers vs. Lions.  Wk-2.`, `Week 8: bye`.

use fieldhouse_domain::text;

/// The teams in a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) home: String,
    pub(super) away: String,
}

/// The words between two teams, and whether the first team is at home.
const SEPARATORS: [(&str, bool); 8] = [
    ("@", false),
    ("at", false),
    ("at.", false),
    ("vs", true),
    ("vs.", true),
    ("v", true),
    ("v.", true),
    ("versus", true),
];

/// The teams that meet. `own` is the team of the calendar, for titles such as `vs. Rebels` and `@ Rebels`.
pub(super) fn meeting(title: &str, own: Option<&str>) -> Option<Meeting> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let separator = |word: &&str| SEPARATORS.iter().find(|(text, _)| word.eq_ignore_ascii_case(text));
    let (place, first_at_home) =
        words.iter().enumerate().find_map(|(place, word)| separator(word).map(|found| (place, found.1)))?;
    let first = after_sentence(&words[..place].join(" ")).to_owned();
    let second = before_sentence(&words[place + 1..].join(" ")).to_owned();
    let first = if place == 0 { own?.to_owned() } else { first };
    if text::fold(&first).is_empty() || text::fold(&second).is_empty() {
        return None;
    }
    let (home, away) = if first_at_home { (first, second) } else { (second, first) };
    Some(Meeting { home, away })
}

/// Whether a title says that a team does not play.
pub(super) fn is_bye(title: &str) -> bool {
    let folded = text::fold(title);
    folded.split(' ').any(|word| word == "bye") || folded.contains("open date") || folded.contains("off week")
}

/// The text after the last sentence, label or number: of `Preseason Game #4 Green Bay`, `Green Bay`.
fn after_sentence(text: &str) -> &str {
    let numbered = text.rfind('#').map_or(0, |mark| {
        let rest = &text[mark + 1..];
        mark + 1 + rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len())
    });
    let sentence = text.match_indices(". ").filter(|(at, _)| !is_abbreviation(text, *at)).last();
    let label = text.rfind(": ").map_or(0, |at| at + 2);
    let start = numbered.max(sentence.map_or(0, |(at, _)| at + 2)).max(label);
    text[start..].trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '.' | ':' | '-'))
}

/// The text before the end of the sentence, a parenthesis or a dash: of `Titans.  Preseason. (Loss)`, `Titans`.
fn before_sentence(text: &str) -> &str {
    let ends = text.match_indices('.').filter(|(at, _)| {
        let follows = text[at + 1..].chars().next();
        follows.is_none_or(char::is_whitespace) && !is_abbreviation(text, *at)
    });
    let marks = ["(", ";", " - ", ", "].into_iter().filter_map(|mark| text.find(mark));
    let end = ends.map(|(at, _)| at).chain(marks).min().unwrap_or(text.len());
    text[..end].trim()
}

/// Whether the period at a place follows an abbreviation, as in `St. Louis`.
fn is_abbreviation(text: &str, at: usize) -> bool {
    let word = text[..at].rsplit(' ').next().unwrap_or_default();
    let letters = word.chars().all(char::is_alphabetic);
    letters && word.chars().count() <= 2 && at + 1 < text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_are_found_in_titles() {
        for (title, home, away) in [
            ("Dolphins @ Bears", "Bears", "Dolphins"),
            ("New York Giants at Green Bay. Loss. 7-14. (1-3).", "Green Bay", "New York Giants"),
            ("Packers vs. Titans.  Preseason.  State TV.  (Loss, 3-27).", "Packers", "Titans"),
            ("Preseason Game #4 Green Bay at Tennessee Titans.  State TV.", "Tennessee Titans", "Green Bay"),
            (
                "Preseason Game #3.Packers at Jacksonville Jaguars.  State TV. Lo",
                "Jacksonville Jaguars",
                "Packers",
            ),
            ("St. Louis Rams at Green Bay. Win. 45-17. (7-4).", "Green Bay", "St. Louis Rams"),
            ("Packers at. Bears.  Wk-4. (Win. 38-23).", "Bears", "Packers"),
            ("Packers vs. 49ers.  Wk-12.  Win.  20-10. (6-5)", "Packers", "49ers"),
            ("Pre-Season#1. Chargers at Green Bay.", "Green Bay", "Chargers"),
            ("U12: Magic v Rebels", "Magic", "Rebels"),
            ("Nevada Football vs San José State - Presented by: ", "Nevada Football", "San José State"),
        ] {
            let meeting = meeting(title, None).expect(title);
            assert_eq!((meeting.home.as_str(), meeting.away.as_str()), (home, away), "{title}");
        }
        let own = |title| meeting(title, Some("Magic")).map(|meeting| (meeting.home, meeting.away));
        assert_eq!(own("vs. Rebels"), Some(("Magic".to_owned(), "Rebels".to_owned())));
        assert_eq!(own("@ Rebels"), Some(("Rebels".to_owned(), "Magic".to_owned())));
    }

    #[test]
    fn other_titles_have_no_teams() {
        for title in [
            "Playoff #1. Packers-Vikings.  3:30 Fox.",
            "Superbowl!",
            "Practice",
            "vs",
            "vs. Rebels",
            "Magic vs",
            "",
        ] {
            assert_eq!(meeting(title, None), None, "{title}");
        }
        for title in ["Packers-Open Date", "Packers-Bye Week 8", "Bye-Week", "BYE"] {
            assert!(is_bye(title), "{title}");
        }
        assert!(!is_bye("Goodbye party"));
    }
}
