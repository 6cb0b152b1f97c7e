//! Unpacks the `.crate` into a new project that depends on it, and runs a program there.

use std::fs;
use std::path::PathBuf;

use super::inputs::only_file;
use crate::package::order::BuildOrder;
use crate::package::sandbox::{self, Sandbox};
use crate::package::{old_processor, smoke};
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

pub(super) fn install(log: &Log, order: &BuildOrder, files: &[PathBuf]) -> Outcome<String> {
    let sandbox = Sandbox::new("crate")?;
    let name = format!("quorate-{}", order.version);
    let package = sandbox.bring(only_file(files, ".crate")?)?;
    // With the present time on each file: otherwise cargo would reuse the compiled crate of an earlier package.
    log.run(sandbox.command("tar").arg("--touch").arg("-xzf").arg(&package))?;
    let manifest = format!(
        "[package]\nname = \"quorate-smoke\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         getrandom = {{ version = \"0.4\", features = [\"sys_rng\"] }}\nquorate = {{ path = \"{name}\" }}\n\n[workspace]\n\n{}",
        profiles()?
    );
    sandbox.put("Cargo.toml", &manifest)?;
    sandbox.put("src/main.rs", smoke::RUST)?;
    let emulator = old_processor::emulator(log)?;
    if emulator.is_some() {
        sandbox.put("src/bin/quorate-processor.rs", smoke::PROCESSOR)?;
    }
    log.run(sandbox.building("cargo")?.args(["build", "--quiet", "--config", QUICKLY]))?;
    let program = |name| sandbox.bring(&workspace::target("debug").join(name));
    let tour = program("quorate-smoke")?;
    smoke::check_tour(&log.run(&mut sandbox.command(&tour))?, "the crate")?;
    let mut notes = vec![sandbox::isolation().to_owned()];
    if let Some(emulator) = emulator {
        emulator.check(log, &sandbox, &program("quorate-processor")?)?;
        smoke::check_tour(&log.run(&mut emulator.command(&sandbox, &tour))?, "the crate")?;
        notes.push(emulator.description());
    }
    Ok(notes.join(", "))
}

/// Compiles the crate in a fifth of the time: it runs only a tour.
const QUICKLY: &str = "profile.dev.package.quorate.opt-level=0";

/// The profiles of our workspace, so that dependencies that are already compiled can be reused.
fn profiles() -> Outcome<String> {
    let text = fs::read_to_string(workspace::root().join("Cargo.toml")).map_err(|e| e.to_string())?;
    let workspace: toml::Table = text.parse().map_err(|e| format!("Cargo.toml: {e}"))?;
    let profiles = workspace.get("profile").cloned().ok_or("Cargo.toml has no profiles")?;
    toml::to_string(&toml::Table::from_iter([("profile".to_owned(), profiles)])).map_err(|e| e.to_string())
}
