//! The rules of passwords, after NIST SP 800-63B: a length, and nothing that is easy to guess. No kind of character is required, and no
//! password expires.

use zxcvbn::Score;

use crate::text::{Email, InvalidValue};

/// The minimum length of a new password, in characters. NIST SP 800-63B-4 asks for 15 if it is the only factor and 8 with another; failed
/// sign-in attempts are limited, so that 12 is enough here.
pub const PASSWORD_MIN: usize = 12;
/// The maximum length of a password, in bytes.
pub const PASSWORD_MAX: usize = 1024;

/// The longest part of a password that is compared with words, in characters, because the comparison takes longer than linear time.
const COMPARED: usize = 64;

/// Checks a new password: its length, that it is not the e-mail address, and that it cannot be guessed from common passwords, words, the
/// name of this service and other names: those of the person and of their clubs.
pub fn check_password(password: &str, email: &Email, names: &[&str]) -> Result<(), InvalidValue> {
    let length = password.chars().count();
    if length < PASSWORD_MIN {
        let fix = format!("Send at least {PASSWORD_MIN} characters; a few words in a row work well.");
        return Err(InvalidValue::new("too_short", format!("has {length} characters"), fix));
    }
    if password.len() > PASSWORD_MAX {
        return Err(InvalidValue::new(
            "too_long",
            "is too long",
            format!("Send at most {PASSWORD_MAX} bytes."),
        ));
    }
    if password.to_lowercase() == email.folded() {
        return Err(InvalidValue::new("same_as_email", "is the e-mail address", "Choose another password."));
    }
    if is_easy(password, email, names) {
        let fix = "Choose a few words that others do not connect with you, your club or each other.";
        return Err(InvalidValue::new("too_easy", "is easy to guess", fix));
    }
    Ok(())
}

/// Whether fewer than 10^8 guesses find the password, which zxcvbn estimates.
fn is_easy(password: &str, email: &Email, names: &[&str]) -> bool {
    let email = email.folded();
    let known = ["fieldhouse", &*email].into_iter().chain(names.iter().copied());
    let known: Vec<String> = known.map(str::to_lowercase).collect();
    let joined: Vec<String> = known.iter().map(|name| name.split_whitespace().collect()).collect();
    let words = known.iter().flat_map(|name| name.split(|letter: char| !letter.is_alphanumeric()));
    let whole = known.iter().chain(&joined).map(String::as_str);
    let known: Vec<&str> = words.filter(|word| word.chars().count() > 2).chain(whole).collect();
    let compared: String = password.chars().take(COMPARED).collect();
    zxcvbn::zxcvbn(&compared, &known).score() < Score::Three
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(password: &str) -> Option<&'static str> {
        let email = Email::parse("robin.rook@club.example").expect("an address");
        let names = ["Robin Rook", "Coburg Basketball Association"];
        check_password(password, &email, &names).err().map(|wrong| wrong.code)
    }

    #[test]
    fn a_password_has_12_characters_to_1024_bytes() {
        assert_eq!(code("short word1"), Some("too_short"));
        assert_eq!(code("ein Äpfelchen"), None, "characters, not bytes");
        let long = "zebra lamp 91 ".repeat(80);
        assert_eq!(code(&long[..1024]), None);
        assert_eq!(code(&long[..1025]), Some("too_long"));
    }

    #[test]
    fn a_password_that_is_easy_to_guess_is_refused() {
        for easy in [
            "passwordpassword",
            "password1234",
            "qwertyuiop12",
            "aaaaaaaaaaaaaaa",
            "123456789012",
            "fieldhouse2026",
            "Fieldhouse123!",
            "robinrook2026",
            "coburgbasketball",
            "Coburg Basketball Association",
            "iloveyou1234",
        ] {
            assert_eq!(code(easy), Some("too_easy"), "{easy}");
        }
        assert_eq!(code("Robin.Rook@club.example"), Some("same_as_email"));
    }

    #[test]
    fn a_few_words_in_a_row_are_accepted() {
        for good in
            ["correct horse battery staple", "four words in a row", "a pitch after rain", "kT8#vw2Lm!qz"]
        {
            assert_eq!(code(good), None, "{good}");
        }
    }
}
