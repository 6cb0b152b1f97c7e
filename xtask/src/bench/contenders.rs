//! The libraries that `bench bindings` compares: builds or installs each, and describes them in a file for `bench/`.
//!
//! Our packages are assembled as for users, with native libraries in the release profile; the other libraries are installed
//! from the registries of their languages, at the versions that `bench/bindings` names.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::process::Outcome;
use crate::steps::Log;
use crate::{bindings, environment, npm, wasm, workspace};

/// Prepares all libraries and returns the file that describes them.
pub(super) fn prepare(log: &Log) -> Outcome<PathBuf> {
    let mut contenders = Vec::new();
    for (what, prepare) in [
        ("Python", python as fn(&Log) -> Outcome<Vec<Value>>),
        ("Node", node),
        ("Kotlin", kotlin),
        ("WebAssembly", web_assembly),
    ] {
        // On the standard error: the standard output may be JSON.
        eprintln!("preparing {what}");
        contenders.extend(prepare(log)?);
    }
    let description = json!({ "contenders": contenders, "load": load(log)? });
    let file = folder("")?.join("contenders.json");
    fs::write(&file, format!("{description:#}\n")).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// Our package with its library, and an environment with the other libraries.
fn python(log: &Log) -> Outcome<Vec<Value>> {
    let library = release(log, "quorate-python")?;
    let packages = folder("python-package")?;
    bindings::python::put_package(&packages.join("quorate"), &library)?;
    let sources = workspace::root().join("bench/bindings/python");
    let requirements = fs::read_to_string(sources.join("requirements.txt")).map_err(|e| e.to_string())?;
    let requirements: Vec<&str> = requirements.lines().collect();
    let python = bindings::python::virtual_environment(log, "bench/python", &requirements)?;
    let contender = |name: &str, script: &str| {
        json!({
            "name": name,
            "command": [python, sources.join(script)],
            "environment": { "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1" },
        })
    };
    Ok(vec![
        contender("Python", "with_quorate.py"),
        contender("blspy", "with_blspy.py"),
        contender("py_ecc", "with_py_ecc.py"),
    ])
}

/// Our package with its library, and the other libraries beside the scripts.
fn node(log: &Log) -> Outcome<Vec<Value>> {
    npm::tools(log)?;
    let library = release(log, "quorate-napi")?;
    let package = folder("node-package")?;
    bindings::javascript::node(log)?;
    for part in ["package.json", "index.js", "dist"] {
        workspace::copy(&bindings::node::package().join(part), &package.join(part))?;
    }
    workspace::copy(&library, &package.join(bindings::node::library_name()?))?;
    npm::install(log, &scripts())?;
    Ok(vec![
        script("Node", "with-quorate.mjs", &[&package.join("dist/index.mjs")]),
        script("@chainsafe/blst", "with-blst.mjs", &[]),
        script("@noble/curves", "with-noble.mjs", &[]),
    ])
}

/// Our jar, its library, and a small program that uses both.
fn kotlin(log: &Log) -> Outcome<Vec<Value>> {
    let jar = bindings::kotlin::jar(log)?;
    let library = release(log, "quorate-kotlin")?;
    let output = folder("kotlin")?;
    let (jar, out) = (format!("-Dquorate.jar={}", jar.display()), format!("-Doutput={}", output.display()));
    let project = workspace::root().join("bench/bindings/kotlin");
    bindings::kotlin::maven_in(log, &project, &["compile", &jar, &out])?;
    let listed = output.join("classpath.txt");
    let classpath = fs::read_to_string(&listed).map_err(|e| format!("{}: {e}", listed.display()))?;
    let classes = format!("{}:{}", output.join("classes").display(), classpath.trim());
    // JNA searches here first: the jar contains the library in the tests' profile.
    let libraries = format!("-Djna.library.path={}", library.parent().unwrap_or(&library).display());
    let command = ["java", &libraries, "-cp", &classes, "ContenderKt"];
    Ok(vec![json!({ "name": "Kotlin", "command": command })])
}

fn web_assembly(log: &Log) -> Outcome<Vec<Value>> {
    bindings::wasm::build(log)?;
    let module = workspace::root().join("bindings/wasm/js/quorate-node.js");
    Ok(vec![script("wasm in Node", "with-quorate.mjs", &[&module])])
}

/// The page whose loading is measured; without Chromium only its size.
fn load(log: &Log) -> Outcome<Value> {
    let package = workspace::root().join("bindings/wasm");
    let tools = wasm::tools(log)?;
    let bundlers = package.join("test/bundlers");
    npm::install(log, &bundlers)?;
    let chromium = environment::chromium(log).unwrap_or_else(|reason| {
        eprintln!("not measured in a browser: {reason}");
        String::new()
    });
    Ok(script("load", "load.mjs", &[&package, Path::new(&chromium), &tools, &bundlers, &folder("load")?]))
}

fn script(name: &str, script: &str, arguments: &[&Path]) -> Value {
    let mut command = vec![PathBuf::from("node"), scripts().join(script)];
    command.extend(arguments.iter().map(|argument| argument.to_path_buf()));
    json!({ "name": name, "command": command })
}

fn scripts() -> PathBuf {
    workspace::root().join("bench/bindings/node")
}

/// Compiles a binding's library in the release profile and returns its path.
fn release(log: &Log, package: &str) -> Outcome<PathBuf> {
    log.run(workspace::cargo().args(["build", "--release", "--package", package]))?;
    Ok(crate::build::library("release", package))
}

/// An empty folder for this benchmark.
fn folder(name: &str) -> Outcome<PathBuf> {
    let folder = workspace::target("xtask/bench").join(name);
    if !name.is_empty() {
        // Remains of an earlier run.
        let _ = fs::remove_dir_all(&folder);
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}
