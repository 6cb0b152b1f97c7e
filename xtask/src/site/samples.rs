//! Code samples of the guides, side by side in tabs. A sample is part of a file that other steps test: a guide names the
//! files, and none of their text is repeated.
//!
//! ```text
//! <!-- tabs
//! Rust: core/src/sortition/mod.rs
//! Python: bindings/python/README.md#leader-sortition
//! -->
//! ```
//!
//! A library's source stands for its documentation, any other file for its whole text. `#anchor:2` takes the first two
//! blocks of a section, `#:2` those of the whole document.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::markdown::anchor;
use crate::process::Outcome;

/// The start of a comment that stands for tabs.
const TABS: &str = "<!-- tabs\n";

/// A tab: its title, the file with the code, and the code as Markdown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) title: String,
    /// The file, and the heading whose section has the code, for a link.
    pub(super) source: PathBuf,
    pub(super) anchor: Option<String>,
    pub(super) blocks: Vec<Block>,
}

/// A block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) code: String,
}

/// Replaces each comment with tabs by what `shown` makes of its samples.
pub(super) fn expand(
    root: &Path,
    text: &str,
    shown: impl Fn(&[Sample]) -> Outcome<String>,
) -> Outcome<String> {
    replace_comments(text, TABS, |lines| {
        let samples = lines.lines().filter(|line| !line.trim().is_empty());
        shown(&samples.map(|line| Sample::read(root, line)).collect::<Outcome<Vec<_>>>()?)
    })
}

impl Sample {
    /// Reads the sample of a line `Title: path#anchor:count`.
    fn read(root: &Path, line: &str) -> Outcome<Self> {
        let malformed = || format!("expected `Title: file#anchor:count`, found `{line}`");
        let (title, place) = line.split_once(": ").ok_or_else(malformed)?;
        let (path, section) = match place.trim().split_once('#') {
            Some((path, section)) => (path, Some(section)),
            None => (place.trim(), None),
        };
        let (anchor, count) = match section.and_then(|section| section.split_once(':')) {
            Some((anchor, count)) => (Some(anchor), count.parse().map_err(|_| malformed())?),
            None => (section, usize::MAX),
        };
        let anchor = anchor.filter(|anchor| !anchor.is_empty());
        let text = fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        let is_library = path.ends_with(".rs") && path.contains("/src/");
        let mut blocks = if is_library {
            blocks(&module_documentation(&text), anchor)
        } else if path.ends_with(".md") {
            blocks(&text, anchor)
        } else {
            vec![Block { language: language(path).to_owned(), code: text }]
        };
        // Other languages of the same section: Java beside Kotlin.
        let first = blocks.first().map(|block| block.language.clone());
        blocks.retain(|block| Some(&block.language) == first.as_ref());
        blocks.truncate(count);
        if blocks.is_empty() {
            return Err(format!("`{place}` has no code"));
        }
        let anchor = anchor.map(str::to_owned);
        Ok(Self { title: title.trim().to_owned(), source: PathBuf::from(path), anchor, blocks })
    }
}

/// Replaces each comment that begins with `start`, a whole line, by what `replace` makes of its other lines.
pub(super) fn replace_comments(
    text: &str,
    start: &str,
    replace: impl Fn(&str) -> Outcome<String>,
) -> Outcome<String> {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(start) {
        let (lines, after) =
            after.split_once("-->").ok_or_else(|| format!("a comment `{}` has no end", start.trim()))?;
        replaced += before;
        replaced += &replace(lines)?;
        rest = after;
    }
    Ok(replaced + rest)
}

/// The documentation of a module of Rust.
fn module_documentation(source: &str) -> String {
    let lines = source.lines().filter_map(|line| line.strip_prefix("//!"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect()
}

/// The blocks of code of a document, or of the section of a heading. Blocks of text, and those that must not compile, are
/// no samples.
fn blocks(text: &str, section: Option<&str>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut heading: Option<(HeadingLevel, String)> = None;
    let mut block: Option<Block> = None;
    // The level of the heading whose section is read.
    let mut within: Option<HeadingLevel> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                let Some((level, title)) = heading.take() else { continue };
                if section == Some(anchor(&title).as_str()) {
                    within = Some(level);
                } else if within.is_some_and(|own| level <= own) {
                    within = None;
                }
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let language = info.split([',', ' ']).next().unwrap_or_default();
                let language = if language.is_empty() { "rust" } else { language };
                let is_sample = language != "text" && !info.contains("compile_fail");
                block = is_sample.then(|| Block { language: language.to_owned(), code: String::new() });
            }
            Event::End(TagEnd::CodeBlock) => {
                let wanted = section.is_none() || within.is_some();
                blocks.extend(block.take().filter(|_| wanted));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(block) = &mut block {
                    block.code += &text;
                }
                if let Some((_, title)) = &mut heading {
                    *title += &text;
                }
            }
            _ => {}
        }
    }
    blocks
}

/// The language of a file, as Markdown names it.
pub(super) fn language(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "rs" => "rust",
        "py" => "python",
        "mjs" | "js" => "js",
        "ts" => "ts",
        "kt" => "kotlin",
        "toml" => "toml",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# One\n```python\na\n```\n## Two `x`\n```python\nb\n```\n```java\nc\n```\n```python\nd\n```\n# Three\n```python\ne\n```\n";

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let codes =
            |section| blocks(DOCUMENT, section).into_iter().map(|block| block.code).collect::<String>();
        assert_eq!(codes(Some("two-x")), "b\nc\nd\n");
        assert_eq!(codes(Some("one")), "a\nb\nc\nd\n");
        assert_eq!(codes(None), "a\nb\nc\nd\ne\n");
        assert_eq!(codes(Some("none")), "");
    }

    #[test]
    fn a_sample_is_named_by_file_section_and_count() {
        let root = crate::workspace::root();
        let sample = Sample::read(&root, "Python: bindings/python/README.md#bring-your-own-chain:2").unwrap();
        assert_eq!((sample.title.as_str(), sample.blocks.len()), ("Python", 2));
        let rust = Sample::read(&root, "Rust: core/src/merkle.rs").unwrap();
        assert!(rust.blocks[0].code.contains("TREE.verify"), "{rust:?}");
        for wrong in ["Python", "Python: README.md#nowhere", "Python: nowhere.py", "Python: README.md#map:x"]
        {
            assert!(Sample::read(&root, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn comments_are_replaced_by_their_samples() {
        let root = crate::workspace::root();
        let text = "before\n<!-- tabs\nRust: core/src/merkle.rs\nRust: core/src/wire/mod.rs\n-->\nafter";
        let shown = expand(&root, text, |samples| Ok(format!("[{}]", samples.len()))).unwrap();
        assert_eq!(shown, "before\n[2]\nafter");
    }
}
