//! Installs the native tarball in an empty npm project, compiles strict TypeScript against it to an ES module and to
//! CommonJS, and runs both.

use std::fs;
use std::path::PathBuf;

use super::inputs::{only_file, tools};
use crate::package::order::BuildOrder;
use crate::package::sandbox::{self, Sandbox};
use crate::package::{old_processor, smoke};
use crate::process::{Outcome, output_of};
use crate::steps::Log;

pub(super) fn install(log: &Log, order: &BuildOrder, files: &[PathBuf]) -> Outcome<String> {
    let sandbox = Sandbox::new("node")?;
    let version = &order.version;
    let package = sandbox.bring(only_file(files, ".tgz")?)?;
    sandbox.put("package.json", "{ \"name\": \"smoke\", \"private\": true, \"type\": \"module\" }\n")?;
    let mut npm = sandbox.command("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).arg(&package);
    log.run(npm.args(tools("bindings/node/package.json", &["typescript", "@types/node"])?))?;
    both_kinds(log, &sandbox, smoke::TYPESCRIPT, version)?;
    check_unsupported_platform(log, &sandbox)?;
    let mut notes = vec!["ES module and CommonJS".to_owned(), sandbox::isolation().to_owned()];
    if let Some(emulator) = old_processor::emulator(log)? {
        // The emulator does not search the path.
        let program = output_of(sandbox.command("node").args(["--print", "process.execPath"]));
        let node = fs::canonicalize(program.ok_or("node does not run")?).map_err(|e| e.to_string())?;
        let output = log.run(emulator.command(&sandbox, &node).arg("tour.mjs"))?;
        smoke::check_tour(&output, version)?;
        notes.push(emulator.description());
    }
    Ok(notes.join(", "))
}

/// Compiles a tour for both kinds of modules and runs them.
pub(super) fn both_kinds(log: &Log, sandbox: &Sandbox, tour: &str, version: &str) -> Outcome {
    sandbox.put("tour.mts", tour)?;
    sandbox.put("tour.cts", tour)?;
    let mut compiler = sandbox.command("node_modules/.bin/tsc");
    compiler.args(["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"]);
    log.run(compiler.args(["tour.mts", "tour.cts"]))?;
    for program in ["tour.mjs", "tour.cjs"] {
        smoke::check_tour(&log.run(sandbox.command("node").arg(program))?, version)?;
    }
    Ok(())
}

/// Checks that the package names the missing library on a system for which it has none.
fn check_unsupported_platform(log: &Log, sandbox: &Sandbox) -> Outcome {
    let script = "Object.defineProperty(process, 'platform', { value: 'haiku' });\
                   try { require('quorate') } catch (error) { console.log(error.message) }";
    let output = log.run(sandbox.command("node").args(["--eval", script, "--input-type=commonjs"]))?;
    if output.contains("quorate.haiku-") && output.contains("package quorate-haiku-") {
        Ok(())
    } else {
        Err(format!("expected an error that names the missing library, but the package printed:\n{output}"))
    }
}
