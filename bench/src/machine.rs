//! Description of the machine of the measurements.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

/// Processor, cores and compiler.
pub(crate) fn describe() -> Value {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| {
        line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim().to_owned())
    });
    let rustc = Command::new("rustc").arg("--version").output().ok();
    json!({
        "processor": model.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "system": std::env::consts::OS,
        "compiler": rustc.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()),
    })
}
