//! npm packages: staged in a folder with exactly their files, then packed by npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use super::native;
use super::order::BuildOrder;
use crate::bindings::{self, node};
use crate::documents::GUIDE;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// The package with the native library for this machine.
pub(crate) fn native(log: &Log, order: &BuildOrder) -> Outcome<Vec<PathBuf>> {
    bindings::javascript::node(log)?;
    let stage = StagingFolder::new(log, "node", &order.version)?;
    native::put(log, order, "quorate-napi", &stage.folder.join(node::library_name()?))?;
    stage.pack(log, &order.out).map(|file| vec![file])
}

/// The package of WebAssembly, with the files that `add` puts into its folder. Its modules have one profile, which the tests
/// build too.
pub(crate) fn wasm(
    log: &Log,
    order: &BuildOrder,
    add: impl FnOnce(&Path) -> Outcome,
) -> Outcome<Vec<PathBuf>> {
    bindings::wasm::build(log)?;
    let stage = StagingFolder::new(log, "wasm", &order.version)?;
    add(&stage.folder)?;
    stage.pack(log, &order.out).map(|file| vec![file])
}

/// The package without a library, whose optional dependencies are `packages`: npm installs the one for the user's system.
pub(crate) fn without_library(log: &Log, order: &BuildOrder, packages: &[String]) -> Outcome<PathBuf> {
    bindings::javascript::node(log)?;
    let stage = StagingFolder::new(log, "node", &order.version)?;
    let optional: Map<String, Value> =
        packages.iter().map(|name| (name.clone(), order.version.clone().into())).collect();
    stage.add_fields(log, &json!({ "optionalDependencies": optional }))?;
    stage.pack(log, &order.out)
}

/// A package with nothing but a library, from a folder with it, for the system that `system` describes.
pub(crate) fn library_alone(
    log: &Log,
    order: &BuildOrder,
    name: &str,
    folder: PathBuf,
    system: &Value,
) -> Outcome<PathBuf> {
    let manifest = json!({
        "name": name,
        "version": order.version,
        "description": "The native library of the package quorate for one platform",
        "license": "(Apache-2.0 OR MIT)",
        "main": LIBRARY,
        "engines": { "node": ">=20" },
    });
    crate::bindings::generated::put(&folder.join("package.json"), &format!("{manifest:#}\n"))?;
    let stage = StagingFolder { folder, name: name.to_owned(), version: order.version.clone() };
    stage.add_fields(log, system)?;
    stage.add_licenses()?;
    stage.pack(log, &order.out)
}

/// File name of the library in its own package.
pub(crate) const LIBRARY: &str = "quorate.node";

/// Writes a `package.json` without the fields for development, and without `files`, with which npm would leave out the
/// licences. Node does it, because the order of conditions in a manifest is significant.
const MANIFEST: &str = "\
    const { readFileSync, writeFileSync } = require('node:fs');\
    const [from, to, version] = process.argv.slice(1);\
    const { devDependencies, files, private: _, scripts, ...manifest } = JSON.parse(readFileSync(from, 'utf8'));\
    writeFileSync(to, JSON.stringify({ ...manifest, version }, null, 2) + '\\n');";

const ADD_FIELDS: &str = "\
    const { readFileSync, writeFileSync } = require('node:fs');\
    const [file, fields] = process.argv.slice(1);\
    const all = { ...JSON.parse(readFileSync(file, 'utf8')), ...JSON.parse(fields) };\
    writeFileSync(file, JSON.stringify(all, null, 2) + '\\n');";

/// A folder with exactly the files of the tarball.
struct StagingFolder {
    folder: PathBuf,
    name: String,
    version: String,
}

impl StagingFolder {
    /// Copies the `files` of the binding's `package.json`, and the files of every package.
    fn new(log: &Log, binding: &str, version: &str) -> Outcome<Self> {
        crate::npm::tools(log)?;
        let source = workspace::root().join("bindings").join(binding);
        let text = fs::read_to_string(source.join("package.json")).map_err(|e| e.to_string())?;
        let manifest: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let field = |name: &str| manifest.get(name).cloned().unwrap_or_default();
        let name = field("name").as_str().unwrap_or_default().to_owned();
        let folder = workspace::target("xtask/npm").join(&name);
        // Files of an earlier run must not get into the tarball.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in field("files").as_array().into_iter().flatten().filter_map(Value::as_str) {
            // Native libraries are added separately, in the profile of the build.
            if !entry.ends_with(".node") {
                copy_all(&source, entry, &folder)?;
            }
        }
        fs::write(folder.join("README.md"), readme(&source, &name)?)
            .map_err(|e| format!("README.md: {e}"))?;
        let mut node = Command::new("node");
        node.args(["--eval", MANIFEST]).arg(source.join("package.json")).arg(folder.join("package.json"));
        log.run(node.arg(version))?;
        let stage = Self { folder, name, version: version.to_owned() };
        stage.add_licenses()?;
        Ok(stage)
    }

    fn add_licenses(&self) -> Outcome {
        ["LICENSE-APACHE", "LICENSE-MIT"]
            .iter()
            .try_for_each(|name| workspace::copy(&workspace::root().join(name), &self.folder.join(name)))
    }

    /// Adds fields to the package's `package.json`.
    fn add_fields(&self, log: &Log, fields: &Value) -> Outcome {
        let mut node = Command::new("node");
        node.args(["--eval", ADD_FIELDS]).arg(self.folder.join("package.json")).arg(fields.to_string());
        log.run(&mut node).map(drop)
    }

    fn pack(&self, log: &Log, out: &Path) -> Outcome<PathBuf> {
        let mut npm = Command::new("npm");
        npm.current_dir(&self.folder).args(["pack", "--ignore-scripts", "--pack-destination"]).arg(out);
        log.run(&mut npm)?;
        Ok(out.join(format!("{}-{}.tgz", self.name, self.version)))
    }
}

/// A package's README, with the sections of the guide in place of the paragraph that refers to it.
fn readme(source: &Path, name: &str) -> Outcome<String> {
    let read =
        |file: &str| fs::read_to_string(source.join(file)).map_err(|e| format!("{}: {e}", source.display()));
    let (own, guide) = (read("README.md")?, read(GUIDE)?);
    with_guide(&own, &guide, name).ok_or_else(|| format!("{name}: no `## Guide` in the README"))
}

fn with_guide(own: &str, guide: &str, name: &str) -> Option<String> {
    let (before, rest) = own.split_once("## Guide\n")?;
    let (_, after) = rest.split_once("\n## ")?;
    let (_, sections) = guide.split_once("\n## ")?;
    let sections = sections.trim_end().replace("from 'quorate'", &format!("from '{name}'"));
    Some(format!("{before}## {sections}\n\n## {after}").replace(&format!("({GUIDE}#"), "(#"))
}

/// Copies the files of an entry of `files`: a path whose last part may contain a star.
fn copy_all(source: &Path, entry: &str, into: &Path) -> Outcome {
    let Some((start, end)) = entry.split_once('*') else {
        return workspace::copy(&source.join(entry), &into.join(entry));
    };
    let (folder, start) = start.rsplit_once('/').unwrap_or(("", start));
    let mut found = false;
    for path in fs::read_dir(source.join(folder)).map_err(|e| format!("{entry}: {e}"))?.flatten() {
        let name = path.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(start) && name.ends_with(end) {
            found = true;
            workspace::copy(&path.path(), &into.join(folder).join(&*name))?;
        }
    }
    if found { Ok(()) } else { Err(format!("no file in {} matches {entry}", source.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_the_guide_in_its_readme() {
        let own = "# P\n\n[E](../javascript/GUIDE.md#errors)\n\n## Guide\n\nA link.\n\n## Last\n\nx\n";
        let guide = "# Guide\n\nAbout.\n\n## Errors\n\nimport {} from 'quorate';\n";
        let expected = "# P\n\n[E](#errors)\n\n## Errors\n\nimport {} from 'quorate-wasm';\n\n## Last\n\nx\n";
        assert_eq!(with_guide(own, guide, "quorate-wasm").unwrap(), expected);
        assert!(with_guide("# P\n", guide, "quorate-wasm").is_none());
    }

    #[test]
    fn a_star_matches_a_part_of_a_name() {
        let folder = workspace::target("xtask/unit/npm");
        let _ = fs::remove_dir_all(&folder);
        for name in ["from/dist/one.js", "from/dist/one.ts", "from/two.js"] {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let (from, to) = (folder.join("from"), folder.join("to"));
        copy_all(&from, "dist/*.js", &to).unwrap();
        copy_all(&from, "*.js", &to).unwrap();
        assert!(to.join("dist/one.js").exists() && to.join("two.js").exists());
        assert!(!to.join("dist/one.ts").exists());
        copy_all(&from, "*.d.ts", &to).unwrap_err();
    }
}
