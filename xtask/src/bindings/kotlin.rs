//! The Kotlin package: native library, generated classes, Maven.

mod examples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quorate_generator::operations::Language;

use super::generated;
use crate::process::{Outcome, is_on_path, output_of};
use crate::steps::{Log, Once, Steps};
use crate::{environment, workspace};

/// The oldest Java that the package is compiled for.
const JAVA: u32 = 17;

/// The crate with the native half.
pub(crate) const PACKAGE: &str = "quorate-kotlin";

/// Work done in this process: Maven's inputs, the classes of the package and its tests, the jar.
static PREPARED: Once = Once::new();
static COMPILED: Once = Once::new();
static PACKAGED: Once = Once::new();

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("kotlin binding", |log| {
        PREPARED.run(|| prepare(log))?;
        let output = maven(log, &["package"])?;
        COMPILED.mark_done();
        PACKAGED.mark_done();
        summary(&output).ok_or_else(|| "Maven ran no tests".to_owned())
    });
}

/// Compiles the native library, and copies it and the sources that uniffi generates to where Maven expects them.
fn prepare(log: &Log) -> Outcome {
    tools(log)?;
    crate::build::libraries(log)?;
    let library = crate::build::library("debug", PACKAGE);
    let generated_folder = folder().join("target/generated");
    remove_outputs(&folder().join("target"))?;
    log.run(
        Command::new(workspace::target("debug").join("uniffi-bindgen"))
            .arg("generate")
            .arg(&library)
            .args(["--language", "kotlin", "--no-format", "--config"])
            .arg(folder().join("uniffi.toml"))
            .arg("--out-dir")
            .arg(generated_folder.join("kotlin")),
    )?;
    let source = generated_folder.join("kotlin/org/quorate/internal/quorate.kt");
    let text = fs::read_to_string(&source).map_err(|e| format!("{}: {e}", source.display()))?;
    fs::write(&source, choose_library(&reuse_call_status(&make_internal(&text))?)?)
        .map_err(|e| format!("{}: {e}", source.display()))?;
    generated::write_below(&generated_folder.join("kotlin"), generated::kotlin_classes()?)?;
    let operations = generated_folder.join("tests/org/quorate/VectorOperations.kt");
    generated::put_operations(Language::Kotlin, &operations)?;
    examples::write(&folder().join("README.md"), &generated_folder.join("readme"))?;
    let natives = generated_folder.join("native").join(platform()?);
    workspace::copy(&library, &natives.join(workspace::library_name(PACKAGE)))
}

/// Removes the outputs of an earlier build: Maven and uniffi overwrite files, but outputs of deleted sources would stay
/// and get into the jar.
fn remove_outputs(target: &Path) -> Outcome {
    for made in ["generated", "classes", "test-classes"].map(|name| target.join(name)) {
        if made.exists() {
            fs::remove_dir_all(&made).map_err(|e| format!("{}: {e}", made.display()))?;
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    workspace::root().join("bindings/kotlin")
}

fn maven(log: &Log, goals: &[&str]) -> Outcome<String> {
    maven_in(log, &folder(), goals)
}

/// Runs Maven on a project, without the compiler's daemon, which would outlive it.
pub(crate) fn maven_in(log: &Log, folder: &Path, goals: &[&str]) -> Outcome<String> {
    let mut command = Command::new("mvn");
    command.current_dir(folder).args(["-B", "-ntp", "-Dkotlin.compiler.daemon=false"]).args(goals);
    log.run(&mut command)
}

/// Installs a JDK and Maven where they are missing.
pub(crate) fn tools(log: &Log) -> Outcome {
    let mut packages = Vec::new();
    if java().is_none_or(|version| version < JAVA) || !is_on_path("javac") {
        packages.push("default-jdk-headless");
    }
    if !is_on_path("mvn") {
        packages.push("maven");
    }
    if !packages.is_empty() {
        environment::install(log, &packages)?;
    }
    match java() {
        Some(version) if version >= JAVA => Ok(()),
        found => Err(format!(
            "expected a JDK of version {JAVA} or newer first on PATH, found {found:?}; install it"
        )),
    }
}

/// The major version of `java`, which is the first number that `--version` prints.
fn java() -> Option<u32> {
    let text = output_of(Command::new("java").arg("--version"))?;
    let word = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    word.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// JNA's name for this platform: the folder in the jar from which it loads the library.
pub(crate) fn platform() -> Outcome<String> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x86-64",
        "aarch64" => "aarch64",
        other => return Err(format!("JNA's name for the processor {other} is unknown; add it here")),
    };
    Ok(format!("{system}-{machine}"))
}

/// Makes all declarations that uniffi generated `internal`: users see our classes only, and the compiler ensures that no
/// generated class is part of their interface.
fn make_internal(source: &str) -> String {
    let mut depth = 0usize;
    let mut hide = |line: &str| {
        let text = line.trim();
        if text.starts_with("//") || text.starts_with('*') || text.starts_with("/*") {
            return line.to_owned() + "\n";
        }
        let shown = if depth == 0 { make_line_internal(line) } else { line.to_owned() };
        let count = |brace| text.chars().filter(|c| *c == brace).count();
        depth = (depth + count('{') + count('(')).saturating_sub(count('}') + count(')'));
        shown + "\n"
    };
    // The generator puts the first function on the line of the brace before it.
    source.replace("\n} fun ", "\n}\nfun ").lines().map(&mut hide).collect()
}

/// A line outside all braces.
fn make_line_internal(line: &str) -> String {
    let line = line.trim_start();
    let declaration = line.strip_prefix("@Throws(NativeFailure::class)").unwrap_or(line);
    let annotation = line.get(..line.len() - declaration.len()).unwrap_or_default();
    let declaration = declaration.trim_start();
    let declaration = declaration.strip_prefix("public ").unwrap_or(declaration);
    let kind = declaration
        .split([' ', '<'])
        .find(|word| !["inline", "open", "data", "sealed", "enum"].contains(word))
        .unwrap_or_default();
    if ["class", "object", "interface", "fun", "typealias"].contains(&kind) {
        format!("{annotation}internal {declaration}")
    } else {
        line.to_owned()
    }
}

/// Makes each call use the status of its thread, and read errors from the native memory: see `CallStatus.kt`.
///
/// A nested call happens only before another call starts (to convert an argument) or after it ends (to read its error),
/// because Rust has no callbacks.
fn reuse_call_status(source: &str) -> Outcome<String> {
    let each = "    var status = UniffiRustCallStatus()\n    val return_value = callback(status)\n    \
                uniffiCheckCallStatus(errorHandler, status)\n";
    if source.matches(each).count() != 1 {
        return Err(
            "uniffi's generator changed how it makes a call's status: see `reuse_call_status`".to_owned()
        );
    }
    let reused = "    val status = callStatus()\n    val return_value = callback(status)\n    \
                  status.failure()?.let { uniffiCheckCallStatus(errorHandler, it) }\n";
    Ok(source.replace(each, reused))
}

/// Makes the generated code ask `Musl.kt` for the library first.
fn choose_library(source: &str) -> Outcome<String> {
    let name = "    return \"quorate_kotlin\"\n";
    if source.matches(name).count() != 1 {
        return Err("uniffi's generator changed how it names the library: see `choose_library`".to_owned());
    }
    Ok(source.replace(name, "    return org.quorate.libraryForMusl() ?: \"quorate_kotlin\"\n"))
}

/// Returns the numbers of tests and vectors in Maven's output; `None` if there are none.
fn summary(output: &str) -> Option<String> {
    let total = output.lines().rfind(|line| line.contains("Tests run: ") && !line.contains("-- in"))?;
    let tests: u32 = total.split("Tests run: ").nth(1)?.split(',').next()?.parse().ok()?;
    let vectors: u32 = output
        .lines()
        .filter_map(|line| line.strip_suffix(" cases")?.split_once(".json: ")?.1.parse::<u32>().ok())
        .sum();
    (tests > 0 && vectors > 0).then(|| format!("{tests} tests, {vectors} vectors"))
}

/// A program among the tests and examples, by the name of its class.
pub(crate) fn program(log: &Log, class: &str) -> Outcome<Command> {
    PREPARED.run(|| prepare(log))?;
    COMPILED.run(|| maven(log, &["test-compile"]).map(drop))?;
    let target = folder().join("target");
    let listed = target.join("test-classpath.txt");
    let jars = fs::read_to_string(&listed).map_err(|e| format!("{}: {e}", listed.display()))?;
    let own = ["classes", "test-classes"].map(|name| target.join(name).display().to_string());
    let path = format!("{}:{}", own.join(":"), jars.trim());
    let mut java = Command::new("java");
    java.args(["-cp", &path, class]);
    Ok(java)
}

/// The package with its native library in the tests' profile: as the step left it, or built now without testing it.
pub(crate) fn jar(log: &Log) -> Outcome<PathBuf> {
    PREPARED.run(|| prepare(log))?;
    PACKAGED.run(|| maven(log, &["package", "-Dmaven.test.skip=true"]).map(drop))?;
    Ok(made("jar"))
}

/// The jars with the sources and the documentation.
pub(crate) fn documentation_jars(log: &Log) -> Outcome<[PathBuf; 2]> {
    PREPARED.run(|| prepare(log))?;
    documentation(log, &["source:jar-no-fork@sources", "dokka:javadocJar@documentation"])?;
    Ok(["sources.jar", "javadoc.jar"].map(made))
}

/// The folder with the documentation as pages for a site.
pub(crate) fn documentation_pages(log: &Log) -> Outcome<PathBuf> {
    PREPARED.run(|| prepare(log))?;
    let pages = folder().join("target/dokka");
    let _ = fs::remove_dir_all(&pages);
    documentation(log, &["dokka:dokka"])?;
    Ok(pages)
}

/// Runs goals of Maven over all sources. The goals alone: the phase `package` would compile again.
fn documentation(log: &Log, goals: &[&str]) -> Outcome {
    maven(log, &[&["-Prelease", "build-helper:add-source@generated-sources"], goals].concat()).map(drop)
}

/// A file of the package that Maven made, by the end of its name.
fn made(end: &str) -> PathBuf {
    let between = if end == "jar" { "." } else { "-" };
    folder().join("target").join(format!("quorate-{}{between}{end}", env!("CARGO_PKG_VERSION")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_declarations_become_internal() {
        let before = "open class Vote: Disposable\n{\n    fun encode() {}\n}\n    @Throws(NativeFailure::class) fun sum(\n) = 1\n \
                      fun one() {}\nprivate fun two() {}\n// fun {\npublic object Converter {\n    fun read() {}\n}\n";
        let after = "internal open class Vote: Disposable\n{\n    fun encode() {}\n}\n@Throws(NativeFailure::class)internal fun sum(\n) = 1\n\
                     internal fun one() {}\nprivate fun two() {}\n// fun {\ninternal object Converter {\n    fun read() {}\n}\n";
        assert_eq!(make_internal(before), after);
    }

    #[test]
    fn the_call_status_is_reused_or_a_changed_generator_is_noticed() {
        let reused = reuse_call_status(
            "{\n    var status = UniffiRustCallStatus()\n    val return_value = callback(status)\n    \
             uniffiCheckCallStatus(errorHandler, status)\n    return return_value\n}\n",
        );
        let expected = "{\n    val status = callStatus()\n    val return_value = callback(status)\n    \
                        status.failure()?.let { uniffiCheckCallStatus(errorHandler, it) }\n    return return_value\n}\n";
        assert_eq!(reused.unwrap(), expected);
        assert!(reuse_call_status("    val status = Status()\n").is_err());
    }

    #[test]
    fn the_library_is_chosen_or_a_changed_generator_is_noticed() {
        let chosen = choose_library("{\n    return \"quorate_kotlin\"\n}\n").unwrap();
        assert_eq!(chosen, "{\n    return org.quorate.libraryForMusl() ?: \"quorate_kotlin\"\n}\n");
        assert!(choose_library("    return name\n").is_err());
    }

    #[test]
    fn outputs_of_an_earlier_build_are_removed() {
        let target = workspace::target("xtask/unit/kotlin");
        for file in ["classes/Gone.class", "test-classes/GoneTest.class", "generated/native/gone.so"] {
            let file = target.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        remove_outputs(&target).unwrap();
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    }

    #[test]
    fn the_last_total_and_all_vectors_are_reported() {
        let output = "wire.json: 12 cases\n[INFO] Tests run: 3, Failures: 0 -- in org.quorate.X\nbls.json: 30 cases\n\
                      [INFO] Tests run: 7, Failures: 0, Errors: 0, Skipped: 0\n";
        assert_eq!(summary(output).as_deref(), Some("7 tests, 42 vectors"));
        assert_eq!(summary("BUILD SUCCESS"), None);
    }
}
