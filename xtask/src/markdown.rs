//! Extracts from a Markdown document the parts that are checked: links, anchors and commands.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Links, anchors and commands of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    /// Targets of links and images.
    pub(crate) links: Vec<String>,
    /// Anchors that GitHub makes of the headings.
    pub(crate) anchors: Vec<String>,
    /// Lines of `sh`, `console` and `bash` blocks, and code spans that begin with `cargo `.
    pub(crate) commands: Vec<String>,
}

impl Document {
    pub(crate) fn read(text: &str) -> Self {
        let mut document = Self::default();
        let mut heading: Option<String> = None;
        let mut block: Option<(String, String)> = None;
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    document.anchors.extend(heading.take().map(|text| anchor(&text)))
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.into_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some((language, String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((language, text)) = block.take() {
                        document.end_block(&language, &text);
                    }
                }
                Event::Text(text) => {
                    if let Some((_, block)) = &mut block {
                        block.push_str(&text);
                    }
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::Code(code) => {
                    if code.starts_with("cargo ") {
                        document.commands.push(code.to_string());
                    }
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    }
                }
                _ => {}
            }
        }
        document
    }

    fn end_block(&mut self, language: &str, text: &str) {
        if ["sh", "console", "bash"].contains(&language) {
            let commands = text.lines().map(|line| line.trim().trim_start_matches("$ "));
            let commands = commands.map(|command| command.split(" #").next().unwrap_or_default().trim());
            self.commands.extend(commands.filter(|command| !command.is_empty()).map(str::to_owned));
        }
    }
}

/// The anchor that GitHub makes of a heading.
pub(crate) fn anchor(heading: &str) -> String {
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
            }
        );
    }
}
