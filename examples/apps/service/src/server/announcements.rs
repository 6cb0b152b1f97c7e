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
