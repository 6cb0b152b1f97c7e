//! Processor time, as Linux accounts it in `/proc`. Other systems have no such files: there, each time is zero.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// Number of clock ticks per second in `/proc`: the same on all architectures that we support.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProcessorTime {
    /// The process ended, and its parent did not wait for it yet: the times are final.
    pub(crate) is_final: bool,
    /// Time of the process itself.
    own: Duration,
    /// Time of all processes that ended and for which it waited, and of theirs.
    children: Duration,
}

impl ProcessorTime {
    /// The time of a process, which must not have been waited for.
    pub(crate) fn of_process(id: u32) -> Option<Self> {
        Self::read(&Path::new("/proc").join(id.to_string()).join("stat"))
    }

    /// Time of the process and of its children that ended.
    pub(crate) fn total(self) -> Duration {
        self.own.saturating_add(self.children)
    }

    fn read(file: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(file).ok()?)
    }

    /// Reads the fields after the name, which is in parentheses and may contain spaces.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let seconds = |index: usize| Some(fields.get(index)?.parse::<f64>().ok()? / TICKS_PER_SECOND);
        let sum = |user, system| Duration::try_from_secs_f64(seconds(user)? + seconds(system)?).ok();
        Some(Self { is_final: *fields.first()? == "Z", own: sum(11, 12)?, children: sum(13, 14)? })
    }
}

/// Processor time of the calling thread alone.
pub(crate) fn of_this_thread() -> Duration {
    ProcessorTime::read(Path::new("/proc/thread-self/stat")).map_or(Duration::ZERO, |time| time.own)
}

/// Processor time of this process, and of all processes that it started and that ended.
pub(crate) fn of_this_process() -> Duration {
    ProcessorTime::read(Path::new("/proc/self/stat")).map_or(Duration::ZERO, ProcessorTime::total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_after_the_name() {
        let line = "7 (a) b (c)) Z 1 7 7 0 -1 4194304 100 0 0 0 150 50 1000 25 20 0 1 0 9";
        let time = ProcessorTime::parse(line).unwrap();
        assert!(time.is_final);
        assert_eq!(time.own, Duration::from_secs(2));
        assert_eq!(time.total(), Duration::from_millis(12_250));
        assert_eq!(ProcessorTime::parse("7 (short) R 1"), None);
        assert_eq!(ProcessorTime::parse(""), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn work_of_this_thread_counts() {
        let before = of_this_thread();
        let mut sum = 0u64;
        while of_this_thread() < before + Duration::from_millis(30) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(of_this_process() >= of_this_thread());
    }
}
