//! A Markdown reader for the checks of documents: links, headings, commands.

/// Parts of a document that are checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    /// Targets of links and images.
    pub(crate) links: Vec<String>,
    /// Anchors that GitHub generates for the headings.
    pub(crate) anchors: Vec<String>,
    /// Lines of `sh`, `console` and `bash` blocks, and code spans that begin with `cargo `.
    pub(crate) commands: Vec<String>,
    /// Blocks that show a file: the path from a comment `<!-- file: … -->` before the block, and the text.
    pub(crate) shown: Vec<(String, String)>,
}

impl Document {
    pub(crate) fn read(text: &str) -> Self {
        let mut document = Self::default();
        let mut block: Option<String> = None;
        let mut file: Option<(String, String)> = None;
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some(language) = trimmed.strip_prefix("```") {
                document.shown.extend(block.is_some().then(|| file.take()).flatten());
                block = if block.is_some() { None } else { Some(language.to_owned()) };
                continue;
            }
            if let Some((_, shown)) = file.as_mut().filter(|_| block.is_some()) {
                shown.push_str(line);
                shown.push('\n');
            }
            if let Some(path) = trimmed.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"))
            {
                file = Some((path.to_owned(), String::new()));
            }
            match &block {
                Some(language) if ["sh", "console", "bash"].contains(&language.as_str()) => {
                    let command = trimmed.trim_start_matches("$ ");
                    document.commands.push(command.split(" #").next().unwrap_or_default().trim().to_owned());
                }
                Some(_) => {}
                None => document.prose(line),
            }
        }
        document.commands.retain(|command| !command.is_empty());
        document
    }

    fn prose(&mut self, line: &str) {
        if line.starts_with('#') {
            self.anchors.push(anchor(line.trim_start_matches('#')));
        }
        for (number, span) in line.split('`').enumerate() {
            // Every second piece is between two backticks.
            if number % 2 == 1 {
                if span.starts_with("cargo ") {
                    self.commands.push(span.to_owned());
                }
                continue;
            }
            self.links_of(span);
        }
    }

    fn links_of(&mut self, text: &str) {
        for (at, _) in text.match_indices("](") {
            let rest = text.get(at + 2..).unwrap_or_default();
            if let Some((target, _)) = rest.split_once(')') {
                self.links.push(target.to_owned());
            }
        }
    }
}

fn anchor(heading: &str) -> String {
    heading
        .trim()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_anchors_and_commands_are_found() {
        let text = "# What it is\nSee [the `core`](core/) and `cargo xtask test`, [here](#what-it-is).\n\
                    ```sh\n$ cargo run --bin x   # comment\n```\n```rust\nlet a = b[0](c);\n```\n";
        assert_eq!(
            Document::read(text),
            Document {
                links: vec!["core/".into(), "#what-it-is".into()],
                anchors: vec!["what-it-is".into()],
                commands: vec!["cargo xtask test".into(), "cargo run --bin x".into()],
                shown: vec![],
            }
        );
    }

    #[test]
    fn a_block_that_shows_a_file_is_found_with_its_text() {
        let text = "<!-- file: a/b.py -->\n```python\nx = 1\n\ny = 2\n```\n```python\nother\n```\n";
        let shown = vec![("a/b.py".to_owned(), "x = 1\n\ny = 2\n".to_owned())];
        assert_eq!(Document::read(text).shown, shown);
    }
}
