//! The background plane: a thread that verifies announcements while requests are served.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use quorate::dsig::dynamic::SuiteId;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::suites::{BackgroundResult, Work};

/// The thread. It ends when this is dropped.
pub(super) struct Announcements {
    waiting: SyncSender<Announcement>,
    verified: Receiver<VerifiedAnnouncement>,
}

/// An admitted announcement.
pub(super) struct Announcement {
    /// Index of the client.
    pub(super) client: usize,
    pub(super) connection: u64,
    pub(super) suite: SuiteId,
    pub(super) work: Work,
}

/// The result of its verification.
pub(super) struct VerifiedAnnouncement {
    pub(super) client: usize,
    pub(super) connection: u64,
    pub(super) suite: SuiteId,
    pub(super) result: quorate::Result<BackgroundResult>,
}

/// Maximum number of announcements that wait.
const MAX_WAITING: usize = 16;

impl Announcements {
    /// Starts the thread.
    pub(super) fn start() -> Result<Self, Failure> {
        let (waiting, work) = sync_channel::<Announcement>(MAX_WAITING);
        // The thread waits for the server to take results, so that this queue is bounded too.
        let (done, verified) = sync_channel(MAX_WAITING);
        let run = move || {
            for Announcement { client, connection, suite, work } in work {
                let result = work();
                if done.send(VerifiedAnnouncement { client, connection, suite, result }).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("announcements".into()).spawn(run);
        thread.or_fail(Exit::Failed, "starting a thread")?;
        Ok(Self { waiting, verified })
    }

    /// Returns false if too many wait.
    pub(super) fn submit(&self, announcement: Announcement) -> bool {
        match self.waiting.try_send(announcement) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }

    /// Returns the next result, if there is one.
    pub(super) fn next(&self) -> Option<VerifiedAnnouncement> {
        self.verified.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, mpsc};

    use super::*;

    #[test]
    fn no_more_announcements_wait_than_the_limit() {
        let announcements = Announcements::start().unwrap();
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let announcement = |connection| {
            let released = released.clone();
            // Ends when the test drops the sender.
            let work: Work = Box::new(move || {
                let _ = released.lock().unwrap().recv();
                Ok(Box::new(()))
            });
            Announcement { client: 0, connection, suite: SuiteId::WotsBlake3, work }
        };
        let accepted: Vec<u64> =
            (0..40).filter(|number| announcements.submit(announcement(*number))).collect();
        // One is in work, unless the thread has not begun.
        assert!((MAX_WAITING..=MAX_WAITING + 1).contains(&accepted.len()), "{accepted:?}");
        drop(release);
        let mut verified = Vec::new();
        while verified.len() < accepted.len() {
            match announcements.next() {
                Some(done) => verified.push(done.connection),
                None => std::thread::yield_now(),
            }
        }
        assert_eq!(verified, accepted);
        assert!(announcements.submit(announcement(99)), "the queue is empty again");
    }
}
