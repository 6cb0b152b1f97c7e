//! The native tarball installed in an empty npm project, where strict TypeScript is compiled against it to an ES
//! module and to CommonJS, and both are run.

use std::fs;
use std::path::PathBuf;

use super::{the, tools};
use crate::package::sandbox::{self, Sandbox};
use crate::package::{Order, old, smoke};
use crate::process::{Outcome, output_of};
use crate::steps::Log;

pub(super) fn install(log: &Log, order: &Order, files: &[PathBuf]) -> Outcome<String> {
    let sandbox = Sandbox::new("node")?;
    let version = &order.version;
    let package = sandbox.bring(the(files, ".tgz")?)?;
    sandbox.put("package.json", "{ \"name\": \"smoke\", \"private\": true, \"type\": \"module\" }\n")?;
    let mut npm = sandbox.command("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).arg(&package);
    log.run(npm.args(tools("bindings/node/package.json", &["typescript", "@types/node"])?))?;
    both_kinds(log, &sandbox, smoke::TYPESCRIPT, version)?;
    elsewhere(log, &sandbox)?;
    let mut said = vec!["ES module and CommonJS".to_owned(), sandbox::said().to_owned()];
    if let Some(emulator) = old::emulator(log)? {
        // The emulator opens files itself and follows no search path.
        let program = output_of(sandbox.command("node").args(["--print", "process.execPath"]));
        let node = fs::canonicalize(program.ok_or("node does not run")?).map_err(|e| e.to_string())?;
        let output = log.run(emulator.command(&sandbox, &node).arg("tour.mjs"))?;
        smoke::went(&output, version)?;
        said.push(emulator.said());
    }
    Ok(said.join(", "))
}

/// Compiles a tour for both kinds of modules and runs them.
pub(super) fn both_kinds(log: &Log, sandbox: &Sandbox, tour: &str, version: &str) -> Outcome {
    sandbox.put("tour.mts", tour)?;
    sandbox.put("tour.cts", tour)?;
    let mut compiler = sandbox.command("node_modules/.bin/tsc");
    compiler.args(["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"]);
    log.run(compiler.args(["tour.mts", "tour.cts"]))?;
    for program in ["tour.mjs", "tour.cjs"] {
        smoke::went(&log.run(sandbox.command("node").arg(program))?, version)?;
    }
    Ok(())
}

/// On a system for which the package has no library it must say which one is missing.
fn elsewhere(log: &Log, sandbox: &Sandbox) -> Outcome {
    let pretend = "Object.defineProperty(process, 'platform', { value: 'haiku' });\
                   try { require('quorate') } catch (error) { console.log(error.message) }";
    let said = log.run(sandbox.command("node").args(["--eval", pretend, "--input-type=commonjs"]))?;
    if said.contains("quorate.haiku-") && said.contains(".node") {
        Ok(())
    } else {
        Err(format!("on a system without a library the package should name it, and said:\n{said}"))
    }
}
