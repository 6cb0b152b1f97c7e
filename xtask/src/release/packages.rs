//! The packages of a release: like those of `cargo xtask package`, with the libraries of all platforms.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::cross;
use super::platforms::Platform;
use crate::bindings::python::virtual_environment;
use crate::bindings::{generated, kotlin, stub};
use crate::package::order::{BuildOrder, Part};
use crate::package::{crates, jvm, npm, python};
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// File name of the licences of all crates in the libraries.
pub(super) const LICENCES: &str = "THIRD-PARTY-LICENSES.txt";

/// The crate with the library that a package contains; `None` if it contains none for a platform.
pub(super) fn library_of(part: Part) -> Option<&'static str> {
    match part {
        Part::Python => Some("quorate-python"),
        Part::Node => Some("quorate-napi"),
        Part::Kotlin => Some(kotlin::PACKAGE),
        Part::Crate | Part::Wasm => None,
    }
}

/// Builds the files of a package for these platforms, whose libraries are compiled.
pub(super) fn build(
    log: &Log,
    order: &BuildOrder,
    part: Part,
    platforms: &[&'static Platform],
) -> Outcome<Vec<PathBuf>> {
    match part {
        Part::Crate => crates::build(log, order),
        Part::Wasm => npm::wasm(log, order, add_licences),
        Part::Python => wheels(log, order, platforms),
        Part::Node => npm_packages(log, order, platforms),
        Part::Kotlin => jar(log, order, platforms),
    }
}

/// A folder of the release, empty.
fn fresh(name: &str) -> Outcome<PathBuf> {
    let folder = workspace::target("xtask/release").join(name);
    // Files of an earlier run must not get into a package.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// Copies the licences of all crates, which the step before has written.
fn add_licences(folder: &Path) -> Outcome {
    workspace::copy(&workspace::target("xtask/release").join(LICENCES), &folder.join(LICENCES))
}

/// The source distribution, and a wheel per platform: all have the same files except for the library.
fn wheels(log: &Log, order: &BuildOrder, platforms: &[&'static Platform]) -> Outcome<Vec<PathBuf>> {
    let python = virtual_environment(log, "wheel", &[python::MATURIN, "wheel>=0.45,<1"])?;
    let made = fresh("python")?;
    // The same for all platforms. zig leaves no names of symbols in a library, from which it would be read.
    let stub = stub::native_stub(log)?;
    let maturin = |arguments: &[&str], folder: &Path| {
        let mut command = Command::new(python.with_file_name("maturin"));
        command.current_dir(workspace::root().join("bindings/python")).args(arguments).arg(folder);
        workspace::set_incremental(&mut command);
        log.run(&mut command).map(drop)
    };
    python::with_stub(stub.clone(), || maturin(&["sdist", "--out"], &made))?;
    let metadata = fresh("python-metadata")?;
    maturin(&["pep517", "write-dist-info", "--metadata-directory"], &metadata)?;
    for platform in platforms {
        let stage = fresh(&format!("wheels/{}", platform.name))?;
        workspace::copy(&metadata, &stage)?;
        let information = stage.join(format!("quorate-{}.dist-info", order.version));
        generated::put(&information.join("WHEEL"), &wheel_file(platform))?;
        add_licences(&information.join("licenses"))?;
        let metadata = information.join("METADATA");
        let text = fs::read_to_string(&metadata).map_err(|e| format!("{}: {e}", metadata.display()))?;
        generated::put(&metadata, &with_licence_file(&text)?)?;
        let package = stage.join("quorate");
        workspace::copy(&workspace::root().join("bindings/python/python/quorate"), &package)?;
        let _ = fs::remove_dir_all(package.join("__pycache__"));
        generated::write_below(&package, generated::python_modules()?)?;
        generated::write_below(&package, stub.clone())?;
        cross::put(log, platform, "quorate-python", &package.join(platform.python_module()))?;
        // It writes the list of files with their hashes, and derives the wheel's name from its tags.
        log.run(
            Command::new(&python).args(["-m", "wheel", "pack"]).arg(&stage).arg("--dest-dir").arg(&made),
        )?;
    }
    copy_all(&made, &order.out)
}

/// A wheel's metadata with the file of all licences in the list of licence files.
fn with_licence_file(metadata: &str) -> Outcome<String> {
    let (before, after) = metadata.split_once("License-File: ").ok_or("METADATA lists no licence files")?;
    Ok(format!("{before}License-File: {LICENCES}\nLicense-File: {after}"))
}

/// The file that states on which interpreters and systems a wheel runs.
fn wheel_file(platform: &Platform) -> String {
    let tags: String = platform.wheel.split('.').map(|tag| format!("Tag: cp311-abi3-{tag}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: cargo-xtask-release\nRoot-Is-Purelib: false\n{tags}")
}

/// The package that users name, and one per platform, of which npm installs the right one with it.
fn npm_packages(log: &Log, order: &BuildOrder, platforms: &[&'static Platform]) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for platform in platforms {
        let name = platform.npm_package();
        let folder = fresh(&format!("npm/{name}"))?;
        cross::put(log, platform, "quorate-napi", &folder.join(npm::LIBRARY))?;
        add_licences(&folder)?;
        let readme = format!(
            "# {name}\n\nThe native library of the package `quorate` for {}. Install `quorate`, which loads it.\n",
            platform.name
        );
        generated::put(&folder.join("README.md"), &readme)?;
        let (os, cpu, libc) = platform.npm();
        let mut system = json!({ "os": [os], "cpu": [cpu] });
        if let (Some(libc), Some(fields)) = (libc, system.as_object_mut()) {
            fields.insert("libc".to_owned(), json!([libc]));
        }
        files.push(npm::library_alone(log, order, &name, folder, &system)?);
    }
    let names: Vec<String> = platforms.iter().map(|platform| platform.npm_package()).collect();
    files.push(npm::without_library(log, order, &names)?);
    Ok(files)
}

/// The jar with the libraries of all platforms, its pom, and the jars with sources and documentation.
fn jar(log: &Log, order: &BuildOrder, platforms: &[&'static Platform]) -> Outcome<Vec<PathBuf>> {
    let made = kotlin::jar(log)?;
    let stage = fresh("jar")?;
    log.run(Command::new("jar").current_dir(&stage).arg("--extract").arg("--file").arg(&made))?;
    // The library of this machine, in the profile of the tests.
    let own = stage.join(kotlin::platform()?);
    fs::remove_dir_all(&own).map_err(|e| format!("{}: {e}", own.display()))?;
    for platform in platforms {
        let name = platform.library_name(kotlin::PACKAGE);
        cross::put(log, platform, kotlin::PACKAGE, &stage.join(platform.jar_folder()).join(name))?;
    }
    let information = stage.join("META-INF");
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        workspace::copy(&workspace::root().join(license), &information.join(license))?;
    }
    add_licences(&information)?;
    let manifest = workspace::target("xtask/release/MANIFEST.MF");
    fs::rename(information.join("MANIFEST.MF"), &manifest).map_err(|e| format!("MANIFEST.MF: {e}"))?;
    let jar = jvm::jar_path(order);
    let mut pack = Command::new("jar");
    pack.arg("--create").arg("--file").arg(&jar).arg("--manifest").arg(&manifest);
    log.run(pack.arg("-C").arg(&stage).arg("."))?;
    jvm::with_its_companions(log, order, jar)
}

/// Copies the files of a folder; returns the copies.
fn copy_all(from: &Path, to: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?.flatten() {
        let copy = to.join(file.file_name());
        workspace::copy(&file.path(), &copy)?;
        files.push(copy);
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::platforms::named;

    #[test]
    fn the_metadata_list_all_licences() {
        let listed = with_licence_file("Name: quorate\nLicense-File: LICENSE-MIT\n\nText").unwrap();
        let expected = format!("Name: quorate\nLicense-File: {LICENCES}\nLicense-File: LICENSE-MIT\n\nText");
        assert_eq!(listed, expected);
        with_licence_file("Name: quorate\n").unwrap_err();
    }

    #[test]
    fn a_wheel_states_each_of_its_tags() {
        let text = wheel_file(named("linux-aarch64").unwrap());
        assert!(text.ends_with(
            "Root-Is-Purelib: false\nTag: cp311-abi3-manylinux_2_17_aarch64\nTag: cp311-abi3-manylinux2014_aarch64\n"
        ));
    }
}
