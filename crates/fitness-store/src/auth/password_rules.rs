//! Password rules: length, common passwords, simple patterns and the user's own name.

use crate::db::error::{Error, Result};

const PASSWORD_LENGTH: std::ops::RangeInclusive<usize> = 8..=200;

/// Keyboard, number and alphabet rows. A password that is a substring of one is rejected, in either
/// direction.
const KEYBOARD_SEQUENCES: &[&str] = &[
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "qazwsxedcrfvtgbyhnujm",
];

/// Common passwords of at least eight characters, lowercase and sorted.
const COMMON_PASSWORDS: &[&str] = &[
    "11223344",
    "1234qwer",
    "123abc123",
    "12344321",
    "123456789a",
    "12345678a",
    "12345678q",
    "1234567a",
    "123456aa",
    "123qwe123",
    "123qweasd",
    "147258369",
    "19841984",
    "1q2w3e4r!",
    "1qazxsw2",
    "31415926",
    "741852963",
    "789456123",
    "87654321a",
    "987654321a",
    "a1234567",
    "a12345678",
    "a123456789",
    "a1b2c3d4",
    "aa123456",
    "aa12345678",
    "abc12345",
    "abc123456",
    "abcd1234",
    "abcd12345",
    "access14",
    "admin123",
    "admin1234",
    "administrator",
    "alexander",
    "america1",
    "arsenal1",
    "asd12345",
    "asdf1234",
    "asdfasdf",
    "asdfghjkl1",
    "babygirl",
    "babygirl1",
    "barcelona",
    "baseball",
    "baseball1",
    "basketball",
    "benjamin",
    "berlin123",
    "blink182",
    "bonjour1",
    "brooklyn",
    "butterfly",
    "caroline",
    "changeme",
    "changeme1",
    "charlie1",
    "charlotte",
    "chelsea1",
    "chocolate",
    "christian",
    "computer",
    "computer1",
    "corvette",
    "cristina",
    "danielle",
    "default1",
    "diamond1",
    "dolphins",
    "dragon123",
    "einstein",
    "elephant",
    "elizabeth",
    "evolution",
    "fitness1",
    "fitness123",
    "football",
    "football1",
    "formula1",
    "forever1",
    "freedom1",
    "friends1",
    "fuckyou1",
    "garfield",
    "gabriele",
    "garmin123",
    "geheim123",
    "hallo123",
    "hello123",
    "hellohello",
    "helloworld",
    "homer123",
    "hunter123",
    "iloveyou",
    "iloveyou!",
    "iloveyou1",
    "iloveyou2",
    "internet",
    "isabella",
    "jennifer",
    "jessica1",
    "jonathan",
    "jordan23",
    "justinbieber",
    "kennwort",
    "letmein1",
    "letmein123",
    "lightning",
    "liverpool",
    "liverpool1",
    "lollipop",
    "lovelove",
    "loveyou1",
    "marathon",
    "marathon1",
    "marlboro",
    "mercedes",
    "metallica",
    "michael1",
    "michelle",
    "midnight",
    "minecraft",
    "monkey123",
    "mustang1",
    "mypassword",
    "nicholas",
    "nintendo",
    "p@55w0rd",
    "p@ssw0rd",
    "p@ssw0rd1",
    "p@ssword",
    "pa$$w0rd",
    "pa$$word",
    "pakistan",
    "panthers",
    "passport",
    "passw0rd",
    "passw0rd1",
    "password",
    "password!",
    "password0",
    "password01",
    "password1",
    "password1!",
    "password11",
    "password12",
    "password123",
    "password1234",
    "password2",
    "password3",
    "password99",
    "passwort",
    "passwort1",
    "patrick1",
    "pineapple",
    "platinum",
    "pokemon1",
    "precious",
    "princess",
    "princess1",
    "qwe12345",
    "qwer1234",
    "qwerty12",
    "qwerty123",
    "qwerty1234",
    "qwerty12345",
    "qwertyui1",
    "rainbow1",
    "realmadrid",
    "remember",
    "runner123",
    "running1",
    "running123",
    "salasana",
    "samantha",
    "samsung1",
    "schatzi1",
    "scorpion",
    "secret123",
    "shadow123",
    "slipknot",
    "snowball",
    "sommer123",
    "spiderman",
    "startrek",
    "starwars",
    "starwars1",
    "strava123",
    "stephanie",
    "steelers",
    "sterling",
    "summer123",
    "sunshine",
    "sunshine1",
    "superman",
    "superman1",
    "superstar",
    "swordfish",
    "test1234",
    "test12345",
    "testtest",
    "thomas123",
    "trustno1",
    "trustno1!",
    "undertaker",
    "veronica",
    "victoria",
    "warcraft",
    "webmaster",
    "welcome!",
    "welcome1",
    "welcome12",
    "welcome123",
    "whatever",
    "whatever1",
    "william1",
    "winter123",
    "wordpass",
    "yankees1",
    "zaq12wsx",
];

/// Checks a new password for a user of this name.
///
/// # Errors
/// `BadPassword` if the length is wrong, `WeakPassword` with the reason if it is easy to guess.
pub fn check_password(name: &str, password: &str) -> Result<()> {
    if !PASSWORD_LENGTH.contains(&password.chars().count()) {
        return Err(Error::BadPassword);
    }
    find_weakness(name, password).map_or(Ok(()), |why| Err(Error::WeakPassword(why)))
}

fn find_weakness(name: &str, password: &str) -> Option<&'static str> {
    let lower = password.to_lowercase();
    let letters: Vec<char> = lower.chars().collect();
    if password.trim().is_empty() {
        Some("it is only spaces")
    } else if COMMON_PASSWORDS.contains(&lower.trim()) {
        Some("it is one of the most common passwords")
    } else if is_repeated(&letters) {
        Some("it repeats the same few characters")
    } else if is_keyboard_sequence(&lower) {
        Some("it is a sequence of neighbouring keys, numbers or letters")
    } else if is_based_on_name(name, &lower) {
        Some("it is your name")
    } else {
        None
    }
}

/// A pattern of one to three characters, repeated throughout.
fn is_repeated(letters: &[char]) -> bool {
    (1..=3).any(|length| letters.iter().zip(letters.iter().skip(length)).all(|(one, next)| one == next))
}

fn is_keyboard_sequence(lower: &str) -> bool {
    let backwards: String = lower.chars().rev().collect();
    KEYBOARD_SEQUENCES.iter().any(|run| run.contains(lower) || run.contains(&backwards))
}

/// The user's name, once or repeated, with or without digits and punctuation.
fn is_based_on_name(name: &str, lower: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|letter| letter.is_alphabetic()).collect::<String>();
    let (name, left) = (plain(&name.to_lowercase()), plain(lower));
    !name.is_empty() && !left.is_empty() && left.replace(&name, "").is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_passwords_are_unique_lowercase_and_of_allowed_length() {
        for (at, password) in COMMON_PASSWORDS.iter().enumerate() {
            assert!(password.chars().count() >= 8 && *password == password.to_lowercase(), "{password}");
            assert!(!COMMON_PASSWORDS[..at].contains(password), "{password} is listed twice");
        }
        assert!(COMMON_PASSWORDS.len() >= 150, "{}", COMMON_PASSWORDS.len());
    }

    #[test]
    fn blank_common_patterned_and_own_name_passwords_are_refused() {
        let weak = [
            "        ",
            "\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}",
            "password",
            "PassWord",
            " password ",
            "iloveyou",
            "aaaaaaaa",
            "........",
            "abababab",
            "123123123",
            "12345678",
            "1234567890",
            "87654321",
            "qwertyui",
            "poiuytrewq",
            "abcdefghij",
            "1q2w3e4r5t",
            "zoëzoëzoë",
            "Zoë12345",
            "zoë-2026!",
        ];
        for password in weak {
            assert!(matches!(check_password("Zoë", password), Err(Error::WeakPassword(_))), "{password:?}");
        }
        assert!(matches!(check_password("Zoë", "short"), Err(Error::BadPassword)));
        assert!(matches!(check_password("Zoë", &"ab1".repeat(100)), Err(Error::BadPassword)));
        for fine in [
            "three random words",
            "long enough",
            "correct horse",
            "zoë runs at dawn",
            "2026-06-14 8k",
            "12345679x",
        ] {
            assert!(check_password("Zoë", fine).is_ok(), "{fine:?}");
        }
        assert!(check_password("", "12 34 5 678").is_ok(), "no name is no pattern");
    }
}
