//! Descriptions: read from rustdoc's form, written in the form of each language.

use crate::model::{Docs, Function};
use crate::names::{camel, javascript, python_parameter};

/// The longest line of a description, with its indentation.
const WIDTH: usize = 120;

/// A documentation format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Docstrings: names in backticks, errors as a sentence.
    Python,
    /// TSDoc: `{@link …}` and `@throws`.
    TypeScript,
    /// KDoc: `[…]` and `@throws`.
    Kotlin,
}

/// Reads the lines of a comment: the description, then the errors, of which each begins a line with its link.
///
/// # Errors
/// A text, if an empty line follows the first error.
pub fn read(lines: &[String]) -> Result<Docs, String> {
    let mut docs = Docs::default();
    for line in lines.iter().map(|line| line.trim()) {
        let link = line.strip_prefix("[`Error::").and_then(|rest| rest.split_once("`]"));
        match (link, docs.errors.last_mut()) {
            (Some((name, rest)), _) => {
                let rest = rest.strip_prefix("(quorate::Error)").unwrap_or(rest);
                docs.errors.push((name.to_owned(), rest.trim().to_owned()));
            }
            (None, Some(_)) if line.is_empty() => {
                return Err("an empty line follows the list of errors".to_owned());
            }
            (None, Some((_, when))) => *when = format!("{when} {line}"),
            (None, None) => {
                let between = if docs.text.is_empty() || docs.text.ends_with('\n') { "" } else { " " };
                docs.text += &if line.is_empty() { "\n\n".to_owned() } else { format!("{between}{line}") };
            }
        }
    }
    docs.text = docs.text.trim().to_owned();
    Ok(docs)
}

impl Style {
    /// A function's description as a comment or docstring, with `indent` spaces before each line; ends with a newline.
    pub(crate) fn function(self, function: &Function, indent: usize) -> String {
        let mut docs = function.docs.clone();
        for parameter in &function.parameters {
            let written = match self {
                Style::Python => format!("`{}`", python_parameter(&parameter.name)),
                Style::TypeScript => format!("`{}`", javascript(&parameter.name)),
                Style::Kotlin => format!("[{}]", camel(&parameter.name)),
            };
            docs.text = docs.text.replace(&format!("`{}`", parameter.name), &written);
        }
        self.comment(&docs, indent)
    }

    /// A text as a comment or docstring.
    pub(crate) fn text(self, text: &str, indent: usize) -> String {
        self.comment(&Docs { text: text.to_owned(), errors: Vec::new() }, indent)
    }

    /// A description as a comment or docstring.
    pub(crate) fn comment(self, docs: &Docs, indent: usize) -> String {
        let paragraphs = self.paragraphs(docs);
        let space = " ".repeat(indent);
        if self == Style::Python {
            let lines = wrap(&paragraphs, WIDTH - indent);
            let lines: String = lines.iter().map(|line| format!("{space}{line}\n")).collect();
            return format!("{space}\"\"\"\n{lines}{space}\"\"\"\n").replace(&format!("{space}\n"), "\n");
        }
        // Kotlin nests some classes in others, which indents their wrapped comments by up to eight more columns.
        let deeper = if self == Style::Kotlin { 8 } else { 0 };
        let lines = wrap(&paragraphs, WIDTH - indent - 3 - deeper);
        match lines.as_slice() {
            [] => String::new(),
            [line] if indent + line.len() + 7 <= WIDTH => format!("{space}/** {line} */\n"),
            lines => {
                let body: String = lines.iter().map(|line| format!("{space} * {line}\n")).collect();
                format!("{space}/**\n{body}{space} */\n").replace(" * \n", " *\n")
            }
        }
    }

    /// A description as the comments of generated Rust, which pyo3 makes docstrings.
    pub(crate) fn rust(self, function: &Function, indent: usize) -> String {
        let text = self.function(function, 0);
        let lines = text.lines().filter(|line| *line != "\"\"\"");
        lines.map(|line| format!("{}/// {line}\n", " ".repeat(indent))).collect()
    }

    fn paragraphs(self, docs: &Docs) -> Vec<String> {
        let mut paragraphs: Vec<String> =
            docs.text.split("\n\n").filter(|text| !text.is_empty()).map(|text| self.links(text)).collect();
        let errors = docs.errors.iter().map(|(name, when)| {
            let when = self.links(when);
            match self {
                Style::Python => format!("Raises `{name}Error` {when}"),
                Style::TypeScript => format!("@throws {{@link {name}Error}} {when}"),
                Style::Kotlin => format!("@throws QuorateException.{name} {when}"),
            }
        });
        match (self, paragraphs.last_mut()) {
            (Style::Python, Some(last)) => errors.for_each(|error| *last = format!("{last} {error}")),
            _ => paragraphs.push(errors.collect::<Vec<_>>().join("\n")),
        }
        paragraphs.retain(|paragraph| !paragraph.is_empty());
        paragraphs
    }

    /// Rewrites the links: [`Path::leaf_count`] is a name in the language's own form.
    fn links(self, text: &str) -> String {
        let mut parts = text.split("[`");
        let mut all = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let Some((path, rest)) = part.split_once("`]") else {
                all += &format!("[`{part}");
                continue;
            };
            let names: Vec<String> = path.split("::").map(|name| self.name(name)).collect();
            let name = names.join(".");
            all += &match self {
                Style::Python => format!("`{name}`"),
                Style::TypeScript => format!("{{@link {name}}}"),
                Style::Kotlin => format!("[{name}]"),
            };
            all += rest;
        }
        all
    }

    fn name(self, name: &str) -> String {
        match self {
            Style::Python => name.to_owned(),
            Style::TypeScript => javascript(name),
            Style::Kotlin => camel(name),
        }
    }
}

/// Wraps paragraphs, with an empty line between them; a line break in a paragraph stays.
fn wrap(paragraphs: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, paragraph) in paragraphs.iter().enumerate() {
        if at > 0 {
            lines.push(String::new());
        }
        for part in paragraph.lines() {
            let mut line = String::new();
            for word in part.split_whitespace() {
                if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                    lines.push(std::mem::take(&mut line));
                }
                line = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            }
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn docs() -> Docs {
        let lines =
            ["Verifies; see [`Path::leaf_count`].", "[`Error::WrongContext`] if it leads", "elsewhere."];
        read(&lines.map(str::to_owned)).unwrap()
    }

    #[test]
    fn links_and_errors_take_the_form_of_each_language() {
        let expected = "\"\"\"\nVerifies; see `Path.leaf_count`. Raises `WrongContextError` if it leads elsewhere.\n\"\"\"\n";
        assert_eq!(Style::Python.comment(&docs(), 0), expected);
        let expected = "  /**\n   * Verifies; see {@link Path.leafCount}.\n   *\n   * @throws {@link WrongContextError} if it leads elsewhere.\n   */\n";
        assert_eq!(Style::TypeScript.comment(&docs(), 2), expected);
        let expected = "/**\n * Verifies; see [Path.leafCount].\n *\n * @throws QuorateException.WrongContext if it leads elsewhere.\n */\n";
        assert_eq!(Style::Kotlin.comment(&docs(), 0), expected);
    }

    #[test]
    fn short_descriptions_take_one_line_and_long_ones_are_wrapped() {
        assert_eq!(Style::Kotlin.text("Returns it.", 4), "    /** Returns it. */\n");
        let long = Style::TypeScript.text("word ".repeat(60).trim(), 2);
        assert!(long.lines().all(|line| line.len() <= WIDTH));
    }

    #[test]
    fn a_text_after_the_errors_is_refused() {
        let lines = ["Verifies.", "[`Error::Rng`] if it fails", "", "See there."].map(str::to_owned);
        assert!(read(&lines).unwrap_err().contains("an empty line"));
    }
}
