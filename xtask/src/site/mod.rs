//! `cargo xtask docs`: the site with the guides, the specification and the references of the API, made from the sources.
//!
//! The book is mdBook's; `book` generates its sources from the documents of the repository, and `references` runs the tool of
//! each language beside it. Nothing on the site comes from another server, and its search works on pages opened from disk.

mod book;
mod built;
mod html;
mod pages;
mod references;
mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use self::book::Book;
use self::built::BuiltSite;
use self::references::Tool;
use crate::process::{Outcome, output_of};
use crate::steps::{Log, Steps};
use crate::{build, server, workspace};

/// Builds the site of guides, specification and API references into `dist/docs`, and checks all its links.
///
/// Open `dist/docs/index.html`, or serve it with --serve; everything works offline, the search too. The first build installs
/// mdBook into target/tools unless version 0.5 is on PATH, and compiles the bindings: it takes some minutes.
#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// Builds the book alone, without the API references: seconds.
    #[arg(long)]
    book: bool,
    /// Languages of the API references.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LANGUAGE",
        conflicts_with = "book",
        default_value = "rust,typescript,python,kotlin"
    )]
    references: Vec<String>,
    /// Serves the site on loopback until Ctrl-C.
    #[arg(long)]
    serve: bool,
    /// Port of the server; 0 selects a free one.
    #[arg(long, default_value_t = 8091)]
    port: u16,
}

/// The version of mdBook that is installed, and what others of its line print, which are used from PATH.
const MDBOOK: &str = "0.5.4";
const MDBOOK_LINE: &str = "mdbook v0.5.";
/// The files of the book's appearance, in `xtask/docs`.
const APPEARANCE: &[&str] = &["book.toml", "site.css", "site.js", "search.js"];

pub(crate) fn run(args: &DocsArgs) -> Outcome {
    let out = workspace::root().join("dist/docs");
    let tools = args.tools()?;
    let languages: Vec<&str> = tools.iter().map(|(language, _)| *language).collect();
    build::bindings_alone();
    let mut steps = Steps::default();
    let built = out.clone();
    steps.add("book", move |log| book(log, languages, &built));
    for (language, tool) in tools {
        let folder = out.join("api").join(language);
        steps.add(language, move |log| tool(log, &folder));
    }
    let built = out.clone();
    steps.add("search and links", move |_| finish(&built));
    steps.run("docs steps")?;
    println!("{}", out.join("index.html").display());
    if args.serve { server::run(&out, args.port) } else { Ok(()) }
}

impl DocsArgs {
    /// The languages whose references are wanted, with their tools.
    fn tools(&self) -> Outcome<Vec<(&'static str, Tool)>> {
        let wanted = self.references.iter().filter(|_| !self.book);
        let found = |name: &String| references::ALL.iter().find(|(language, _)| language == name).copied();
        let unknown = |name: &String| {
            let known: Vec<&str> = references::ALL.iter().map(|(language, _)| *language).collect();
            format!("unknown language `{name}`; expected one of: {}", known.join(", "))
        };
        wanted.map(|name| found(name).ok_or_else(|| unknown(name))).collect()
    }
}

/// Generates the sources of the book and checks their links, for `cargo xtask test`, which does not build the site.
pub(crate) fn check_sources() -> Outcome<String> {
    let languages = references::ALL.iter().map(|(language, _)| *language).collect();
    let book = Book::generate(languages, references::crates())?;
    Ok(format!("{} pages of the site with {} links", book.pages, book.check()?))
}

/// Builds the book into a folder, which has nothing else afterwards.
fn book(log: &Log, languages: Vec<&'static str>, out: &Path) -> Outcome<String> {
    let crates = if languages.contains(&"rust") { references::crates() } else { Vec::new() };
    let book = Book::generate(languages, crates)?;
    book.check()?;
    let folder = workspace::target("xtask/book");
    book.write(&folder.join("src"))?;
    for file in APPEARANCE {
        workspace::copy(&workspace::root().join("xtask/docs").join(file), &folder.join(file))?;
    }
    let _ = fs::remove_dir_all(out);
    log.run(Command::new(mdbook(log)?).arg("build").arg(&folder).arg("--dest-dir").arg(out))?;
    Ok(format!("{} pages", book.pages))
}

/// Writes the index of the search and checks the links; a site with a broken link is complete all the same.
fn finish(out: &Path) -> Outcome<String> {
    let site = BuiltSite::read(out)?;
    let entries = site.write_index()?;
    site.link_back()?;
    let links = site.check_links()?;
    Ok(format!("{links} links, {entries} entries of the index"))
}

/// The program mdBook, which is compiled if it is missing.
fn mdbook(log: &Log) -> Outcome<PathBuf> {
    let fits = |program: &Path| {
        let version = output_of(Command::new(program).arg("--version"));
        version.is_some_and(|version| version.starts_with(MDBOOK_LINE))
    };
    let tools = workspace::target("tools");
    let own = tools.join("bin/mdbook");
    for program in [PathBuf::from("mdbook"), own.clone()] {
        if fits(&program) {
            return Ok(program);
        }
    }
    let mut cargo = workspace::cargo();
    // Without its server and its search, which the site replaces.
    cargo.args(["install", "mdbook", "--version", MDBOOK, "--no-default-features", "--root"]).arg(&tools);
    cargo.arg("--target-dir").arg(tools.join("build"));
    log.run(&mut cargo)
        .map_err(|e| format!("{e}\nmissing: run `cargo install mdbook --version {MDBOOK}`"))?;
    // It is built once, and takes a gigabyte.
    let _ = fs::remove_dir_all(tools.join("build"));
    Ok(own)
}
