//! Reads the parts of an HTML page that the site needs: its links, its anchors, and its text by heading.

use std::collections::BTreeSet;

/// Links, anchors and text of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// Values of `href` and `src`, with entities decoded.
    pub(super) links: Vec<String>,
    /// Values of `id`, and of `name` of links.
    pub(super) anchors: BTreeSet<String>,
    /// The text of the element `title`.
    pub(super) title: String,
    /// The text of the content, by heading; the first section is the text before all headings.
    pub(super) sections: Vec<Section>,
}

/// A heading with the text up to the next one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// The anchor of the heading.
    pub(super) anchor: String,
    pub(super) heading: String,
    pub(super) text: String,
}

/// Elements without an end tag.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
/// Elements whose text is markup of the page and no content.
const SKIPPED: &[&str] = &["nav", "button", "footer", "template", "svg", "rustdoc-toolbar"];
/// Parts of rustdoc's pages that are equal on all of them.
const SKIPPED_IDS: &[&str] = &["blanket-implementations-list", "synthetic-implementations-list"];
/// Classes of Dokka's elements with the way to a page, and with what a button says.
const SKIPPED_CLASSES: &[&str] = &["breadcrumbs", "copy-popup-wrapper"];
/// Classes of elements that have the content where a page has no `main`.
const CONTENT_CLASSES: &[&str] = &["main-content"];

/// An element that is open.
struct Open<'a> {
    name: &'a str,
    is_content: bool,
    is_skipped: bool,
}

/// The state of reading.
#[derive(Default)]
struct Reader<'a> {
    page: Page,
    open: Vec<Open<'a>>,
    in_heading: bool,
}

impl Page {
    /// Reads a page. Malformed HTML gives an incomplete result and no error: the tools that wrote the pages are trusted.
    pub(super) fn read(html: &str) -> Self {
        let mut reader = Reader::default();
        reader.page.sections.push(Section::default());
        let mut rest = html;
        while let Some((text, after)) = rest.split_once('<') {
            reader.text(text);
            rest = if let Some(comment) = after.strip_prefix("!--") {
                comment.split_once("-->").map_or("", |(_, after)| after)
            } else {
                let end = end_of_tag(after);
                let tag = after.get(..end).unwrap_or_default();
                let after = after.get(end + 1..).unwrap_or_default();
                reader.tag(tag);
                skip_raw(tag, after)
            };
        }
        reader.text(rest);
        reader.page
    }
}

/// The position of the `>` that ends a tag; quoted values may contain others.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// The text after a script or a style.
fn skip_raw<'a>(tag: &str, after: &'a str) -> &'a str {
    let Some(end) = ["script", "style"].iter().find_map(|name| {
        let rest = tag.strip_prefix(name)?;
        rest.starts_with(|c: char| c.is_whitespace()).then_some(()).or(rest.is_empty().then_some(()))?;
        after.find(&format!("</{name}"))
    }) else {
        return after;
    };
    after.get(end..).unwrap_or_default()
}

impl<'a> Reader<'a> {
    fn tag(&mut self, tag: &'a str) {
        if let Some(name) = tag.strip_prefix('/') {
            self.close(name.trim());
            return;
        }
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let attributes = attributes(tag.get(name.len()..).unwrap_or_default());
        let value = |wanted: &str| {
            attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| decoded(value))
        };
        self.page.links.extend([value("href"), value("src")].into_iter().flatten());
        let anchor = value("id").or_else(|| value("name").filter(|_| name == "a"));
        let is_heading = ["h1", "h2", "h3", "h4"].contains(&name) && self.in_content();
        if is_heading {
            let anchor = anchor.clone().unwrap_or_default();
            self.page.sections.push(Section { anchor, ..Section::default() });
            self.in_heading = true;
        }
        let id = anchor.clone().unwrap_or_default();
        self.page.anchors.extend(anchor);
        if !VOID.contains(&name) && !tag.ends_with('/') {
            let class = value("class").unwrap_or_default();
            let has = |classes: &[&str]| class.split_whitespace().any(|class| classes.contains(&class));
            let is_content = name == "main" || has(CONTENT_CLASSES);
            let is_skipped =
                SKIPPED.contains(&name) || SKIPPED_IDS.contains(&id.as_str()) || has(SKIPPED_CLASSES);
            self.open.push(Open { name, is_content, is_skipped });
        }
        self.separate();
    }

    fn close(&mut self, name: &str) {
        if ["h1", "h2", "h3", "h4"].contains(&name) {
            self.in_heading = false;
        }
        if let Some(at) = self.open.iter().rposition(|open| open.name == name) {
            self.open.truncate(at);
        }
        self.separate();
    }

    fn in_content(&self) -> bool {
        self.open.iter().any(|open| open.is_content) && !self.open.iter().any(|open| open.is_skipped)
    }

    fn text(&mut self, text: &str) {
        if self.open.last().is_some_and(|open| open.name == "title") && self.page.title.is_empty() {
            self.page.title = decoded(text).trim().to_owned();
        }
        if !self.in_content() {
            return;
        }
        if let Some(section) = self.page.sections.last_mut() {
            let target = if self.in_heading { &mut section.heading } else { &mut section.text };
            append(target, &decoded(text));
        }
    }

    /// A tag separates words, but in code, where it marks the syntax.
    fn separate(&mut self) {
        if self.open.iter().any(|open| ["code", "pre"].contains(&open.name)) || !self.in_content() {
            return;
        }
        if let Some(section) = self.page.sections.last_mut() {
            let target = if self.in_heading { &mut section.heading } else { &mut section.text };
            append(target, " ");
        }
    }
}

/// Appends text with each sequence of white space as one space.
fn append(target: &mut String, text: &str) {
    for c in text.chars() {
        if !c.is_whitespace() {
            target.push(c);
        } else if !target.is_empty() && !target.ends_with(' ') {
            target.push(' ');
        }
    }
}

/// Names and values of a tag's attributes.
fn attributes(mut text: &str) -> Vec<(&str, &str)> {
    let mut attributes = Vec::new();
    loop {
        text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        let end = text.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() && rest.is_empty() {
            return attributes;
        }
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            attributes.push((name, ""));
            text = rest;
            continue;
        };
        let value = value.trim_start();
        let quoted = value.chars().next().filter(|c| ['"', '\''].contains(c));
        let (value, rest) = match quoted {
            Some(quote) => value.get(1..).unwrap_or_default().split_once(quote).unwrap_or((value, "")),
            None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        attributes.push((name, value));
        text = rest;
    }
}

/// Text with the entities that the tools write.
pub(super) fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    const ENTITIES: &[(&str, &str)] = &[
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&nbsp;", " "),
        ("&#xa7;", "§"),
        ("&amp;", "&"),
    ];
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

/// Text for an HTML element or a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_anchors_and_sections_are_read() {
        let page = Page::read(
            "<!doctype html><title>A &amp; B</title><nav><a href='x.html'>menu</a></nav><script>if (a<b) '<p>'</script>\
             <main><p id=top>Before</p><h2 id=\"one\"><a href=\"#one\">One</a></h2><p>two<br>three <code>a<b>b</b></code></p>\
             <img src=\"p.svg\" alt=\"a > b\"><button>copy</button></main><p>after</p>",
        );
        assert_eq!(page.title, "A & B");
        assert_eq!(page.links, ["x.html", "#one", "p.svg"]);
        assert_eq!(page.anchors, BTreeSet::from(["one".to_owned(), "top".to_owned()]));
        let [before, one] = page.sections.as_slice() else { panic!("{:?}", page.sections) };
        assert_eq!(before.text.trim(), "Before");
        assert_eq!((one.anchor.as_str(), one.heading.trim()), ("one", "One"));
        assert_eq!(one.text.trim(), "two three ab");
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(decoded("a &lt; b &amp;lt; c"), "a < b &lt; c");
        assert_eq!(decoded(&escaped("<a \"b\" & c>")), "<a \"b\" & c>");
    }
}
