//! The pages of the book: documents of the repository whose links lead to files of the site.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::html::escaped;
use super::samples::{self, Sample, replace_comments};
use crate::process::Outcome;
use crate::workspace::normal;

/// Extensions of files that browsers show; they are copied as they are.
const SHOWN_BY_BROWSERS: &[&str] = &["svg", "png", "json"];

/// What is known about the site while its pages are written.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) root: PathBuf,
    /// The documents that are pages of the book, by their paths in the repository.
    pub(super) documents: BTreeSet<PathBuf>,
    /// Folders of crates with a reference: folder and name of the library. Empty for a book without references.
    pub(super) crates: Vec<(PathBuf, String)>,
    /// The languages that have a reference beside the book, as the names of their folders.
    pub(super) references: Vec<&'static str>,
}

/// Where a link of the repository leads on the site.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A page of the book.
    Page(PathBuf),
    /// A file that is copied.
    Copy(PathBuf),
    /// A page that shows a file or lists a folder of the repository.
    Shown(PathBuf),
    /// A page of a reference.
    Reference(PathBuf),
}

impl Place {
    /// The path of the place on the site; that of a page of the book is its source's.
    pub(super) fn path(&self) -> &Path {
        let (Self::Page(path) | Self::Copy(path) | Self::Shown(path) | Self::Reference(path)) = self;
        path
    }
}

impl Site {
    /// The source in the book of a document.
    pub(super) fn page(document: &Path) -> PathBuf {
        if document.ends_with("README.md") {
            document.with_file_name("index.md")
        } else {
            document.to_path_buf()
        }
    }

    /// Where the site has a file or folder of the repository.
    pub(super) fn place(&self, target: &Path) -> Outcome<Place> {
        let readme = target.join("README.md");
        for document in [target, &readme] {
            if self.documents.contains(document) {
                return Ok(Place::Page(Self::page(document)));
            }
        }
        let found = self.root.join(target);
        if found.is_dir() {
            if let Some((_, library)) = self.crates.iter().find(|(folder, _)| folder == target) {
                return Ok(Place::Reference(PathBuf::from(format!("api/rust/{library}/index.html"))));
            }
            return Ok(Place::Shown(Path::new("files").join(target).join("index.html")));
        }
        let extension = target.extension().unwrap_or_default().to_string_lossy();
        if !found.exists() {
            Err("no such file or folder".to_owned())
        } else if extension == "md" {
            Err("this document is not a page of the site; add it to examples/guides/SUMMARY.md".to_owned())
        } else if SHOWN_BY_BROWSERS.contains(&extension.as_ref()) {
            Ok(Place::Copy(target.to_path_buf()))
        } else {
            let name = target.file_name().unwrap_or_default().to_string_lossy() + ".html";
            Ok(Place::Shown(Path::new("files").join(target).with_file_name(name.as_ref())))
        }
    }

    /// The source of a document's page, and the places that it links to, each with its file in the repository.
    pub(super) fn write(&self, document: &Path, text: &str) -> Outcome<(String, Vec<(PathBuf, Place)>)> {
        let problem = |e: String| format!("{}: {e}", document.display());
        let page = Self::page(document);
        let mut places = Vec::new();
        let text = rewrite(text, |link| {
            let target = normal(&document.parent().unwrap_or(document).join(link));
            let place = self.place(&target).map_err(|e| format!("link `{link}`: {e}"))?;
            let link = relative(&page, place.path());
            places.push((target, place));
            Ok(link)
        });
        let text = text.map_err(problem)?;
        let text =
            samples::expand(&self.root, &text, |samples| self.tabs(&page, samples)).map_err(problem)?;
        let text = replace_comments(&text, "<!-- api\n", |lines| Ok(self.reference_links(&page, lines)));
        Ok((text.map_err(problem)?, places))
    }

    /// Tabs with samples. Without a script the browser shows them one below the other.
    fn tabs(&self, page: &Path, samples: &[Sample]) -> Outcome<String> {
        let mut shown = "<div class=\"tabs\">\n".to_owned();
        for sample in samples {
            shown += &format!("<div class=\"tab\" data-title=\"{}\">\n\n", escaped(&sample.title));
            for block in &sample.blocks {
                shown += &format!("```{}\n{}```\n\n", block.language, block.code);
            }
            let name = sample.source.display();
            let place = self.place(&sample.source).ok().filter(|place| matches!(place, Place::Page(_)));
            shown += &match place {
                Some(place) => {
                    let anchor =
                        sample.anchor.as_ref().map_or_else(String::new, |anchor| format!("#{anchor}"));
                    format!(
                        "From [{name}]({}{anchor}), where a test runs it.\n\n",
                        relative(page, place.path())
                    )
                }
                None => format!("From `{name}`, which a test runs.\n\n"),
            };
            shown += "</div>\n";
        }
        Ok(shown + "</div>\n")
    }

    /// A line with links to references, from lines `Language: path below api/`.
    fn reference_links(&self, page: &Path, lines: &str) -> String {
        let links = lines.lines().filter_map(|line| line.split_once(": "));
        let links = links.filter(|(_, path)| {
            path.split_once('/').is_some_and(|(language, _)| self.references.contains(&language.trim()))
        });
        let links: Vec<String> = links
            .map(|(title, path)| {
                let path = Path::new("api").join(path.trim());
                format!("[{}]({})", title.trim(), relative(page, &path))
            })
            .collect();
        if links.is_empty() { String::new() } else { format!("**API reference:** {}", links.join(" · ")) }
    }
}

/// Replaces the target of each link to a file or folder of the repository; anchors stay.
pub(super) fn rewrite(text: &str, mut replace: impl FnMut(&str) -> Outcome<String>) -> Outcome<String> {
    let mut edits = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        let Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) =
            event
        else {
            continue;
        };
        let (path, _) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
        if path.is_empty() || path.contains(':') {
            continue;
        }
        let source = text.get(range.clone()).unwrap_or_default();
        let found = source.rfind(&format!("]({dest_url}")).filter(|_| link_type == LinkType::Inline);
        let at = found.ok_or_else(|| format!("link `{dest_url}`: expected the form [text](target)"))?;
        let start = range.start + at + "](".len();
        edits.push((start..start + path.len(), replace(path)?));
    }
    edits.sort_by_key(|(range, _)| range.start);
    let (mut rewritten, mut from) = (String::new(), 0);
    for (range, new) in edits {
        rewritten += text.get(from..range.start).unwrap_or_default();
        rewritten += &new;
        from = range.end;
    }
    Ok(rewritten + text.get(from..).unwrap_or_default())
}

/// The link from one file of the site to another.
pub(super) fn relative(from: &Path, to: &Path) -> String {
    let folders = |path: &Path| {
        let parent = path.parent().unwrap_or(Path::new(""));
        parent.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>()
    };
    let (own, other) = (folders(from), folders(to));
    let common = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let mut link = "../".repeat(own.len() - common);
    for folder in other.iter().skip(common) {
        link += &folder.to_string_lossy();
        link.push('/');
    }
    link + &to.file_name().unwrap_or_default().to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site {
            root: crate::workspace::root(),
            documents: ["README.md", "spec/README.md", "spec/wire.md"].map(PathBuf::from).into(),
            crates: vec![(PathBuf::from("core"), "quorate".to_owned())],
            references: vec!["rust", "python"],
        }
    }

    #[test]
    fn links_lead_to_files_of_the_site() {
        let text = "[a](../README.md#map) [b](.) `[c](x)` [d](../core/) [![e](../bench/report/verify.svg)](wire.md)\n\
                    [f](../Cargo.toml) [g](https://a.example/x) [h](#here) [i](../xtask/)";
        let (page, places) = site().write(Path::new("spec/wire.md"), text).unwrap();
        assert_eq!(
            page,
            "[a](../index.md#map) [b](index.md) `[c](x)` [d](../api/rust/quorate/index.html) \
             [![e](../bench/report/verify.svg)](wire.md)\n\
             [f](../files/Cargo.toml.html) [g](https://a.example/x) [h](#here) [i](../files/xtask/index.html)"
        );
        assert_eq!(places.len(), 7);
        assert!(site().write(Path::new("README.md"), "[a](nowhere.rs)").is_err());
        assert!(site().write(Path::new("README.md"), "[a](SECURITY.md)").unwrap_err().contains("SUMMARY"));
    }

    #[test]
    fn references_are_linked_only_where_they_are_built() {
        let text = "<!-- api\nRust: rust/quorate/index.html\nPython: python/quorate.html\n-->\n";
        let (page, _) = site().write(Path::new("spec/wire.md"), text).unwrap();
        assert_eq!(
            page,
            "**API reference:** [Rust](../api/rust/quorate/index.html) · [Python](../api/python/quorate.html)\n"
        );
        let (page, _) = Site { references: vec![], ..site() }.write(Path::new("spec/wire.md"), text).unwrap();
        assert_eq!(page, "\n");
    }

    #[test]
    fn samples_become_tabs() {
        let text = "<!-- tabs\nRust: core/src/merkle.rs\n-->";
        let (page, _) = site().write(Path::new("README.md"), text).unwrap();
        assert!(
            page.starts_with("<div class=\"tabs\">\n<div class=\"tab\" data-title=\"Rust\">\n\n```rust\n")
        );
        assert!(page.contains("From `core/src/merkle.rs`"), "{page}");
    }
}
