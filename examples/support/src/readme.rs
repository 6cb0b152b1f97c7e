//! Runs the shell commands of a README, for tests.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "for tests only, which fail with the place of the fault"
)]

use std::path::Path;
use std::process::{Command, Stdio};

/// The lines of the blocks `sh` of a page, without those that build the program.
pub struct Script(String);

/// Time limit for a script, in seconds.
const LIMIT: &str = "300";

impl Script {
    pub fn of_page(page: &str) -> Self {
        let mut text = String::new();
        let mut within = false;
        for line in page.lines() {
            match line {
                "```sh" => within = true,
                "```" => within = false,
                line if within && !line.starts_with("cargo ") => text += &command(line),
                _ => {}
            }
        }
        Self(text)
    }

    pub fn of_section(page: &str, title: &str) -> Self {
        let section = page.split(&format!("## {title}\n")).nth(1).unwrap();
        Self::of_page(section.split("\n## ").next().unwrap())
    }

    /// Replaces a text that the page has, for example a folder or an address, by another one.
    pub fn replace(self, from: &str, to: &str) -> Self {
        assert!(self.0.contains(from), "{from:?} is not in {}", self.0);
        Self(self.0.replace(from, to))
    }

    /// Runs the commands in a folder, up to the first one with an unexpected exit code, and returns their output. The folder of
    /// the program is in the path.
    pub fn run(self, program: &Path, folder: &Path) -> String {
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
        // No process is left running, also after an error.
        let script = format!("set -eu\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n{}", self.0);
        let mut bash = Command::new("timeout");
        bash.args([LIMIT, "bash", "-c", &script]).env("PATH", path).env("TMPDIR", folder).current_dir(folder);
        let output = bash.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(0), "{script}\n{text}");
        text
    }
}

/// A line of the page as a line of a script that ends at the first command with an unexpected exit code.
fn command(line: &str) -> String {
    // The byte of the log may be an X already.
    let line = match line.split_once("dd of=") {
        Some((_, rest)) => {
            let log = rest.split(' ').next().unwrap();
            let another =
                format!("dd if={log} bs=1 skip=300 count=1 status=none | tr '\\0-\\377' '\\1-\\377\\0' |");
            line.replace("printf X |", &another)
        }
        None => line.to_owned(),
    };
    match line.split_once("; exit code ") {
        Some((command, code)) => {
            format!("code=0; {} || code=$?; test $code = {code}\n", command.split(" # ").next().unwrap())
        }
        None => format!("{line}\n"),
    }
}
