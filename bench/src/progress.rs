//! Progress of the measurements, on the standard error: the standard output may be JSON.

use std::fmt::Display;
use std::sync::OnceLock;
use std::time::Instant;

/// Prints the current measurement of a group, with the seconds since the first such line.
pub(crate) fn progress(group: &str, what: impl Display) {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let began = BEGAN.get_or_init(Instant::now);
    eprintln!("[{:>4} s] {group}: {what}", began.elapsed().as_secs());
}
