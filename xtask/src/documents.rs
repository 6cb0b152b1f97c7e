//! The documents keep their promises: links lead somewhere, commands exist with the options shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory;

use crate::markdown::Document;
use crate::process::{Outcome, output_of};
use crate::{Cli, workspace};

/// Folders that hold no documents of ours.
const SKIPPED: &[&str] = &["target", "node_modules", ".git", ".venv"];

/// Checks every Markdown file of the repository. With the binary `quorate` at hand its commands are checked too.
pub(crate) fn check(quorate: Option<&Path>) -> Outcome<String> {
    let root = workspace::root();
    let mut files = Vec::new();
    markdown_files(&root, &mut files);
    let mut wrong = Vec::new();
    let (mut links, mut commands) = (0usize, 0usize);
    for file in &files {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let document = Document::read(&text);
        let name = file.strip_prefix(&root).unwrap_or(file).display();
        links += document.links.len();
        commands += document.commands.len();
        for link in &document.links {
            if let Some(problem) = broken(file, link, &document) {
                wrong.push(format!("{name}: link `{link}`: {problem}"));
            }
        }
        for (path, shown) in &document.shown {
            if fs::read_to_string(root.join(path)).ok().as_ref() != Some(shown) {
                wrong.push(format!("{name}: the block that shows {path} is not that file"));
            }
        }
        for command in &document.commands {
            if let Some(problem) = impossible(command, quorate) {
                wrong.push(format!("{name}: `{command}`: {problem}"));
            }
        }
    }
    if wrong.is_empty() {
        Ok(format!("{} documents, {links} links, {commands} commands", files.len()))
    } else {
        Err(wrong.join("\n"))
    }
}

fn markdown_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
            markdown_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

/// Why a link leads nowhere. Links to other sites are not followed: a test must not depend on them.
fn broken(file: &Path, link: &str, document: &Document) -> Option<String> {
    if link.starts_with("http://") || link.starts_with("https://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return (!document.anchors.iter().any(|known| known == anchor)).then(|| "no such heading".to_owned());
    }
    let target = file.parent().unwrap_or(file).join(path);
    if !target.exists() {
        return Some("no such file or folder".to_owned());
    }
    if anchor.is_empty() {
        return None;
    }
    let other = Document::read(&fs::read_to_string(&target).unwrap_or_default());
    (!other.anchors.iter().any(|known| known == anchor)).then(|| "no such heading there".to_owned())
}

/// Why a command would not run. Only our own programs are judged.
fn impossible(command: &str, quorate: Option<&Path>) -> Option<String> {
    let words = words(command);
    let words: Vec<&str> =
        words.into_iter().take_while(|word| !["&", "|", "&&", ">"].contains(word)).collect();
    match words.as_slice() {
        ["cargo", "xtask", rest @ ..] if !rest.is_empty() => {
            let values = rest.iter().copied().filter(|word| !is_placeholder(word));
            let line =
                std::iter::once("xtask").chain(values.map(|word| if is_variable(word) { "1" } else { word }));
            match Cli::command().try_get_matches_from(line) {
                Err(e) if e.use_stderr() => Some(e.to_string().lines().next().unwrap_or_default().to_owned()),
                _ => None,
            }
        }
        ["cargo", "run", "--release", "--bin", "quorate", "--", subcommand, options @ ..] => {
            unknown_to_quorate(quorate?, subcommand, options)
        }
        ["quorate" | "target/release/quorate", subcommand, options @ ..] => {
            unknown_to_quorate(quorate?, subcommand, options)
        }
        _ => None,
    }
}

/// The words of a shell's line; what stands in double quotes is one.
fn words(command: &str) -> Vec<&str> {
    let pieces = command.split('"').enumerate();
    pieces
        .flat_map(
            |(number, piece)| {
                if number % 2 == 1 { vec![piece] } else { piece.split_whitespace().collect() }
            },
        )
        .collect()
}

fn is_placeholder(word: &str) -> bool {
    word.starts_with('<') || word.starts_with('[') || word == "…"
}

/// `N` and its like: stand for a value.
fn is_variable(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase())
}

/// Asks the program itself: each option must stand in the help of its subcommand.
fn unknown_to_quorate(quorate: &Path, subcommand: &str, options: &[&str]) -> Option<String> {
    if is_placeholder(subcommand) {
        return None;
    }
    let Some(help) = output_of(Command::new(quorate).args([subcommand, "--help"])) else {
        return Some(format!("`quorate {subcommand} --help` fails"));
    };
    let known = |option: &str| {
        help.split(|c: char| c.is_whitespace() || ",=[]".contains(c)).any(|word| word == option)
    };
    let unknown = options
        .iter()
        .filter(|word| word.starts_with("--"))
        .map(|word| word.split('=').next().unwrap_or(word));
    let unknown: Vec<&str> = unknown.filter(|option| !known(option)).collect();
    (!unknown.is_empty()).then(|| format!("its help does not list {}", unknown.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_does_not_exist_is_refused() {
        assert_eq!(impossible("cargo xtask test --quick", None), None);
        assert_eq!(impossible("cargo xtask simulate --seeds N", None), None);
        assert_eq!(impossible("cargo xtask test --only \"wasm binding\"", None), None);
        assert!(impossible("cargo xtask tets", None).is_some());
        assert!(impossible("cargo xtask test --fast", None).is_some());
        assert_eq!(impossible("apt-get install clang", None), None);
    }

    #[test]
    fn a_link_must_lead_somewhere() {
        let here = workspace::root().join("README.md");
        let document = Document { anchors: vec!["map".into()], ..Document::default() };
        assert_eq!(broken(&here, "core/", &document), None);
        assert_eq!(broken(&here, "#map", &document), None);
        assert!(broken(&here, "nowhere/", &document).is_some());
        assert!(broken(&here, "#nowhere", &document).is_some());
    }
}
