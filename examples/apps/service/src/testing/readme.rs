use std::path::Path;
use std::process::{Command, Stdio};

use quorate_support::ports::free_addresses;

use super::deployment::Program;

/// Runs the commands of a page's section "Five minutes" and returns their output. `folder` and `address` are those of the page; the
/// commands get others.
pub fn run_five_minutes(page: &str, program: Program, folder: &str, address: &str) -> String {
    let temporary = tempfile::tempdir().unwrap();
    let own = temporary.path().join("deployment");
    let free = free_addresses(1).unwrap()[0].to_string();
    let section = page.split("## Five minutes\n").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(section.contains(folder) && section.contains(address), "{section}");
    // No process is left running, also after an error.
    let mut script = "set -eu\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n".to_owned();
    let mut within = false;
    for line in section.lines() {
        match line {
            "```sh" => within = true,
            "```" => within = false,
            // The program is built, and in the path.
            line if within && !line.starts_with("cargo ") => script += &command(line),
            _ => {}
        }
    }
    let script = script.replace(folder, own.to_str().unwrap()).replace(address, &free);
    let binaries = Path::new(program.path).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("timeout");
    bash.args(["300", "bash", "-c", &script]).env("PATH", path).current_dir(temporary.path());
    let output = bash.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{script}\n{text}");
    text
}

/// A line of the page as a line of a script that ends at the first command with an unexpected exit code.
fn command(line: &str) -> String {
    // A busy machine needs more time than a user would wait.
    let line = line.replace(" call ", " call --timeout 120 ");
    // The byte of the log may be an X already.
    let another = "dd if=audit.log bs=1 skip=300 count=1 status=none | tr '\\0-\\377' '\\1-\\377\\0' |";
    let line = line.replace("printf X |", another);
    match line.split_once("; exit code ") {
        Some((command, code)) => {
            format!("code=0; {} || code=$?; test $code = {code}\n", command.split(" # ").next().unwrap())
        }
        None => format!("{line}\n"),
    }
}
