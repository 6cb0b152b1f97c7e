//! The files that `quorate-generator` writes from the declaration of the blocks' interface. They are not checked in.

use std::fs;
use std::path::{Path, PathBuf};

use quorate_generator::model::Block;
use quorate_generator::names::pascal;
use quorate_generator::operations::{self, Language};
use quorate_generator::typescript::Package;
use quorate_generator::{blocks, errors, kotlin, python_module, typescript};

use crate::process::Outcome;

/// The classes of a package for JavaScript: a module of each block.
pub(crate) fn typescript_classes(package: Package) -> Outcome<Files> {
    let file = |block: &Block| {
        Some((PathBuf::from(format!("{}.ts", block.name)), typescript::emit(block, package)?))
    };
    Ok(blocks()?.iter().filter_map(file).collect())
}

/// The error classes of both packages for JavaScript, and the list of those that users see.
pub(crate) fn typescript_errors() -> Outcome<Files> {
    let classes = errors::classes()?;
    let file = |name: &str, text: String| (PathBuf::from(name), text);
    Ok(vec![
        file("errors.ts", errors::typescript::emit(&classes)),
        file("public-errors.ts", errors::typescript::public(&classes)),
    ])
}

/// Files below a folder: path and text of each.
pub(crate) type Files = Vec<(PathBuf, String)>;

/// Writes files below a folder.
pub(crate) fn write_below(folder: &Path, files: Files) -> Outcome {
    files.iter().try_for_each(|(file, text)| put(&folder.join(file), text))
}

/// Python's modules with their stubs and the module with the exceptions, below the folder of the package.
pub(crate) fn python_modules() -> Outcome<Files> {
    let mut files = python_module::files(&blocks()?);
    files.push((PathBuf::from("errors.py"), errors::python::emit(&errors::classes()?)));
    Ok(files)
}

/// The classes and exceptions for Kotlin, below a folder of sources.
pub(crate) fn kotlin_classes() -> Outcome<Files> {
    let file = |block: &Block| {
        let folder = kotlin::package(block).replace('.', "/");
        let name = block.path.rsplit("::").next().unwrap_or_default();
        (Path::new(&folder).join(format!("{}.kt", pascal(name))), kotlin::emit(block))
    };
    let awaiting = |block: &Block| {
        let path = format!("org/quorate/Await{}.kt", pascal(&block.name));
        kotlin::emit_awaiting(block).map(|text| (PathBuf::from(path), text))
    };
    let blocks = blocks()?;
    let mut files: Files = blocks.iter().map(file).chain(blocks.iter().filter_map(awaiting)).collect();
    let exceptions = Path::new("org/quorate/QuorateException.kt").to_path_buf();
    files.push((exceptions, errors::kotlin::emit(&errors::classes()?)));
    Ok(files)
}

/// Writes the operations of `spec/vectors` as a module of a language's tests.
pub(crate) fn put_operations(language: Language, file: &Path) -> Outcome {
    put(file, &operations::module(&blocks()?, language)?)
}

/// Writes a file unless it has this text: tools that compare times would run again.
pub(crate) fn put(file: &Path, text: &str) -> Outcome {
    if fs::read_to_string(file).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let problem = |error: std::io::Error| format!("{}: {error}", file.display());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(problem)?;
    }
    fs::write(file, text).map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_its_class_for_kotlin() {
        let files = kotlin_classes().unwrap();
        let (_, text) =
            files.iter().find(|(path, _)| path.as_path() == Path::new("org/quorate/Merkle.kt")).unwrap();
        assert!(text.contains("public data class Merkle("), "{text}");
    }
}
