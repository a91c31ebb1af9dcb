//! Enums with one spelling for JSON, database text, CSS and MCP. Not `strum`: its error does not
//! list the accepted words, and serde would need every spelling a second time.

/// Text that is not one of the enum's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a {what}; expected one of: {expected}")]
pub struct ParseEnumError {
    /// What the enum stands for, as shown to the user: `sport`, `goal`.
    pub what: &'static str,
    pub given: String,
    /// The accepted words, separated by commas.
    pub expected: String,
}

/// Defines an enum with one string per variant, shared by `as_str`, `ALL`, `Display`, `FromStr` and
/// serde.
#[macro_export]
macro_rules! string_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident ($what:literal) {
            $( $(#[$vmeta:meta])* $variant:ident = $word:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $( $(#[$vmeta])* $variant, )+
        }

        impl $name {
            /// Every variant, in the order of definition.
            $vis const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The string used in the database, in JSON, in CSS classes and over MCP.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ParseEnumError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text).ok_or_else(|| {
                    let expected: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
                    $crate::ParseEnumError { what: $what, given: text.to_owned(), expected: expected.join(", ") }
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use string_enum;
