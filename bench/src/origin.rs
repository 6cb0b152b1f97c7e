//! Where figures come from: the machine, the code and the day of their measurement.

use std::fs;
use std::process::Command;

use jiff::Timestamp;
use serde_json::{Value, json};

/// Returns the processor, the compiler, the commit and the day. `is_quick`: fewer samples were taken.
pub(crate) fn describe(is_quick: bool) -> Value {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| {
        line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim().to_owned())
    });
    json!({
        "processor": model.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "system": std::env::consts::OS,
        "compiler": output("rustc", &["--version"]),
        "commit": commit(),
        "date": Timestamp::now().strftime("%Y-%m-%d").to_string(),
        "quick": is_quick,
    })
}

/// Returns a sentence about an origin.
pub(crate) fn sentence(origin: &Value) -> String {
    let text = |field: &str| match origin.get(field) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => "unknown".to_owned(),
    };
    let care = match origin.get("quick").and_then(Value::as_bool) {
        Some(true) => " **A quick run: do not quote it.**",
        _ => "",
    };
    format!(
        "Measured on {}, commit {}, on {} with {} cores, {}.{care}",
        text("date"),
        text("commit"),
        text("processor"),
        text("cores"),
        text("compiler")
    )
}

/// Returns the commit of the working tree, and whether other files than the report were changed.
fn commit() -> Option<String> {
    let commit = output("git", &["rev-parse", "--short=10", "HEAD"])?;
    let changes =
        output("git", &["status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/bench/report"])?;
    Some(if changes.is_empty() { commit } else { format!("{commit} with changes") })
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_has_what_the_run_recorded() {
        let origin = describe(true);
        let sentence = sentence(&origin);
        let year = Timestamp::now().strftime("%Y").to_string();
        assert!(
            sentence.contains(&year) && sentence.contains("rustc 1.") && sentence.ends_with("quote it.**")
        );
        assert!(
            super::sentence(&json!({ "commit": "abc", "quick": false })).contains("commit abc, on unknown")
        );
    }
}
