//! The languages of the tests.

/// A value, or what is unknown in the source.
pub(super) type Outcome<T> = Result<T, String>;

/// A language of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A module with the dictionary `OPERATIONS`.
    Python,
    /// A module that exports `operations(q, support)`, for a package and the functions that the tests have.
    JavaScript,
    /// An object with the function `run`.
    Kotlin,
}

impl Language {
    /// The text of this language, of those for Python, JavaScript and Kotlin, with the values in place of `{0}`, `{1}` and
    /// `{2}`.
    pub(super) fn form(self, texts: [&str; 3], values: &[&str]) -> String {
        let [python, javascript, kotlin] = texts;
        let mut parts = match self {
            Self::Python => python,
            Self::JavaScript => javascript,
            Self::Kotlin => kotlin,
        }
        .split('{')
        .map(str::to_owned);
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |all, part| {
            let value = part
                .split_once('}')
                .and_then(|(at, rest)| Some((values.get(at.parse::<usize>().ok()?)?, rest)));
            value.map_or_else(|| format!("{all}{{{part}"), |(value, rest)| format!("{all}{value}{rest}"))
        })
    }
}
