//! Installs each package as a stranger would, in an empty folder outside the repository, and uses it there.

use super::old;
use super::sandbox::{self, Sandbox};
use super::{smoke, tested, version};
use crate::process::Outcome;
use crate::steps::{Log, Steps};

/// Adds a step for each package.
pub(super) fn add_to(steps: &mut Steps) {
    steps.add("packages, crate", rust);
}

/// The `.crate` unpacked beside a new project that depends on it.
fn rust(log: &Log) -> Outcome<String> {
    let sandbox = Sandbox::new("crate")?;
    let version = version::of_workspace()?;
    let package = sandbox.bring(&tested().join(format!("quorate-{version}.crate")))?;
    log.run(sandbox.command("tar").arg("-xzf").arg(&package))?;
    let manifest = format!(
        "[package]\nname = \"smoke\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         getrandom = {{ version = \"0.4\", features = [\"sys_rng\"] }}\nquorate = {{ path = \"../quorate-{version}\" }}\n"
    );
    sandbox.put("smoke/Cargo.toml", &manifest)?;
    sandbox.put("smoke/src/main.rs", smoke::RUST)?;
    let emulator = old::emulator(log)?;
    if emulator.is_some() {
        sandbox.put("smoke/src/bin/processor.rs", smoke::PROCESSOR)?;
    }
    let mut cargo = sandbox.command("cargo");
    log.run(cargo.current_dir(sandbox.path("smoke")).args(["build", "--quiet"]))?;
    let built = sandbox.path("smoke/target/debug");
    smoke::went(&log.run(&mut sandbox.command(built.join("smoke")))?, "the crate")?;
    let mut said = vec![sandbox::said().to_owned()];
    if let Some(emulator) = emulator {
        emulator.check(log, &sandbox, &built.join("processor"))?;
        smoke::went(&log.run(&mut emulator.command(&sandbox, &built.join("smoke")))?, "the crate")?;
        said.push(emulator.said());
    }
    Ok(said.join(", "))
}
