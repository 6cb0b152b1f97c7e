//! The client's signer: with DSig, a thread makes one-time keys ahead of time and announces them.

use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

use quorate::Error;
use quorate::dsig::SignerConfig;
use quorate::ed25519::{Ed25519, SecretKey};
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use tokio::sync::Notify;

use super::Options;
use crate::failure::{Exit, Failure, OrFail};
use crate::frame::{Frame, Scheme};
use crate::lock;
use crate::outbox::Outbox;
use crate::suites::{AnySigner, signer};

/// Signs for one connection.
pub(super) struct Signing {
    how: How,
}

enum How {
    None,
    Eddsa(SecretKey),
    Dsig(Arc<Planes>),
}

/// Both planes of a DSig signer.
struct Planes {
    signer: Mutex<Box<dyn AnySigner>>,
    /// Wakes the background.
    wanted: Condvar,
    /// Wakes who waits for a key.
    made: Notify,
    stopped: Mutex<bool>,
}

/// Fewer keys than this and the background is woken at once.
const LOW: usize = 512;
/// How often the background looks by itself: keys expire.
const LOOK: Duration = Duration::from_millis(250);

impl Signing {
    pub(super) fn start(
        options: &Options,
        secret: SecretKey,
        outbox: &Arc<Outbox>,
    ) -> Result<Arc<Self>, Failure> {
        let how = match options.scheme {
            Scheme::None => How::None,
            Scheme::Eddsa => How::Eddsa(secret),
            Scheme::Dsig => {
                let config = SignerConfig { low_water: LOW, ..SignerConfig::default() };
                let signer =
                    signer(options.suite, secret, config).or_fail(Exit::Failed, "making the signer")?;
                let planes = Arc::new(Planes {
                    signer: Mutex::new(signer),
                    wanted: Condvar::new(),
                    made: Notify::new(),
                    stopped: Mutex::new(false),
                });
                let (of_thread, outbox) = (Arc::downgrade(&planes), outbox.clone());
                std::thread::Builder::new()
                    .name("one-time keys".into())
                    .spawn(move || background(&of_thread, &outbox))
                    .or_fail(Exit::Failed, "starting a thread")?;
                How::Dsig(planes)
            }
        };
        Ok(Arc::new(Self { how }))
    }

    /// Signs what `message` makes of the time of day, and hands the signature on.
    ///
    /// # Errors
    /// If the signer failed for good, and those of `hand_on`.
    pub(super) async fn sign(
        &self,
        message: impl Fn(Time) -> Vec<u8>,
        hand_on: impl FnOnce(Scheme, Time, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let planes = match &self.how {
            How::None => return hand_on(Scheme::None, crate::now(), &[]),
            How::Eddsa(secret) => {
                let time = crate::now();
                return hand_on(Scheme::Eddsa, time, &Ed25519::sign(secret, &message(time)).to_bytes());
            }
            How::Dsig(planes) => planes,
        };
        loop {
            let made = planes.made.notified();
            {
                let now = crate::now();
                let mut signer = lock(&planes.signer);
                let signed = signer.sign(&message(now), now);
                let ready = signer.ready();
                drop(signer);
                if ready < LOW {
                    planes.wanted.notify_one();
                }
                match signed {
                    Ok(signature) => return hand_on(Scheme::Dsig, now, &signature),
                    Err(Error::Exhausted) => {}
                    Err(error) => return Err(Failure::failed(format!("signing: {error}"))),
                }
            }
            made.await;
        }
    }

    /// Ends the background.
    pub(super) fn stop(&self) {
        if let How::Dsig(planes) = &self.how {
            *lock(&planes.stopped) = true;
            planes.wanted.notify_one();
        }
    }
}

/// Makes keys while somebody has the other end. Announcements leave before any signature of their keys: they are
/// pushed while the signer is held.
fn background(planes: &Weak<Planes>, outbox: &Outbox) {
    while let Some(planes) = planes.upgrade() {
        if *lock(&planes.stopped) {
            return;
        }
        let mut signer = lock(&planes.signer);
        // The operating system's generator failed: it may not the next time.
        let Ok(Some(work)) = signer.plan(crate::now()) else {
            drop(planes.wanted.wait_timeout(signer, LOOK));
            continue;
        };
        drop(signer);
        let Ok(batch) = work() else { continue };
        let mut signer = lock(&planes.signer);
        if let Some(announcement) = signer.add(batch) {
            outbox.push(|out| Frame::Announcement(&announcement).encode_to(out));
        }
        drop(signer);
        planes.made.notify_waiters();
        outbox.flush();
    }
}
