//! Progress of a program's runs on the standard error, and Ctrl-C.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Exit code after Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;
/// Interval between two updates of the line on a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(500);
/// Interval between two lines elsewhere.
const ELSEWHERE: Duration = Duration::from_secs(60);

/// Shows how many runs are done.
pub(super) struct Progress {
    total: u64,
    done: u64,
    began: Instant,
    shown: Instant,
    is_terminal: bool,
}

impl Progress {
    pub(super) fn new(total: u64) -> Self {
        let (began, is_terminal) = (Instant::now(), io::stderr().is_terminal());
        Self { total, done: 0, began, shown: began, is_terminal }
    }

    /// Returns the time after which [`update`](Progress::update) should be called.
    pub(super) fn interval(&self) -> Duration {
        if self.is_terminal { ON_TERMINAL } else { ELSEWHERE }
    }

    /// Counts a run.
    pub(super) fn count(&mut self) {
        self.done += 1;
    }

    /// Shows the progress if the last update is old enough.
    pub(super) fn update(&mut self) {
        if self.shown.elapsed() < self.interval() {
            return;
        }
        self.shown = Instant::now();
        // What the terminal does not show is no error.
        let mut out = io::stderr();
        let _ = if self.is_terminal { write!(out, "\r{self}\x1b[K") } else { writeln!(out, "{self}") };
        let _ = out.flush();
    }

    /// Removes the line from the terminal.
    pub(super) fn clear(&self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    /// Returns the time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

/// For instance `12345 of 100000 runs, 71.3 each second, 20 min left`.
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.done as f64 / self.began.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        write!(f, "{} of {} runs, {rate:.1} each second", self.done, self.total)?;
        if self.done == 0 {
            return Ok(());
        }
        let left = (self.total - self.done) as f64 / rate;
        if left < 100.0 {
            write!(f, ", {left:.0} s left")
        } else {
            write!(f, ", {:.0} min left", left / 60.0)
        }
    }
}

/// Returns a flag that Ctrl-C sets. A second Ctrl-C ends the process at once.
#[cfg(unix)]
pub(super) fn interruption() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag;

    let flag = Arc::new(AtomicBool::new(false));
    // In this order: the first signal must find the flag unset.
    flag::register_conditional_shutdown(SIGINT, i32::from(INTERRUPTED), flag.clone())?;
    flag::register(SIGINT, flag.clone())?;
    Ok(flag)
}

/// Returns a flag that nothing sets: Ctrl-C ends the process.
#[cfg(not(unix))]
pub(super) fn interruption() -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::new(AtomicBool::new(false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_the_rate_and_the_time_left() {
        let began = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
        let progress = |done, total| {
            let progress = Progress { total, done, began, shown: began, is_terminal: false };
            progress.to_string()
        };
        assert_eq!(progress(0, 50), "0 of 50 runs, 0.0 each second");
        assert_eq!(progress(20, 50), "20 of 50 runs, 2.0 each second, 15 s left");
        assert_eq!(progress(20, 1220), "20 of 1220 runs, 2.0 each second, 10 min left");
    }
}
