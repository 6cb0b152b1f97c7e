//! Installs the tarball of WebAssembly in an empty npm project, runs strict TypeScript in Node as both kinds of modules, and
//! a page built by Vite in a browser.

use std::path::PathBuf;

use super::inputs::{only_file, tools};
use super::node;
use crate::environment;
use crate::package::order::BuildOrder;
use crate::package::sandbox::{self, Sandbox};
use crate::package::smoke;
use crate::process::Outcome;
use crate::steps::Log;

const PAGE: &str = "<!doctype html><title>smoke</title><link rel=\"icon\" href=\"data:,\">\n\
                    <script type=\"module\" src=\"./page.ts\"></script>\n";
/// In a browser the module is loaded before it is used.
const SCRIPT: &str = "import init from 'quorate-wasm';\nawait init();\nawait import('./tour.mts');\n";

pub(super) fn install(log: &Log, order: &BuildOrder, files: &[PathBuf]) -> Outcome<String> {
    let chromium = environment::chromium(log)?;
    let sandbox = Sandbox::new("wasm")?;
    let version = &order.version;
    let package = sandbox.bring(only_file(files, ".tgz")?)?;
    sandbox.put("package.json", "{ \"name\": \"smoke\", \"private\": true, \"type\": \"module\" }\n")?;
    let mut npm = sandbox.command("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).arg(&package);
    npm.args(tools("bindings/wasm/package.json", &["typescript", "@types/node"])?);
    npm.args(tools("xtask/wasm/package.json", &["playwright-core"])?);
    log.run(npm.args(tools("bindings/wasm/test/bundlers/package.json", &["vite"])?))?;
    let tour = smoke::TYPESCRIPT.replace("from 'quorate'", "from 'quorate-wasm'");
    node::both_kinds(log, &sandbox, &tour, version)?;
    sandbox.put("index.html", PAGE)?;
    sandbox.put("page.ts", SCRIPT)?;
    log.run(sandbox.command("node_modules/.bin/vite").args(["build", "--base", "./", "--logLevel", "warn"]))?;
    sandbox.put("browser.mjs", smoke::BROWSER)?;
    let output = log.run(sandbox.command("node").args(["browser.mjs", "dist"]).arg(chromium))?;
    smoke::check_tour(&output, version)?;
    Ok(format!("ES module and CommonJS, built by Vite and run in Chromium, {}", sandbox::isolation()))
}
