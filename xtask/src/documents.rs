//! Checks the documents: every link has a target, every command exists with the options shown, every figure is that of the
//! report, and the site can be generated from them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use crate::figures::Report;
use crate::markdown::Document;
use crate::process::{Outcome, output_of};
use crate::{site, workspace};

/// The guide to the blocks, relative to the READMEs of both npm packages, which include it.
pub(crate) const GUIDE: &str = "../javascript/GUIDE.md";

/// Creates the command line of `cargo xtask`, with which commands in documents are compared.
pub(crate) type CommandLine = fn() -> clap::Command;

/// Folders without documents of this repository.
const SKIPPED: &[&str] = &["target", "node_modules", ".git", ".venv"];

/// Checks every Markdown file of the repository; with the binary `quorate`, also the commands that use it.
pub(crate) fn check(xtask: CommandLine, quorate: Option<&Path>) -> Outcome<String> {
    let root = workspace::root();
    let mut files = Vec::new();
    markdown_files(&root, &mut files);
    let mut problems = Vec::new();
    let (mut links, mut commands, mut figures) = (0usize, 0usize, 0usize);
    let report = Report::read()?;
    for file in &files {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let document = Document::read(&text);
        let name = file.strip_prefix(&root).unwrap_or(file).display();
        links += document.links.len();
        commands += document.commands.len();
        let (compared, wrong) = report.compare(&text);
        figures += compared;
        problems.extend(wrong.into_iter().map(|problem| format!("{name}: {problem}")));
        for link in &document.links {
            if let Some(problem) = broken_link(file, link, &document) {
                problems.push(format!("{name}: link `{link}`: {problem}"));
            }
        }
        for command in &document.commands {
            if let Some(problem) = invalid_command(command, xtask, quorate) {
                problems.push(format!("{name}: `{command}`: {problem}"));
            }
        }
    }
    if problems.is_empty() {
        let site = site::check_sources()?;
        Ok(format!(
            "{} documents, {links} links, {commands} commands, {figures} figures; {site}",
            files.len()
        ))
    } else {
        Err(problems.join("\n"))
    }
}

/// Replaces the figures of all documents by those of the report.
pub(crate) fn update_figures() -> Outcome {
    let mut files = Vec::new();
    markdown_files(&workspace::root(), &mut files);
    let report = Report::read()?;
    for file in files {
        let failed = |e: std::io::Error| format!("{}: {e}", file.display());
        let text = fs::read_to_string(&file).map_err(failed)?;
        let updated = report.update(&text);
        if updated != text {
            fs::write(&file, updated).map_err(failed)?;
        }
    }
    Ok(())
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

/// Returns the problem of a broken link. Links to other sites are not followed: a test must not depend on them.
fn broken_link(file: &Path, link: &str, document: &Document) -> Option<String> {
    if link.starts_with("http://") || link.starts_with("https://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return (!document.anchors.iter().any(|known| known == anchor)).then(|| "no such heading".to_owned());
    }
    if leaves_package(file, path) {
        return Some("users of the package have no such file; name the path instead".to_owned());
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

/// Returns true for a link from a binding's README, which is part of the package, to a file that is not: outside the
/// folder of an npm package, whose README includes the guide, or any file for pip and Maven, where the README is only a
/// description.
fn leaves_package(file: &Path, path: &str) -> bool {
    let is_readme_of = |name: &&str| file.ends_with(format!("bindings/{name}/README.md"));
    ["python", "kotlin"].iter().any(&is_readme_of)
        || (path.starts_with("../") && path != GUIDE && ["node", "wasm"].iter().any(&is_readme_of))
}

/// Returns the problem of a command that would not run. Only `cargo xtask` and `quorate` are checked.
fn invalid_command(command: &str, xtask: CommandLine, quorate: Option<&Path>) -> Option<String> {
    let words = words(command);
    let words: Vec<&str> =
        words.into_iter().take_while(|word| !["&", "|", "&&", ">"].contains(word)).collect();
    match words.as_slice() {
        ["cargo", "xtask", rest @ ..] if !rest.is_empty() => {
            let values = rest.iter().copied().filter(|word| !is_placeholder(word));
            let line =
                std::iter::once("xtask").chain(values.map(|word| if is_variable(word) { "1" } else { word }));
            match xtask().try_get_matches_from(line) {
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

/// Splits a shell command into words; text in double quotes is one word.
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

/// Returns true for `N` and similar words, which stand for a value.
fn is_variable(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase())
}

/// Checks that the help of the subcommand contains each option.
fn unknown_to_quorate(quorate: &Path, subcommand: &str, options: &[&str]) -> Option<String> {
    if is_placeholder(subcommand) {
        return None;
    }
    let Some(help) = output_of(process::Command::new(quorate).args([subcommand, "--help"])) else {
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
    use clap::{Arg, ArgAction, Command};

    use super::*;

    fn xtask() -> Command {
        let test = Command::new("test")
            .arg(Arg::new("quick").long("quick").action(ArgAction::SetTrue))
            .arg(Arg::new("only").long("only"));
        let simulate = Command::new("simulate").arg(Arg::new("seeds").long("seeds"));
        Command::new("xtask").subcommand_required(true).subcommand(test).subcommand(simulate)
    }

    #[test]
    fn an_unknown_command_is_refused() {
        assert_eq!(invalid_command("cargo xtask test --quick", xtask, None), None);
        assert_eq!(invalid_command("cargo xtask simulate --seeds N", xtask, None), None);
        assert_eq!(invalid_command("cargo xtask test --only \"wasm binding\"", xtask, None), None);
        assert!(invalid_command("cargo xtask tets", xtask, None).is_some());
        assert!(invalid_command("cargo xtask test --fast", xtask, None).is_some());
        assert_eq!(invalid_command("apt-get install clang", xtask, None), None);
    }

    #[test]
    fn a_link_without_a_target_is_refused() {
        let here = workspace::root().join("README.md");
        let document = Document { anchors: vec!["map".into()], ..Document::default() };
        assert_eq!(broken_link(&here, "core/", &document), None);
        assert_eq!(broken_link(&here, "#map", &document), None);
        assert!(broken_link(&here, "nowhere/", &document).is_some());
        assert!(broken_link(&here, "#nowhere", &document).is_some());
        let packaged = workspace::root().join("bindings/node/README.md");
        assert!(broken_link(&packaged, "../../README.md", &document).is_some());
        assert_eq!(broken_link(&packaged, "package.json", &document), None);
        assert_eq!(broken_link(&packaged, GUIDE, &document), None);
        let description = workspace::root().join("bindings/python/README.md");
        assert!(broken_link(&description, "pyproject.toml", &document).is_some());
    }
}
