//! The built site: checks the links of all its pages, and writes the index of the search.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::html::Page;
use super::pages::relative;
use crate::process::Outcome;
use crate::workspace::normal;

/// Pages that are no content: mdBook's page for missing addresses and its table of contents, and Dokka's.
const NO_CONTENT: &[&str] = &["404.html", "toc.html", "navigation.html"];
/// Maximum number of broken links that an error shows.
const SHOWN: usize = 40;
/// Maximum length of a reference page's text in the index, in characters: its summary.
const REFERENCE_TEXT: usize = 400;

/// The pages of a built site, by their paths in it.
pub(super) struct BuiltSite {
    folder: PathBuf,
    pages: BTreeMap<PathBuf, Page>,
}

impl BuiltSite {
    /// Reads all pages below a folder.
    pub(super) fn read(folder: &Path) -> Outcome<Self> {
        let mut pages = BTreeMap::new();
        for file in files_with_extension(folder, "html")? {
            let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let path = file.strip_prefix(folder).unwrap_or(&file).to_path_buf();
            pages.insert(path, Page::read(&text));
        }
        Ok(Self { folder: folder.to_path_buf(), pages })
    }

    /// Checks that each link has a target, and in the book an anchor. Links to other sites are not followed. Returns the
    /// number of links.
    pub(super) fn check_links(&self) -> Outcome<usize> {
        let (mut checked, mut broken) = (0, Vec::new());
        for (path, page) in &self.pages {
            if path == Path::new("404.html") {
                continue; // Its links are relative to an unknown address.
            }
            for link in &page.links {
                if is_external(link) {
                    continue;
                }
                checked += 1;
                if let Some(problem) = self.problem(path, page, link) {
                    broken.push(format!("{}: link `{link}`: {problem}", path.display()));
                }
            }
        }
        if broken.is_empty() {
            return Ok(checked);
        }
        let total = broken.len();
        broken.truncate(SHOWN);
        Err(format!("{}\n{total} broken links", broken.join("\n")))
    }

    fn problem(&self, path: &Path, page: &Page, link: &str) -> Option<String> {
        let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = unescaped(target.split('?').next().unwrap_or_default());
        let anchor = unescaped(anchor);
        let in_reference = path.starts_with("api");
        if target.is_empty() {
            let exists = anchor.is_empty() || page.anchors.contains(&anchor);
            return (!in_reference && !exists).then(|| "no such anchor on this page".to_owned());
        }
        let mut file = normal(&path.parent().unwrap_or(path).join(&target));
        if target.ends_with('/') || self.folder.join(&file).is_dir() {
            file.push("index.html");
        }
        if !self.folder.join(&file).is_file() {
            return Some("no such file".to_owned());
        }
        let other = self.pages.get(&file)?;
        let checks_anchor = !anchor.is_empty() && !in_reference && !file.starts_with("api");
        (checks_anchor && !other.anchors.contains(&anchor)).then(|| "no such anchor there".to_owned())
    }

    /// Writes the index of the search: a script, because a browser reads no other file from a page that it opened from disk.
    /// Returns the number of entries.
    pub(super) fn write_index(&self) -> Outcome<usize> {
        let mut entries = Vec::new();
        for (path, page) in &self.pages {
            if path.starts_with("files") || NO_CONTENT.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            if path.starts_with("api") {
                entries.extend(self.reference_entry(path, page))
            } else {
                entries.extend(book_entries(path, page))
            }
        }
        let file = self.folder.join("search-index.js");
        let text = format!("window.searchIndex = {};\n", Value::from(entries.clone()));
        fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(entries.len())
    }

    /// The entry of a page of a reference, with the names that it documents.
    fn reference_entry(&self, path: &Path, page: &Page) -> Option<Value> {
        let is_list = ["src", "source", "static.files"];
        if path.components().any(|part| is_list.iter().any(|name| part.as_os_str() == *name)) {
            return None;
        }
        let text: String =
            page.sections.iter().map(|section| format!("{} {} ", section.heading, section.text)).collect();
        let text: String = text.trim().chars().take(REFERENCE_TEXT).collect();
        let title =
            page.title.split([' ', '|']).next().filter(|title| !title.is_empty()).unwrap_or(&page.title);
        let title = match self.class_of_member(path) {
            Some(class) => format!("{class}.{title}"),
            None => title.to_owned(),
        };
        let symbols: Vec<&String> = page.anchors.iter().filter(|anchor| is_symbol(anchor)).collect();
        Some(json!([area(path), link(path), title, "", text, symbols]))
    }

    /// The class of a member with a page of its own, as Dokka writes them: the title of the page `index.html` in the same
    /// folder, or above it for members of a companion.
    fn class_of_member(&self, path: &Path) -> Option<&str> {
        if !path.starts_with("api/kotlin") || path.ends_with("index.html") {
            return None;
        }
        let titles = path.ancestors().skip(1).filter_map(|folder| self.pages.get(&folder.join("index.html")));
        let class = titles.map(|page| page.title.trim()).find(|title| *title != "Companion")?;
        class.starts_with(char::is_uppercase).then_some(class)
    }

    /// Adds a link to the site to each page of a reference.
    pub(super) fn link_back(&self) -> Outcome {
        for path in self.pages.keys().filter(|path| path.starts_with("api")) {
            let file = self.folder.join(path);
            let problem = |e: std::io::Error| format!("{}: {e}", file.display());
            let text = fs::read_to_string(&file).map_err(problem)?;
            let Some((before, after)) = text.rsplit_once("</body>") else { continue };
            let link = BACK.replace("HOME", &relative(path, Path::new("index.html")));
            fs::write(&file, format!("{before}{link}</body>{after}")).map_err(problem)?;
        }
        Ok(())
    }
}

/// A link at the lower edge of a reference's page.
const BACK: &str = "<a href=\"HOME\" style=\"position:fixed;right:.75rem;bottom:.75rem;z-index:999;padding:.25rem .75rem;\
    border-radius:1rem;background:#1f4e79;color:#fff;font:14px/1.5 sans-serif;text-decoration:none\">quorate: guides and search</a>";

/// An entry per heading: place, link, title of the page, heading, text.
fn book_entries(path: &Path, page: &Page) -> Vec<Value> {
    let title = page.title.split(" - ").next().unwrap_or_default();
    let sections =
        page.sections.iter().filter(|section| !(section.heading.is_empty() && section.text.is_empty()));
    let entry = |section: &super::html::Section| {
        let anchor = if section.anchor.is_empty() { String::new() } else { format!("#{}", section.anchor) };
        json!([area(path), link(path) + &anchor, title, section.heading.trim(), section.text.trim(), []])
    };
    sections.map(entry).collect()
}

/// Returns true for the anchor of an item, such as `method.verify` of rustdoc or `Vote.verify` of pdoc.
fn is_symbol(anchor: &str) -> bool {
    const GENERIC: &[&str] = &[
        "impl",
        "trait-implementations",
        "blanket",
        "synthetic",
        "deref-methods",
        "rustdoc",
        "main",
        "help",
        "tsd-",
        "icon-",
        "toggle",
        "search",
        "settings",
        "copy-path",
        "sidebar",
        "navbar",
        "theme",
        "content",
        "modules",
        "structs",
        "enums",
        "traits",
        "functions",
        "constants",
        "types",
        "macros",
        "fields",
        "variants",
        "required-",
        "provided-",
        "associatedtype.Error",
    ];
    !anchor.is_empty() && !GENERIC.iter().any(|generic| anchor.starts_with(generic))
}

/// The part of the site that a page belongs to, as the search shows it.
fn area(path: &Path) -> &'static str {
    const AREAS: &[(&str, &str)] = &[
        ("api/rust", "Rust"),
        ("api/python", "Python"),
        ("api/typescript", "TypeScript"),
        ("api/kotlin", "Kotlin"),
        ("examples/guides", "Guide"),
        ("examples/node/PROTOCOL.html", "Guide"),
        ("examples", "Recipe"),
        ("spec", "Spec"),
        ("bindings", "Language"),
        ("bench", "Report"),
    ];
    AREAS.iter().find(|(folder, _)| path.starts_with(folder)).map_or("Project", |(_, name)| name)
}

fn link(path: &Path) -> String {
    path.display().to_string()
}

/// The files below a folder whose names end in a dot and `extension`.
pub(super) fn files_with_extension(folder: &Path, extension: &str) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files.extend(files_with_extension(&path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    Ok(files)
}

fn is_external(link: &str) -> bool {
    ["http:", "https:", "mailto:", "data:", "javascript:", "//"].iter().any(|scheme| link.starts_with(scheme))
}

/// The text of a link without `%XX`.
fn unescaped(link: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = link;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        match after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    fn site(name: &str, pages: &[(&str, &str)]) -> BuiltSite {
        let folder = workspace::target("xtask/unit").join(name);
        let _ = fs::remove_dir_all(&folder);
        for (path, text) in pages {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        BuiltSite::read(&folder).unwrap()
    }

    #[test]
    fn broken_links_and_anchors_are_found() {
        let page = "<a href='spec/b.html#one'></a><a href='spec/b.html#two'></a><a href='c.html'></a>\
                    <a href='#here'></a><a href='https://a.example/'></a><img src='spec/p%20q.svg'>";
        let other = "<main><h1 id='one'></h1><a href='../index.html'></a></main>";
        let site = site("links", &[("index.html", page), ("spec/b.html", other), ("spec/p q.svg", "<svg/>")]);
        let problems = site.check_links().unwrap_err();
        assert_eq!(
            problems.lines().collect::<Vec<_>>(),
            [
                "index.html: link `spec/b.html#two`: no such anchor there",
                "index.html: link `c.html`: no such file",
                "index.html: link `#here`: no such anchor on this page",
                "3 broken links",
            ]
        );
    }

    #[test]
    fn the_index_has_headings_and_symbols() {
        let guide = "<title>Wire - quorate</title><main><h1 id='wire'>Wire</h1><p>bytes</p></main>";
        let item = "<title>Vote in quorate</title><main><p id='method.verify'>Verifies.</p></main></body>";
        let site = site("index", &[("spec/wire.html", guide), ("api/rust/quorate/struct.Vote.html", item)]);
        assert_eq!(site.write_index(), Ok(2));
        let index = fs::read_to_string(site.folder.join("search-index.js")).unwrap();
        assert!(index.contains(r##"["Spec","spec/wire.html#wire","Wire","Wire","bytes",[]]"##), "{index}");
        assert!(index.contains(
            r#"["Rust","api/rust/quorate/struct.Vote.html","Vote","","Verifies.",["method.verify"]]"#
        ));
        site.link_back().unwrap();
        let item = fs::read_to_string(site.folder.join("api/rust/quorate/struct.Vote.html")).unwrap();
        assert!(item.contains("href=\"../../../index.html\"") && item.ends_with("</body>"), "{item}");
    }

    #[test]
    fn members_with_pages_of_their_own_have_the_names_of_their_classes() {
        let page = |title: &str| format!("<title>{title}</title><body></body>");
        let pages = ["org.quorate", "Vote", "verify", "Companion", "decode"].map(page);
        let paths = ["index.html", "-vote/index.html", "-vote/verify.html", "-vote/-companion/index.html"];
        let paths = [paths.as_slice(), &["-vote/-companion/decode.html"]].concat();
        let paths: Vec<String> = paths.iter().map(|path| format!("api/kotlin/org.quorate/{path}")).collect();
        let site = site(
            "members",
            &paths.iter().map(String::as_str).zip(pages.iter().map(String::as_str)).collect::<Vec<_>>(),
        );
        let class = |path: &str| site.class_of_member(&Path::new("api/kotlin/org.quorate").join(path));
        assert_eq!(class("-vote/verify.html"), Some("Vote"));
        assert_eq!(class("-vote/-companion/decode.html"), Some("Vote"));
        assert_eq!(["index.html", "-vote/index.html", "other.html"].map(class), [None; 3]);
        assert_eq!(site.class_of_member(Path::new("api/rust/quorate/struct.Vote.html")), None);
    }
}
