//! Checks of the data directory.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use quorate_node::config::NodeConfig;
use quorate_node::store::{self, Binding, DataState};

use super::finding::Finding;

/// Free space, in bytes, below which the validator soon stops.
const LEAST_SPACE: u64 = 1 << 30;
/// Free space, in bytes, below which an operator should add some. The same as in `operations/alerts.yml`.
const ENOUGH_SPACE: u64 = 20_000_000_000;

/// Checks the directory. Returns true if a process uses it.
pub(super) fn inspect(config: &NodeConfig, binding: &Binding, findings: &mut Vec<Finding>) -> bool {
    let data = &config.node.data;
    let place = data.display();
    findings.extend(space(data));
    let inspected = store::inspect(data, binding).and_then(|state| {
        if state.is_some() {
            store::check_conflict(data)?;
        }
        Ok(state)
    });
    let Some(state) = Finding::of("data", inspected, findings) else { return false };
    let Some(DataState { in_use, created }) = state else {
        findings.push(Finding::warning(
            "data",
            format!("{place} is empty"),
            "right before the first start of these keys, which needs --new-validator; otherwise mount the disk with the \
             data, and never start without it",
        ));
        return false;
    };
    let created = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(created));
    findings.push(if created.is_some_and(|created| created > SystemTime::now()) {
        Finding::failed(
            "data",
            format!("{place} was created in the future"),
            "correct the clock of this machine",
        )
    } else {
        let used = if in_use { "a validator uses it" } else { "no process uses it" };
        Finding::ok("data", format!("{place}, {}; {used}", store::FORMAT))
    });
    findings.extend(owner(data, &config.node.keys));
    in_use
}

/// Checks that only the user of the validator can change the data.
fn owner(data: &Path, keys: &Path) -> Option<Finding> {
    let (data_metadata, keys) = (fs::metadata(data).ok()?, fs::metadata(keys).ok()?);
    let place = data.display();
    if data_metadata.permissions().mode() & 0o022 != 0 {
        let detail = format!("{place}: other users can change it");
        return Some(Finding::warning("data owner", detail, format!("run `chmod go-w {place}`")));
    }
    let (data, keys) = (data_metadata.uid(), keys.uid());
    Some(if data == keys {
        Finding::ok("data owner", format!("user {data}, as of the keys"))
    } else {
        let detail = format!("user {data} owns {place}, and user {keys} the keys");
        Finding::warning("data owner", detail, "give both to the user of the validator")
    })
}

/// Checks the space for the directory, or for the one in which it will be.
fn space(data: &Path) -> Option<Finding> {
    let existing = data.ancestors().find(|path| path.is_dir())?;
    let statistics = rustix::fs::statvfs(existing).ok()?;
    let free = statistics.f_bavail.saturating_mul(statistics.f_frsize);
    let detail = format!("{:.1} GB free", free as f64 / 1e9);
    let remedy = "enlarge the volume: nothing is deleted, and a full disk stops the validator";
    Some(match free {
        ..LEAST_SPACE => Finding::failed("disk space", detail, remedy),
        LEAST_SPACE..ENOUGH_SPACE => Finding::warning("disk space", detail, remedy),
        _ => Finding::ok("disk space", detail),
    })
}
