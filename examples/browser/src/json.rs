//! Minimal JSON writer for the flat objects that the page reads.

use core::fmt::{Display, Write};

/// An object under construction.
#[derive(Debug)]
pub(crate) struct Json(String);

impl Json {
    /// Starts an object.
    pub(crate) fn object() -> Self {
        Self("{".to_owned())
    }

    /// Adds a value whose display form is JSON, such as a number or a boolean.
    pub(crate) fn plain(mut self, name: &str, value: impl Display) -> Self {
        self.name(name);
        // Writing into a string cannot fail.
        let _ = write!(self.0, "{value}");
        self
    }

    /// Adds a string, escaped for JSON.
    pub(crate) fn text(mut self, name: &str, value: impl Display) -> Self {
        self.name(name);
        quote(&mut self.0, &value.to_string());
        self
    }

    /// Adds a list of values that are JSON already.
    pub(crate) fn list<T: Display>(mut self, name: &str, items: impl IntoIterator<Item = T>) -> Self {
        self.name(name);
        self.0.push_str(&list(items));
        self
    }

    /// Ends the object.
    pub(crate) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        quote(&mut self.0, name);
        self.0.push(':');
    }
}

/// Writes a list of values that are JSON already.
pub(crate) fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = "[".to_owned();
    for item in items {
        if text.len() > 1 {
            text.push(',');
        }
        let _ = write!(text, "{item}");
    }
    text.push(']');
    text
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let inner = Json::object().plain("n", 3).text("t", "a\"b\\c\nd…").end();
        assert_eq!(inner, r#"{"n":3,"t":"a\"b\\c\u000ad…"}"#);
        assert_eq!(
            Json::object().list("l", [inner.as_str(), "null"]).end(),
            format!("{{\"l\":[{inner},null]}}")
        );
        assert_eq!(Json::object().end(), "{}");
    }
}
