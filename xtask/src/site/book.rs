//! The sources of the book, generated from the documents of the repository. `examples/guides/SUMMARY.md` is its table of
//! contents: all documents that it names become pages, at the paths that they have in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::html::escaped;
use super::pages::{Place, Site, relative, rewrite};
use crate::markdown::Document;
use crate::process::Outcome;
use crate::workspace::{self, normal};

/// The folder of the guides, in the repository.
const GUIDES: &str = "examples/guides";
/// The table of contents, there.
const SUMMARY: &str = "SUMMARY.md";

/// The files of the book's source folder.
#[derive(Debug, Default)]
pub(super) struct Book {
    files: BTreeMap<PathBuf, File>,
    /// Number of pages.
    pub(super) pages: usize,
}

#[derive(Debug)]
enum File {
    Text(String),
    /// A copy of a file of the repository.
    CopyOf(PathBuf),
}

impl Book {
    /// Generates the book, whose pages link to the references of these languages; `crates` are folders and names of
    /// libraries in that of Rust.
    pub(super) fn generate(references: Vec<&'static str>, crates: Vec<(PathBuf, String)>) -> Outcome<Self> {
        let root = workspace::root();
        let read =
            |path: &Path| fs::read_to_string(root.join(path)).map_err(|e| format!("{}: {e}", path.display()));
        let summary = Path::new(GUIDES).join(SUMMARY);
        let contents = read(&summary)?;
        let documents = Document::read(&contents).links.into_iter();
        let documents: BTreeSet<PathBuf> =
            documents.map(|link| normal(&Path::new(GUIDES).join(link))).collect();
        let site = Site { root: root.clone(), documents, crates, references };
        let mut book = Self { pages: site.documents.len(), ..Self::default() };
        let contents = rewrite(&contents, |link| {
            let document = normal(&Path::new(GUIDES).join(link));
            site.documents.contains(&document).then_some(()).ok_or("no document")?;
            Ok(Site::page(&document).display().to_string())
        });
        book.files.insert(PathBuf::from(SUMMARY), File::Text(contents?));
        let mut shown = Vec::new();
        for document in &site.documents {
            let (text, places) = site.write(document, &read(document)?)?;
            book.files.insert(Site::page(document), File::Text(text));
            for (target, place) in places {
                match place {
                    Place::Copy(path) => {
                        book.files.insert(path, File::CopyOf(root.join(target)));
                    }
                    Place::Shown(path) => shown.push((target, path)),
                    Place::Page(_) | Place::Reference(_) => {}
                }
            }
        }
        for (target, path) in shown {
            let page = if root.join(&target).is_dir() {
                folder_page(&site, &target, &path)?
            } else {
                file_page(&target, &path, &read(&target)?)
            };
            book.files.insert(path, File::Text(page));
        }
        Ok(book)
    }

    /// Checks that each link of a page leads to a file of the book; links to references are checked once they are built.
    /// Returns the number of links.
    pub(super) fn check(&self) -> Outcome<usize> {
        let (mut checked, mut problems) = (0, Vec::new());
        for (page, file) in &self.files {
            let File::Text(text) = file else { continue };
            if page.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            for link in Document::read(text).links {
                let path = link.split('#').next().unwrap_or_default();
                if path.is_empty() || path.contains(':') {
                    continue;
                }
                checked += 1;
                let target = normal(&page.parent().unwrap_or(page).join(path));
                if !self.files.contains_key(&target) && !target.starts_with("api") {
                    problems.push(format!("{}: link `{link}`: no such file of the book", page.display()));
                }
            }
        }
        if problems.is_empty() { Ok(checked) } else { Err(problems.join("\n")) }
    }

    /// Writes the sources into a folder, which has nothing else afterwards.
    pub(super) fn write(&self, folder: &Path) -> Outcome {
        let _ = fs::remove_dir_all(folder);
        for (path, file) in &self.files {
            let to = folder.join(path);
            match file {
                File::CopyOf(from) => workspace::copy(from, &to)?,
                File::Text(text) => {
                    let problem = |e: std::io::Error| format!("{}: {e}", to.display());
                    fs::create_dir_all(to.parent().unwrap_or(folder)).map_err(problem)?;
                    fs::write(&to, text).map_err(problem)?;
                }
            }
        }
        Ok(())
    }
}

/// A page with the text of a file.
fn file_page(file: &Path, page: &Path, text: &str) -> String {
    frame(&file.display().to_string(), page, &format!("<pre><code>{}</code></pre>", escaped(text)))
}

/// A page with the names of a folder's files and folders. Those that the site has are links.
fn folder_page(site: &Site, folder: &Path, page: &Path) -> Outcome<String> {
    let path = site.root.join(folder);
    let entries = fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() { name + "/" } else { name }
        })
        .collect();
    names.retain(|name| !["target/", "node_modules/", "__pycache__/", "dist/"].contains(&name.as_str()));
    names.sort();
    let items: String = names
        .iter()
        .map(|name| match site.place(&folder.join(name)) {
            Ok(place @ Place::Page(_)) => {
                let link = relative(page, &place.path().with_extension("html"));
                format!("<li><a href=\"{}\">{}</a></li>\n", escaped(&link), escaped(name))
            }
            _ => format!("<li>{}</li>\n", escaped(name)),
        })
        .collect();
    Ok(frame(&format!("{}/", folder.display()), page, &format!("<ul>\n{items}</ul>")))
}

/// A plain page in the browser's own colours.
fn frame(title: &str, page: &Path, body: &str) -> String {
    let home = relative(page, Path::new("index.html"));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>body {{ font: 16px/1.5 sans-serif; margin: 1rem }} pre {{ overflow: auto; font-size: 14px }}</style>\n\
         </head>\n<body>\n<p><a href=\"{home}\">quorate</a></p>\n<main>\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n\
         </html>\n",
        title = escaped(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_its_target_is_found() {
        let mut book = Book::default();
        let page = "[a](b.md) [c](https://c.example) [d](../api/rust/x.html)".to_owned();
        book.files.insert(PathBuf::from("spec/a.md"), File::Text(page));
        assert_eq!(book.check(), Err("spec/a.md: link `b.md`: no such file of the book".to_owned()));
        book.files.insert(PathBuf::from("spec/b.md"), File::Text(String::new()));
        assert_eq!(book.check(), Ok(2));
    }

    #[test]
    fn a_files_page_escapes_its_text() {
        let page = file_page(Path::new("a/b.rs"), Path::new("files/a/b.rs.html"), "Vec<u8> & x");
        assert!(page.contains("<h1>a/b.rs</h1>") && page.contains("Vec&lt;u8&gt; &amp; x"), "{page}");
        assert!(page.contains("href=\"../../index.html\""), "{page}");
    }
}
