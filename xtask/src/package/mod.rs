//! `cargo xtask package`: builds the packages for users into one folder.
//!
//! All packages have the version number of the workspace. [`clean`] installs each in an environment that cannot see this
//! repository, and uses it there and on an emulated processor of 2008. The tests run the same steps with native libraries
//! in the tests' profile, which are already compiled; `--check` runs them with the files for users.

pub(crate) mod clean;
pub(crate) mod crates;
pub(crate) mod jvm;
mod native;
pub(crate) mod npm;
mod old_processor;
pub(crate) mod order;
pub(crate) mod python;
pub(crate) mod sandbox;
pub(crate) mod smoke;
pub(crate) mod summary;
pub(crate) mod version;

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;

use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::workspace;
use order::{BuildOrder, Part, Profile};
use summary::Built;

/// Builds the packages that users install, and prints sizes and SHA-256 of each file. Nothing is published.
///
/// A wheel and a source distribution for pip, two npm packages, a jar for Maven, and the crate, all with the version number
/// of the workspace. Native libraries are for this kind of machine.
#[derive(Debug, Args)]
pub(crate) struct PackageArgs {
    /// Builds only this package; can be repeated.
    #[arg(long, value_enum, value_name = "PACKAGE")]
    only: Vec<Part>,
    /// Output folder.
    #[arg(long, default_value = "dist", value_name = "FOLDER")]
    out: PathBuf,
    /// Installs each package in a clean environment and uses it there, also on an emulated old processor.
    #[arg(long)]
    check: bool,
    /// Prints the list of files as JSON on the standard output, and all other text on the standard error.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PackageArgs) -> Outcome {
    let out = std::path::absolute(&args.out).map_err(|e| e.to_string())?;
    let order = BuildOrder { version: version::workspace_version()?, profile: Profile::Release, out };
    let parts = if args.only.is_empty() { Part::ALL } else { &args.only };
    let files = Rc::new(RefCell::new(Vec::new()));
    let mut steps = if args.json { Steps::on_standard_error() } else { Steps::default() };
    steps.add("environment", crate::environment::prepare);
    steps.add("version", |_| version::check());
    for part in parts.iter().copied() {
        let (order, files, check) = (order.clone(), Rc::clone(&files), args.check);
        steps.add(part.step(), move |log| build_and_check(part, log, &order, check, &mut files.borrow_mut()));
    }
    let outcome = steps.run("packages");
    let files = files.borrow();
    if args.json {
        println!("{}", summary::json(&order.version, &files));
    } else {
        println!("\n{}", summary::table(&files));
    }
    outcome
}

/// Adds the steps that build each package, install it and use it. Those whose users compile nothing run in the background
/// of the two others, which leave a processor idle.
pub(crate) fn add_to(steps: &mut Steps) {
    let test = |part: Part| {
        move |log: &Log| {
            let out = workspace::target("xtask/packages");
            let order = BuildOrder { version: version::workspace_version()?, profile: Profile::Tests, out };
            build_and_check(part, log, &order, true, &mut Vec::new())
        }
    };
    steps.add("packages, version", |_| version::check());
    for part in [Part::Node, Part::Wasm, Part::Kotlin] {
        steps.add_background(part.step(), test(part));
    }
    for part in [Part::Crate, Part::Python] {
        steps.add(part.step(), test(part));
    }
}

/// Builds the package's files.
fn build(part: Part, log: &Log, order: &BuildOrder) -> Outcome<Vec<PathBuf>> {
    fs::create_dir_all(&order.out).map_err(|e| format!("{}: {e}", order.out.display()))?;
    match part {
        Part::Crate => crates::build(log, order),
        Part::Python => python::build(log, order),
        Part::Node => npm::native(log, order),
        Part::Wasm => npm::wasm(log, order, |_| Ok(())),
        Part::Kotlin => jvm::build(log, order),
    }
}

/// Builds a package and, with `check`, installs and uses it; returns the text for the step's line.
fn build_and_check(
    part: Part,
    log: &Log,
    order: &BuildOrder,
    check: bool,
    files: &mut Vec<Built>,
) -> Outcome<String> {
    let paths = build(part, log, order)?;
    let built = summary::inspect(part.name(), &paths)?;
    let sizes = summary::sizes(&built);
    files.extend(built);
    if check {
        clean::install(part, log, order, &paths).map(|notes| format!("{sizes}; {notes}"))
    } else {
        Ok(sizes)
    }
}
