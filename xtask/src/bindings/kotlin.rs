//! The Kotlin package: native library, generated classes, Maven.

mod examples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Outcome, is_there, output_of};
use crate::steps::{Log, Once, Steps};
use crate::{environment, workspace};

/// The oldest Java that the package is compiled for.
const JAVA: u32 = 17;

/// The crate with the native half.
pub(crate) const PACKAGE: &str = "quorate-kotlin";

/// What Maven needs, the classes of the package and its tests, and the jar: all in this process.
static PREPARED: Once = Once::new();
static COMPILED: Once = Once::new();
static PACKAGED: Once = Once::new();

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("kotlin binding", |log| {
        PREPARED.run(|| prepare(log))?;
        let output = maven(log, &["package"])?;
        COMPILED.done();
        PACKAGED.done();
        summary(&output).ok_or_else(|| "Maven ran no tests".to_owned())
    });
}

/// Compiles the native library and puts it, and what uniffi generates from it, where Maven looks.
fn prepare(log: &Log) -> Outcome {
    tools(log)?;
    workspace::libraries(log)?;
    let library = workspace::library("debug", PACKAGE);
    let generated = folder().join("target/generated");
    emptied(&folder().join("target"))?;
    log.run(
        Command::new(workspace::target("debug").join("uniffi-bindgen"))
            .arg("generate")
            .arg(&library)
            .args(["--language", "kotlin", "--no-format", "--config"])
            .arg(folder().join("uniffi.toml"))
            .arg("--out-dir")
            .arg(generated.join("kotlin")),
    )?;
    let source = generated.join("kotlin/org/quorate/internal/quorate.kt");
    let text = fs::read_to_string(&source).map_err(|e| format!("{}: {e}", source.display()))?;
    fs::write(&source, quick(&hidden(&text))?).map_err(|e| format!("{}: {e}", source.display()))?;
    examples::write(&folder().join("README.md"), &generated.join("readme"))?;
    let natives = generated.join("native").join(platform()?);
    workspace::copy(&library, &natives.join(workspace::library_name(PACKAGE)))
}

/// Removes what an earlier build made: Maven and uniffi overwrite, but what is no longer in the sources would stay, and
/// get into the jar.
fn emptied(target: &Path) -> Outcome {
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

/// Maven on a project. The compiler's daemon would outlive it.
pub(crate) fn maven_in(log: &Log, folder: &Path, goals: &[&str]) -> Outcome<String> {
    let mut command = Command::new("mvn");
    command.current_dir(folder).args(["-B", "-ntp", "-Dkotlin.compiler.daemon=false"]).args(goals);
    log.run(&mut command)
}

/// A JDK and Maven, installed where we may.
pub(crate) fn tools(log: &Log) -> Outcome {
    let mut packages = Vec::new();
    if java().is_none_or(|version| version < JAVA) || !is_there("javac") {
        packages.push("default-jdk-headless");
    }
    if !is_there("mvn") {
        packages.push("maven");
    }
    if !packages.is_empty() {
        environment::install(log, &packages)?;
    }
    match java() {
        Some(version) if version >= JAVA => Ok(()),
        found => Err(format!("a JDK of version {JAVA} or newer is needed first on PATH; found {found:?}")),
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
        other => return Err(format!("no name of JNA's for {other} is known here; add it")),
    };
    Ok(format!("{system}-{machine}"))
}

/// Makes everything that uniffi generated `internal`: users see our classes only, and the compiler sees to it that
/// none of these leaks through them.
fn hidden(source: &str) -> String {
    let mut depth = 0usize;
    let mut hide = |line: &str| {
        let text = line.trim();
        if text.starts_with("//") || text.starts_with('*') || text.starts_with("/*") {
            return line.to_owned() + "\n";
        }
        let shown = if depth == 0 { hidden_line(line) } else { line.to_owned() };
        let count = |brace| text.chars().filter(|c| *c == brace).count();
        depth = (depth + count('{') + count('(')).saturating_sub(count('}') + count(')'));
        shown + "\n"
    };
    // The generator puts the first function on the line of the brace before it.
    source.replace("\n} fun ", "\n}\nfun ").lines().map(&mut hide).collect()
}

/// A line outside all braces.
fn hidden_line(line: &str) -> String {
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

/// One status per thread instead of one per call, for making one is dear, and verifying a certificate takes three calls.
///
/// A call may be made between another's taking the status and its start (an argument is passed), or after its end (the
/// error is read), but not meanwhile: Rust calls nothing back. Rust writes the status only if a call fails, so that it
/// must be cleared before each.
fn quick(source: &str) -> Outcome<String> {
    let each = "    var status = UniffiRustCallStatus()\n";
    if source.matches(each).count() != 1 {
        return Err("uniffi's generator changed how it makes a call's status: see `quick`".to_owned());
    }
    let kept = "private val statuses = ThreadLocal.withInitial { UniffiRustCallStatus() }\n\
                internal fun callStatus(): UniffiRustCallStatus = statuses.get().also { it.code = 0 }\n";
    Ok(source.replace(each, "    val status = callStatus()\n") + "\n" + kept)
}

/// What the tests printed about themselves.
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
    Ok(folder().join(concat!("target/quorate-", env!("CARGO_PKG_VERSION"), ".jar")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_declarations_become_internal_and_their_members_stay() {
        let before = "open class Vote: Disposable\n{\n    fun encode() {}\n}\n    @Throws(NativeFailure::class) fun sum(\n) = 1\n \
                      fun one() {}\nprivate fun two() {}\n// fun {\npublic object Converter {\n    fun read() {}\n}\n";
        let after = "internal open class Vote: Disposable\n{\n    fun encode() {}\n}\n@Throws(NativeFailure::class)internal fun sum(\n) = 1\n\
                     internal fun one() {}\nprivate fun two() {}\n// fun {\ninternal object Converter {\n    fun read() {}\n}\n";
        assert_eq!(hidden(before), after);
    }

    #[test]
    fn the_status_of_calls_is_kept_or_the_change_is_noticed() {
        let quicker = quick("{\n    var status = UniffiRustCallStatus()\n    call(status)\n}\n").unwrap();
        assert!(quicker.starts_with("{\n    val status = callStatus()\n    call(status)\n}\n"));
        assert!(quick("    val status = Status()\n").is_err());
    }

    #[test]
    fn nothing_of_an_earlier_build_is_left_for_the_jar() {
        let target = workspace::target("xtask/unit/kotlin");
        for file in ["classes/Gone.class", "test-classes/GoneTest.class", "generated/native/gone.so"] {
            let file = target.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        emptied(&target).unwrap();
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
