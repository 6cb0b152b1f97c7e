//! `cargo xtask release --dry-run`: everything that a release consists of, built on this machine for all platforms, and used
//! there as far as this machine can run it.
//!
//! The order: the rules for dependencies ([`policy`]), the licences and the bill of materials of the crates in the libraries,
//! the libraries of each platform ([`cross`]), the packages ([`packages`]), the trial of the packages on each platform
//! ([`trial`]), and the sums of all files.

mod cross;
mod debian_root;
mod dependencies;
mod inspect;
mod library;
mod licences;
mod mach;
mod musl_python;
mod packages;
mod platforms;
pub(crate) mod policy;
mod progress;
mod runtimes;
mod sbom;
mod signature;
mod trial;
mod windows;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use sha2::{Digest, Sha256};

use crate::bindings::generated;
use crate::package::order::{BuildOrder, Part, Profile};
use crate::package::{clean, summary, version};
use crate::process::{Outcome, output_of};
use crate::steps::{Log, Steps};
use crate::workspace;
use packages::{LICENCES, library_of};
use platforms::{PLATFORMS, Platform};
use progress::{Passed, Progress};

/// Builds everything of a release for all platforms, and uses it there as far as this machine can run it.
///
/// Wheels, npm packages, the jar, the crate, SHA-256 sums, a bill of materials (CycloneDX) and all licences. Nothing is
/// published. For Linux on x86-64 with Debian; other processors run in QEMU, Windows in Wine, and macOS does not run.
#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// Publishes nothing. Required, because this command cannot publish.
    #[arg(long)]
    dry_run: bool,
    /// Only this platform or package; can be repeated.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
    only: Vec<String>,
    /// Continues earlier runs with the same sources and variables: no step that passed runs again.
    ///
    /// Changes of this program itself do not count.
    #[arg(long)]
    resume: bool,
    /// Output folder.
    #[arg(long, default_value = "dist/release", value_name = "FOLDER")]
    out: PathBuf,
}

/// Names of platforms and packages.
fn names() -> Vec<&'static str> {
    let parts = Part::ALL.iter().map(|part| part.name());
    PLATFORMS.iter().map(|platform| platform.name).chain(parts).collect()
}

pub(crate) fn run(args: &ReleaseArgs) -> Outcome {
    if !args.dry_run {
        return Err("expected --dry-run: releases are published by hand, see CONTRIBUTING.md".to_owned());
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("releases are built on Linux on x86-64".to_owned());
    }
    let out = std::path::absolute(&args.out).map_err(|e| e.to_string())?;
    let order = BuildOrder { version: version::workspace_version()?, profile: Profile::Release, out };
    let is_wanted = |name: &str| args.only.iter().any(|only| only == name);
    let platforms = chosen(PLATFORMS.iter(), |platform| is_wanted(platform.name));
    let parts = chosen(Part::ALL.iter().copied(), |part| is_wanted(part.name()));
    // The jar needs classes, which the tests' profile of the bindings generates.
    crate::build::bindings_alone();
    let progress = Progress::begin(args.resume)?;
    if !progress.resumes() {
        if args.resume {
            println!("no earlier run with the same sources and variables: all steps run");
        }
        clear(&order.out)?;
    }
    let mut steps = Steps::default();
    steps.add("environment", crate::environment::prepare);
    steps.add("version", |_| version::check());
    steps.add("dependencies", policy::check);
    add_papers(&mut steps, &order);
    add_libraries(&mut steps, &progress, &platforms, &parts);
    let files = Files::default();
    for part in parts.iter().copied() {
        let (order, platforms, files) = (order.clone(), platforms.clone(), Rc::clone(&files));
        let progress = progress.clone();
        steps.add(part.step(), move |log| {
            let settings = format!("{} in {}", names_of(&platforms), order.out.display());
            let passed = progress.unless_passed(part.step(), &settings, || {
                let paths = packages::build(log, &order, part, &platforms)?;
                let built = summary::inspect(part.name(), &paths)?;
                summary::require_file(&built, LICENCES)?;
                Ok(Passed { text: summary::sizes(&built), files: paths })
            })?;
            files.borrow_mut().push((part, passed.files));
            Ok(passed.text)
        });
    }
    add_trials(&mut steps, &progress, &order, (&platforms, &parts), &files);
    let (folder, built) = (order.out.clone(), Rc::clone(&files));
    steps.add("sums", move |_| {
        let built = built.borrow();
        let wanted: Vec<&PathBuf> = built.iter().flat_map(|(_, paths)| paths).collect();
        remove_others(&folder, &wanted)?;
        write_sums(&folder)
    });
    let outcome = steps.run("release");
    let mut built = Vec::new();
    for (part, paths) in files.borrow().iter() {
        built.extend(summary::inspect(part.name(), paths)?);
    }
    println!("\n{}", summary::table(&built));
    outcome
}

/// The names of platforms.
fn names_of(platforms: &[&Platform]) -> String {
    platforms.iter().map(|platform| platform.name).collect::<Vec<_>>().join(" ")
}

/// Removes packages that are not of this run: a run that continues one with other platforms finds its files.
fn remove_others(out: &Path, wanted: &[&PathBuf]) -> Outcome {
    for file in fs::read_dir(out).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let is_package = file.extension().is_some_and(|end| PACKAGES.iter().any(|package| end == *package));
        if is_package && !wanted.contains(&&file) {
            fs::remove_file(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        }
    }
    Ok(())
}

/// The ends of the names of packages' files.
const PACKAGES: &[&str] = &["crate", "gz", "jar", "pom", "tgz", "whl"];

/// The files of the packages that were built so far.
type Files = Rc<RefCell<Vec<(Part, Vec<PathBuf>)>>>;

/// Those that are wanted; all if none is.
fn chosen<T>(all: impl Iterator<Item = T>, is_wanted: impl Fn(&T) -> bool) -> Vec<T> {
    let (wanted, rest): (Vec<T>, Vec<T>) = all.partition(is_wanted);
    if wanted.is_empty() { rest } else { wanted }
}

/// Removes the files of an earlier release: the sums cover all files of the folder. Refuses a folder with others.
fn clear(out: &Path) -> Outcome {
    let mut files = Vec::new();
    for entry in fs::read_dir(out).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with("quorate-") && ![SUMS, LICENCES].contains(&name.as_str()) {
            return Err(format!("{}: unexpected {name}; choose an empty folder with --out", out.display()));
        }
        files.push(entry.path());
    }
    files
        .iter()
        .try_for_each(|file| fs::remove_file(file).map_err(|e| format!("{}: {e}", file.display())))?;
    fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))
}

fn add_libraries(steps: &mut Steps, progress: &Progress, platforms: &[&'static Platform], parts: &[Part]) {
    if !parts.iter().copied().any(|part| library_of(part).is_some()) {
        return;
    }
    // Also those that no wanted package needs: for another set of crates cargo chooses other features of dependencies, and
    // compiles them again.
    let crates: Vec<&'static str> = Part::ALL.iter().copied().filter_map(library_of).collect();
    for platform in platforms.iter().copied() {
        let (crates, progress) = (crates.clone(), progress.clone());
        steps.add(platform.building, move |log| {
            let passed = progress.unless_passed(platform.building, &crates.join(" "), || {
                let files = cross::build(log, platform, &crates)?;
                let check = |(name, file): (&&str, &PathBuf)| inspect::check(platform, name, file);
                let oldest = crates.iter().zip(&files).map(check).collect::<Outcome<Vec<_>>>()?;
                Ok(Passed { text: oldest.first().cloned().unwrap_or_default(), files })
            })?;
            Ok(passed.text)
        });
    }
}

/// Licences and bill of materials.
fn add_papers(steps: &mut Steps, order: &BuildOrder) {
    let order = order.clone();
    steps.add("licences, bill of materials", move |log: &Log| {
        let crates = dependencies::shipped()?;
        let rust = output_of(Command::new("rustc").arg("--version")).unwrap_or_default();
        let rust = rust.split(' ').nth(1).ok_or("`rustc --version` prints no version")?;
        let zig = cross::zig(log)?;
        let text = licences::text(&crates, &licences::beside_crates(zig.parent().unwrap_or(&zig))?)?;
        generated::put(&workspace::target("xtask/release").join(LICENCES), &text)?;
        generated::put(&order.out.join(LICENCES), &text)?;
        let document = sbom::document(&order.version, rust, &crates)?;
        let file = order.out.join(format!("quorate-{}.cdx.json", order.version));
        generated::put(&file, &format!("{document:#}\n"))?;
        sbom::validate(log, &file)?;
        Ok(format!("{} crates", crates.len()))
    });
}

fn add_trials(
    steps: &mut Steps,
    progress: &Progress,
    order: &BuildOrder,
    (platforms, parts): (&[&'static Platform], &[Part]),
    files: &Files,
) {
    for part in [Part::Crate, Part::Wasm].into_iter().filter(|part| parts.contains(part)) {
        let name = if part == Part::Crate { "use, crate" } else { "use, wasm" };
        let order = order.clone();
        add_trial(steps, progress, name, files, move |log| {
            clean::install(part, log, &order, &files_of(part, &order)?)
        });
    }
    if !parts.iter().copied().any(|part| library_of(part).is_some()) {
        return;
    }
    for platform in platforms.iter().copied() {
        let (order, parts) = (order.clone(), parts.to_vec());
        add_trial(steps, progress, platform.using, files, move |log| {
            trial::Trial { log, order: &order, platform, parts: &parts }.run()
        });
    }
}

/// Adds a step that uses the files of packages.
fn add_trial(
    steps: &mut Steps,
    progress: &Progress,
    name: &'static str,
    files: &Files,
    work: impl FnOnce(&Log) -> Outcome<String> + 'static,
) {
    let (progress, files) = (progress.clone(), Rc::clone(files));
    steps.add(name, move |log| {
        let files: Vec<PathBuf> = files.borrow().iter().flat_map(|(_, paths)| paths.clone()).collect();
        // Their names have the packages, the folder, and for most packages the platforms.
        let settings: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        Ok(progress.unless_passed(name, &settings.join(" "), || Ok(Passed { text: work(log)?, files }))?.text)
    });
}

/// The built files of a package that has the same for all platforms.
fn files_of(part: Part, order: &BuildOrder) -> Outcome<Vec<PathBuf>> {
    let name = match part {
        Part::Crate => format!("quorate-{}.crate", order.version),
        _ => format!("quorate-wasm-{}.tgz", order.version),
    };
    let file = order.out.join(name);
    if file.exists() { Ok(vec![file]) } else { Err(format!("{}: it was not built", file.display())) }
}

/// Name of the file with the sums of all others, which `sha256sum --check` reads.
const SUMS: &str = "SHA256SUMS";

fn write_sums(out: &Path) -> Outcome<String> {
    let entries = fs::read_dir(out).map_err(|e| format!("{}: {e}", out.display()))?.flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|file| !file.ends_with(SUMS)).collect();
    files.sort();
    let mut text = String::new();
    for file in &files {
        let bytes = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        text += &format!("{}  {name}\n", hex::encode(Sha256::digest(&bytes)));
    }
    generated::put(&out.join(SUMS), &text)?;
    Ok(format!("{} files in {}", files.len(), out.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_none_is_a_choice_of_all() {
        assert_eq!(chosen([1, 2, 3].into_iter(), |number| *number == 2), [2]);
        assert_eq!(chosen([1, 2, 3].into_iter(), |_| false), [1, 2, 3]);
    }

    #[test]
    fn packages_of_another_run_are_removed() {
        let folder = workspace::target("xtask/unit/others");
        let _ = fs::remove_dir_all(&folder);
        clear(&folder).unwrap();
        let file = |name: &str| folder.join(format!("quorate-{name}"));
        ["1.jar", "2.whl", "1.cdx.json"].iter().for_each(|name| fs::write(file(name), "").unwrap());
        remove_others(&folder, &[&file("1.jar")]).unwrap();
        assert_eq!(["1.jar", "2.whl", "1.cdx.json"].map(|name| file(name).exists()), [true, false, true]);
    }

    #[test]
    fn sums_are_those_that_sha256sum_reads() {
        let folder = workspace::target("xtask/unit/sums");
        let _ = fs::remove_dir_all(&folder);
        clear(&folder).unwrap();
        fs::write(folder.join("quorate-1.tgz"), "abc").unwrap();
        write_sums(&folder).unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  quorate-1.tgz\n";
        assert_eq!(fs::read_to_string(folder.join(SUMS)).unwrap(), expected);
        clear(&folder).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::write(folder.join("letter.txt"), "").unwrap();
        clear(&folder).unwrap_err();
    }
}
