//! `cargo xtask package`: what users install, made from this repository into one folder.
//!
//! All packages carry one version number, the workspace's. [`clean`] installs each where nothing of this repository
//! can be seen, and uses it there and on a processor of 2008. The tests do that with native libraries in the tests'
//! profile, which are compiled already; `--check` does it with the very files that are made for users. Nothing else
//! differs between the two.

mod clean;
mod crates;
mod jvm;
mod native;
mod npm;
mod old;
mod python;
mod sandbox;
mod smoke;
mod summary;
mod version;

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use clap::{Args, ValueEnum};

use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::workspace;
use summary::Built;

/// Builds the packages that users install, and prints sizes and SHA-256 of each file. Nothing is published.
///
/// One version number, the workspace's, for all: a wheel and a source distribution for pip, two npm packages, a jar
/// for Maven, and the crate. Native libraries are for this kind of machine.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Builds only this one; can be given several times.
    #[arg(long, value_enum, value_name = "PACKAGE")]
    only: Vec<Part>,
    /// The folder for the files.
    #[arg(long, default_value = "dist", value_name = "FOLDER")]
    out: PathBuf,
    /// Installs each in a clean environment and uses it there, on an emulated old processor too.
    #[arg(long)]
    check: bool,
    /// Prints what was built as JSON on the standard output, and everything else on the standard error.
    #[arg(long)]
    json: bool,
}

/// One package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The core for crates.io.
    Crate,
    /// Wheel and source distribution for pip.
    Python,
    /// The jar for Maven, with a native library for this kind of machine.
    Kotlin,
    /// The npm package with a native library for this kind of machine.
    Node,
    /// The npm package of WebAssembly.
    Wasm,
}

impl Part {
    const ALL: &[Part] = &[Part::Crate, Part::Python, Part::Node, Part::Wasm, Part::Kotlin];

    fn name(self) -> &'static str {
        match self {
            Part::Crate => "crate",
            Part::Python => "python",
            Part::Node => "node",
            Part::Wasm => "wasm",
            Part::Kotlin => "kotlin",
        }
    }

    /// The name of its step in the tests.
    fn step(self) -> &'static str {
        match self {
            Part::Crate => "packages, crate",
            Part::Python => "packages, python",
            Part::Node => "packages, node",
            Part::Wasm => "packages, wasm",
            Part::Kotlin => "packages, kotlin",
        }
    }

    /// Builds the package's files.
    fn build(self, log: &Log, order: &Order) -> Outcome<Vec<PathBuf>> {
        fs::create_dir_all(&order.out).map_err(|e| format!("{}: {e}", order.out.display()))?;
        match self {
            Part::Crate => crates::build(log, order),
            Part::Python => python::build(log, order),
            Part::Node => npm::native(log, order),
            Part::Wasm => npm::wasm(log, order),
            Part::Kotlin => jvm::build(log, order),
        }
    }
}

/// What is to be built.
#[derive(Clone, Debug)]
struct Order {
    version: String,
    profile: Profile,
    out: PathBuf,
}

/// How native libraries are compiled. The modules of WebAssembly have only one way.
#[derive(Clone, Copy, Debug)]
enum Profile {
    /// For users.
    Release,
    /// As the tests compile everything.
    Tests,
}

impl Profile {
    /// For cargo's `--profile`.
    fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Tests => "dev",
        }
    }

    /// The folder for it in the target folder.
    fn folder(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Tests => "debug",
        }
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let out = std::path::absolute(&options.out).map_err(|e| e.to_string())?;
    let order = Order { version: version::of_workspace()?, profile: Profile::Release, out };
    let parts = if options.only.is_empty() { Part::ALL } else { &options.only };
    let files = Rc::new(RefCell::new(Vec::new()));
    let mut steps = if options.json { Steps::on_standard_error() } else { Steps::default() };
    steps.add("environment", crate::environment::prepare);
    steps.add("version", |_| version::check());
    for part in parts.iter().copied() {
        let (order, files, check) = (order.clone(), Rc::clone(&files), options.check);
        steps.add(part.step(), move |log| made(part, log, &order, check, &mut files.borrow_mut()));
    }
    let outcome = steps.run("packages");
    let files = files.borrow();
    if options.json {
        println!("{}", summary::json(&order.version, &files));
    } else {
        println!("\n{}", summary::table(&files));
    }
    outcome
}

/// Adds the steps that build each package, install it and use it.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("packages, version", |_| version::check());
    for part in Part::ALL.iter().copied() {
        steps.add(part.step(), move |log| {
            let out = workspace::target("xtask/packages");
            let order = Order { version: version::of_workspace()?, profile: Profile::Tests, out };
            made(part, log, &order, true, &mut Vec::new())
        });
    }
}

/// Builds a package and, if asked, uses it; answers with what there is to say.
fn made(part: Part, log: &Log, order: &Order, check: bool, files: &mut Vec<Built>) -> Outcome<String> {
    let made = part.build(log, order)?;
    let built = summary::look_into(part.name(), &made)?;
    let sizes = summary::sizes(&built);
    files.extend(built);
    if check {
        clean::install(part, log, order, &made).map(|said| format!("{sizes}; {said}"))
    } else {
        Ok(sizes)
    }
}
