//! The TypeScript that both packages for JavaScript share: compiled for each, over its backend.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use quorate_generator::operations::Language;
use quorate_generator::typescript::Package;

use super::generated;
use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::{npm, workspace};

/// Adds the step: it compiles the sources without the native libraries, so it is quick.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("javascript sources", |log| {
        node(log)?;
        web(log)?;
        Ok("for both packages".to_owned())
    });
}

/// A compilation of the sources.
struct Target {
    /// Its name, and its folder below the package's `dist`.
    name: &'static str,
    /// The package, a folder of `bindings`.
    package: &'static str,
    /// The folders of the sources; their files end up in one folder.
    sources: &'static [&'static str],
    /// The generated modules.
    generated: Package,
    /// The modules that are compiled with all that they import.
    entries: &'static [&'static str],
    /// Modules of Node's types.
    types: &'static str,
}

const NODE: Target = Target {
    name: "classes",
    package: "node",
    sources: &["certificate", "whole", "node"],
    generated: Package::Node,
    entries: &["index.ts"],
    types: r#"["node"]"#,
};

const WEB: [Target; 2] = [
    Target {
        name: "whole",
        package: "wasm",
        sources: &["certificate", "whole", "web", "worker"],
        generated: Package::Web,
        entries: &["index.ts", "worker-classes.ts"],
        types: "[]",
    },
    Target {
        name: "certificate",
        package: "wasm",
        sources: &["certificate", "web"],
        generated: Package::Certificate,
        entries: &["certificate.ts"],
        types: "[]",
    },
];

/// Writes the modules and declarations of `quorate` into its `dist`.
pub(crate) fn node(log: &Log) -> Outcome {
    build(log, &[NODE])?;
    let package = workspace::root().join("bindings/node");
    let mut names = Command::new("node");
    log.run(names.current_dir(&package).args(["--eval", NAMES])).map(|_| ())
}

/// Writes the module for `import`, which names each export of that for `require`: an engine must know them before it runs
/// the package. The classes are listed without the native library.
const NAMES: &str = r"
    const Module = require('node:module');
    const load = Module._load;
    const backend = { native: {}, whenLoaded() {} };
    Module._load = (request, ...rest) => (request.endsWith('/backend.js') ? backend : load(request, ...rest));
    const names = Object.keys(require('./index.js')).join(',\n  ');
    require('node:fs').writeFileSync('dist/index.mjs', `// The package for \`import\`: the same objects as with \`require\`.
import quorate from '../index.js';

export const {
  ${names},
} = quorate;
`);
";

/// Writes the modules and declarations of `quorate-wasm` into its `dist`.
pub(crate) fn web(log: &Log) -> Outcome {
    build(log, &WEB)
}

/// The sources of `quorate` for Node, with the generated ones: the folder of the project, and its main module.
pub(crate) fn node_sources(log: &Log) -> Outcome<(PathBuf, PathBuf)> {
    node(log)?;
    let project = workspace::target("xtask/javascript").join(NODE.name);
    let entry = project.join(NODE.name).join("index.ts");
    Ok((project, entry))
}

/// The folder of the sources.
fn sources() -> PathBuf {
    workspace::root().join("bindings/javascript")
}

fn build(log: &Log, targets: &[Target]) -> Outcome {
    // Steps run in parallel, and none may read a file that another one writes.
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    generated::put_operations(Language::JavaScript, &sources().join("dist/vector-operations.mjs"))?;
    targets.iter().try_for_each(|target| compile(log, target))
}

/// Puts the sources of a target together, because they import each other as files of one folder, and compiles them.
fn compile(log: &Log, target: &Target) -> Outcome {
    let package = workspace::root().join("bindings").join(target.package);
    npm::install(log, &package)?;
    let stage = workspace::target("xtask/javascript").join(target.name);
    let _ = fs::remove_dir_all(&stage);
    let classes = stage.join(target.name);
    let (platform, module) = if target.package == "node" { ("node", "commonjs") } else { ("web", "module") };
    for folder in target.sources {
        workspace::copy(&sources().join(folder), &classes)?;
    }
    workspace::copy(&sources().join("common"), &stage.join("common"))?;
    workspace::copy(&sources().join(platform).join("platform.ts"), &stage.join("common/platform.ts"))?;
    let _ = fs::remove_file(classes.join("platform.ts"));
    generated::write_below(&stage.join("common"), generated::typescript_errors()?)?;
    generated::write_below(&classes, generated::typescript_classes(target.generated)?)?;
    generated::put(&stage.join("package.json"), &format!("{{ \"type\": \"{module}\" }}\n"))?;
    let options = [
        ("types", target.types.to_owned()),
        ("typeRoots", format!("[{:?}]", package.join("node_modules/@types"))),
        ("rootDir", "\".\"".to_owned()),
        ("rootDirs", "[\".\"]".to_owned()),
        ("outDir", format!("{:?}", package.join("dist"))),
    ];
    let options: Vec<String> = options.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    let entries: Vec<String> =
        target.entries.iter().map(|entry| format!("{}/{entry}", target.name)).collect();
    let project = format!(
        "{{ \"extends\": {:?}, \"compilerOptions\": {{ {} }}, \"files\": {entries:?} }}\n",
        sources().join("tsconfig.json"),
        options.join(", "),
    );
    generated::put(&stage.join("tsconfig.json"), &project)?;
    let _ = fs::remove_dir_all(package.join("dist").join(target.name));
    // The documentation belongs into the declarations only: a page downloads the modules.
    let outputs: [&[&str]; 2] = [&["--emitDeclarationOnly"], &["--declaration", "false", "--removeComments"]];
    for output in outputs {
        let mut compiler = Command::new("node");
        compiler.arg(package.join("node_modules/typescript/bin/tsc")).arg("--project").arg(&stage);
        log.run(compiler.args(output))?;
    }
    Ok(())
}
