use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How a reader waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Polls all the time: the lowest latency, and a whole core.
    Spin,
    /// Polls for [`SPIN`] after the last message, then sleeps until the sender wakes it.
    #[default]
    Sleep,
}

/// Time without messages after which a reader sleeps.
pub const SPIN: Duration = Duration::from_micros(200);
/// Maximum time that a reader sleeps without a look at its ring.
pub const NAP: Duration = Duration::from_millis(10);

/// Sleeps until one of the descriptors is readable, or closed, or the time is over.
pub fn wait(descriptors: &[BorrowedFd<'_>], limit: Duration) {
    let mut polled: Vec<_> = descriptors.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    let limit = Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: limit.subsec_nanos().into() };
    // An interruption by a signal only makes the sleep shorter.
    let _ = poll(&mut polled, Some(&limit));
}
