//! Installs the packages of a release as users of each platform do, and runs the tour with them: natively, in QEMU, with musl's
//! loader, in Wine. What cannot run is installed, and the libraries in it are inspected.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cross;
use super::inspect;
use super::packages::library_of;
use super::platforms::{Platform, System};
use super::runtimes::{self, Runtime, Runtimes};
use super::windows;
use crate::bindings::python::virtual_environment;
use crate::bindings::{generated, kotlin, node};
use crate::package::order::{BuildOrder, Part};
use crate::package::sandbox::Sandbox;
use crate::package::{clean, npm, smoke};
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// Serves the tarballs to npm.
const REGISTRY: &str = include_str!("../../smoke/registry.mjs");
/// Loads the library of Kotlin where there is no Java.
const LOAD: &str = include_str!("../../smoke/load.c");

/// What is tried: the files of the release, and which of its packages.
pub(super) struct Trial<'a> {
    pub(super) log: &'a Log,
    pub(super) order: &'a BuildOrder,
    pub(super) platform: &'static Platform,
    pub(super) parts: &'a [Part],
}

impl Trial<'_> {
    /// Installs and uses the packages, all of them even if one fails; returns a text for the step's line.
    pub(super) fn run(&self) -> Outcome<String> {
        let runtimes = runtimes::prepare(self.log, self.platform)?;
        let outcomes = self.parts.iter().filter_map(|part| match part {
            Part::Python => Some(self.python(&runtimes)),
            Part::Node => Some(self.node(&runtimes)),
            Part::Kotlin => Some(self.kotlin(&runtimes)),
            Part::Crate | Part::Wasm => None,
        });
        let (notes, failures): (Vec<_>, Vec<_>) = outcomes.partition(Outcome::is_ok);
        let texts = |list: Vec<Outcome<String>>| {
            list.into_iter().map(|text| text.unwrap_or_else(|e| e)).collect::<Vec<_>>()
        };
        let notes = texts(notes).join("; ");
        if failures.is_empty() {
            Ok(notes)
        } else {
            Err(format!("{}\npassed: {notes}", texts(failures).join("\n")))
        }
    }

    /// An empty folder for a package.
    fn folder(&self, part: Part) -> Outcome<PathBuf> {
        let folder = workspace::target("xtask/release/use").join(self.platform.name).join(part.name());
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }

    /// Checks a library that was installed; returns a text about the oldest system.
    fn inspect(&self, part: Part, library: &Path) -> Outcome<String> {
        inspect::check(self.platform, library_of(part).unwrap_or_default(), library)
    }

    fn tour(&self, runtime: &Runtime, folder: &Path, arguments: &[&str]) -> Outcome {
        let output = self.log.run(runtime.command(folder).args(arguments))?;
        smoke::check_tour(&output, &self.order.version)
    }

    /// pip installs the wheel for the platform, which checks its tags too.
    fn python(&self, runtimes: &Runtimes) -> Outcome<String> {
        let folder = self.folder(Part::Python)?;
        let python = virtual_environment(self.log, "zig", cross::REQUIREMENTS)?;
        let mut pip = Command::new(python);
        pip.args([
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-index",
            "--only-binary=:all:",
        ]);
        pip.args(["--implementation", "cp", "--python-version", "3.11", "--abi", "abi3"]);
        for tag in self.platform.wheel.split('.') {
            pip.args(["--platform", tag]);
        }
        pip.arg("--find-links").arg(&self.order.out).arg("--target").arg(folder.join("site"));
        self.log.run(pip.arg(format!("quorate=={}", self.order.version)))?;
        let library = folder.join("site/quorate").join(self.platform.python_module());
        let oldest = self.inspect(Part::Python, &library)?;
        let Some(runtime) = &runtimes.python else {
            return Ok(format!("wheel installed, not run ({oldest})"));
        };
        if self.platform.system == System::Windows {
            windows::add_python_library(self.log, runtime, &library)?;
        }
        let tour = format!(
            "import sys
sys.path.insert(0, 'site')
{}",
            smoke::PYTHON
        );
        generated::put(&folder.join("tour.py"), &tour)?;
        self.tour(runtime, &folder, &["tour.py"])?;
        Ok(format!("wheel in {} ({oldest})", runtime.description))
    }

    /// npm installs the package from a registry with our tarballs, and with it the package for the platform.
    fn node(&self, runtimes: &Runtimes) -> Outcome<String> {
        let folder = self.folder(Part::Node)?;
        let tools = node::package();
        crate::npm::install(self.log, &tools)?;
        let registry = folder.join("registry.mjs");
        generated::put(&registry, REGISTRY)?;
        generated::put(
            &folder.join("package.json"),
            "{ \"name\": \"use\", \"private\": true, \"type\": \"module\" }\n",
        )?;
        let (os, cpu, libc) = self.platform.npm();
        let mut install = Command::new("node");
        install.current_dir(&folder).arg(&registry).arg(&self.order.out).args(["npm", "install", "quorate"]);
        install.args(["--ignore-scripts", "--no-audit", "--no-fund", "--os", os, "--cpu", cpu]);
        if let Some(libc) = libc {
            install.args(["--libc", libc]);
        }
        self.log.run(install.arg("--cache").arg(folder.join("cache")))?;
        let modules = folder.join("node_modules");
        let wanted = ["quorate".to_owned(), self.platform.npm_package()];
        let found = names_in(&modules)?;
        if found != wanted {
            return Err(format!("expected npm to install {wanted:?}, found {found:?}"));
        }
        let oldest = self.inspect(Part::Node, &modules.join(&wanted[1]).join(npm::LIBRARY))?;
        generated::put(&folder.join("tour.mts"), smoke::TYPESCRIPT)?;
        let mut compiler = Command::new("node");
        compiler.current_dir(&folder).arg(tools.join("node_modules/typescript/bin/tsc"));
        compiler.args([
            "--strict",
            "--target",
            "es2022",
            "--module",
            "nodenext",
            "--types",
            "node",
            "--typeRoots",
        ]);
        self.log.run(compiler.arg(tools.join("node_modules/@types")).arg("tour.mts"))?;
        let Some(runtime) = &runtimes.node else {
            return Ok(format!("npm packages installed, not run ({oldest})"));
        };
        self.tour(runtime, &folder, &["tour.mjs"])?;
        self.without_library(runtime, &folder, &modules.join(&wanted[1]))?;
        Ok(format!("npm packages in {} ({oldest})", runtime.description))
    }

    /// Checks that the package names the missing one, as after an installation without optional dependencies.
    fn without_library(&self, runtime: &Runtime, folder: &Path, library: &Path) -> Outcome {
        fs::remove_dir_all(library).map_err(|e| format!("{}: {e}", library.display()))?;
        let (_, output) = self.log.run_to_end(runtime.command(folder).arg("tour.mjs"))?;
        let wanted = format!("package {} could be loaded", self.platform.npm_package());
        if output.contains(&wanted) {
            Ok(())
        } else {
            Err(format!("expected an error with `{wanted}`, but the package printed:\n{output}"))
        }
    }

    /// The program is compiled once, in an empty Maven project, and runs on the Java of each platform.
    fn kotlin(&self, runtimes: &Runtimes) -> Outcome<String> {
        let folder = self.folder(Part::Kotlin)?;
        let jar = self.order.out.join(format!("quorate-{}.jar", self.order.version));
        let mut unpack = Command::new("jar");
        self.log.run(unpack.current_dir(&folder).arg("--extract").arg("--file").arg(&jar))?;
        let name = self.platform.library_name(kotlin::PACKAGE);
        let library = folder.join(self.platform.jar_folder()).join(name);
        let oldest = self.inspect(Part::Kotlin, &library)?;
        if let Some(runtime) = &runtimes.java {
            let program = compiled_tour(self.log, self.order)?;
            workspace::copy(&program, &folder.join("tour"))?;
            // The program may have been compiled against the jar of another folder, with libraries of other platforms.
            let jars = folder.join("tour/jars");
            workspace::copy(&jar, &jars.join(jar.file_name().unwrap_or_default()))?;
            let classes = format!("tour/classes{}tour/jars/*", runtime.separator);
            self.tour(runtime, &folder, &["-cp", &classes, "TourKt"])?;
            return Ok(format!("jar in {} ({oldest})", runtime.description));
        }
        if self.platform.system != System::Musl {
            return Ok(format!("jar inspected, not run ({oldest})"));
        }
        let program = cross::compile_c(self.log, self.platform, LOAD, &folder.join("load"))?;
        let runtime = runtimes::with_musl(self.log, self.platform, &program)?;
        let output = self.log.run(runtime.command(&folder).arg(&library))?;
        if output.starts_with("contract version ") {
            Ok(format!("library of the jar loaded with {}, without Java ({oldest})", runtime.description))
        } else {
            Err(format!("expected uniffi's version, but the program printed:\n{output}"))
        }
    }
}

/// The names in a folder that are not hidden.
fn names_in(folder: &Path) -> Outcome<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    Ok(names)
}

/// A folder with the classes of the tour, and the jars of quorate and of all that it needs.
fn compiled_tour(log: &Log, order: &BuildOrder) -> Outcome<PathBuf> {
    let folder = workspace::target("xtask/release/tour");
    let jar = order.out.join(format!("quorate-{}.jar", order.version));
    let stamp = |file: &Path| fs::metadata(file).and_then(|data| data.modified()).ok();
    if stamp(&folder.join("ready")) > stamp(&jar) {
        return Ok(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    let sandbox = Sandbox::new("release")?;
    let files = [jar.clone(), jar.with_extension("pom")];
    let classes = clean::kotlin::compile_tour(log, &sandbox, order, &files)?;
    for path in classes.split(':').map(|path| sandbox.path(path)) {
        let name = path.file_name().unwrap_or_default();
        let to = if path.is_dir() { folder.join("classes") } else { folder.join("jars").join(name) };
        workspace::copy(&path, &to)?;
    }
    generated::put(&folder.join("ready"), "")?;
    Ok(folder)
}
