//! `cargo xtask package`: what users install, made from this repository into one folder.
//!
//! All packages carry one version number, the workspace's. [`clean`] installs each where nothing of this repository
//! can be seen, and uses it there and on a processor of 2008.

mod clean;
mod crates;
mod old;
mod sandbox;
mod smoke;
mod summary;
mod version;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::{Args, ValueEnum};

use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::workspace;

/// Builds the packages that users install, and prints name, size and SHA-256 of each file. Nothing is published.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Builds only this one; can be given several times.
    #[arg(long, value_enum, value_name = "PACKAGE")]
    only: Vec<Part>,
    /// The folder for the files.
    #[arg(long, default_value = "dist", value_name = "FOLDER")]
    out: PathBuf,
}

/// One package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The core for crates.io.
    Crate,
}

impl Part {
    const ALL: &[Part] = &[Part::Crate];

    fn name(self) -> &'static str {
        match self {
            Part::Crate => "crate",
        }
    }

    /// Builds the package's files into a folder.
    fn build(self, log: &Log, out: &Path) -> Outcome<Vec<PathBuf>> {
        let version = version::of_workspace()?;
        fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
        match self {
            Part::Crate => crates::build(log, &version, out),
        }
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let out = std::path::absolute(&options.out).map_err(|e| e.to_string())?;
    let parts = if options.only.is_empty() { Part::ALL } else { &options.only };
    let files = Rc::new(RefCell::new(Vec::new()));
    let mut steps = Steps::default();
    steps.add("environment", crate::environment::prepare);
    steps.add("version", |_| version::check());
    for part in parts.iter().copied() {
        let (out, files) = (out.clone(), Rc::clone(&files));
        steps.add(part.name(), move |log| {
            let built = part.build(log, &out)?;
            let sizes = summary::sizes(&built)?;
            files.borrow_mut().extend(built);
            Ok(sizes)
        });
    }
    let outcome = steps.run("packages");
    println!("\n{}", summary::table(&files.borrow())?);
    outcome
}

/// Adds the steps that build all packages, install them and use them.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("packages, version", |_| version::check());
    steps.add("packages, build", |log| {
        let mut all = Vec::new();
        for part in Part::ALL {
            all.extend(part.build(log, &tested())?);
        }
        summary::sizes(&all)
    });
    clean::add_to(steps);
}

/// Where the packages are that the tests install.
fn tested() -> PathBuf {
    workspace::target("xtask/packages")
}
