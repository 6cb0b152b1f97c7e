//! The client's signer. With DSig, a thread makes one-time keys in advance and announces them.

use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

use quorate::Error;
use quorate::dsig::SignerConfig;
use quorate::ed25519::SecretKey;
use quorate::machine::Time;
use tokio::sync::Notify;

use super::options::ClientOptions;
use crate::eddsa::EddsaSigner;
use crate::failure::{Exit, Failure, OrFail};
use crate::frame::{Frame, SignatureScheme};
use crate::lock;
use crate::outbox::Outbox;
use crate::suites::{DynSigner, signer};

/// Signer of one connection.
pub(super) struct CommandSigner {
    how: SigningMode,
}

enum SigningMode {
    None,
    Eddsa(EddsaSigner),
    Dsig(Arc<DsigPlanes>),
}

/// A DSig signer, shared by the foreground and the background thread.
struct DsigPlanes {
    signer: Mutex<Box<dyn DynSigner>>,
    /// Wakes the background thread.
    wanted: Condvar,
    /// Wakes callers that wait for a key.
    made: Notify,
    stopped: Mutex<bool>,
}

/// The background thread is woken when fewer keys than this are ready.
const LOW_WATER: usize = 512;
/// Interval at which the background thread checks for expired keys.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

impl CommandSigner {
    pub(super) fn start(
        options: &ClientOptions,
        secret: SecretKey,
        outbox: &Arc<Outbox>,
    ) -> Result<Arc<Self>, Failure> {
        let how = match options.scheme {
            SignatureScheme::None => SigningMode::None,
            SignatureScheme::Eddsa => SigningMode::Eddsa(EddsaSigner::new(options.library, secret)?),
            SignatureScheme::Dsig => {
                let config = SignerConfig { low_water: LOW_WATER, ..SignerConfig::default() };
                let signer =
                    signer(options.suite, secret, config).or_fail(Exit::Failed, "making the signer")?;
                let planes = Arc::new(DsigPlanes {
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
                SigningMode::Dsig(planes)
            }
        };
        Ok(Arc::new(Self { how }))
    }

    /// Signs `message` of the current time and passes the signature to `deliver`.
    ///
    /// # Errors
    /// If the signer fails permanently, and those of `deliver`.
    pub(super) async fn sign(
        &self,
        message: impl Fn(Time) -> Vec<u8>,
        deliver: impl FnOnce(SignatureScheme, Time, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let planes = match &self.how {
            SigningMode::None => return deliver(SignatureScheme::None, crate::now(), &[]),
            SigningMode::Eddsa(signer) => {
                let time = crate::now();
                return deliver(SignatureScheme::Eddsa, time, &signer.sign(&message(time))?);
            }
            SigningMode::Dsig(planes) => planes,
        };
        loop {
            let made = planes.made.notified();
            {
                let now = crate::now();
                let mut signer = lock(&planes.signer);
                let signed = signer.sign(&message(now), now);
                let ready = signer.ready();
                drop(signer);
                if ready < LOW_WATER {
                    planes.wanted.notify_one();
                }
                match signed {
                    Ok(signature) => return deliver(SignatureScheme::Dsig, now, &signature),
                    Err(Error::Exhausted) => {}
                    Err(error) => return Err(Failure::failed(format!("signing: {error}"))),
                }
            }
            made.await;
        }
    }

    /// Waits until the background thread has no one-time keys to make. Returns true if it had.
    pub(super) async fn prepared(&self) -> bool {
        let SigningMode::Dsig(planes) = &self.how else { return false };
        let mut waited = false;
        loop {
            let made = planes.made.notified();
            if lock(&planes.signer).ready() >= LOW_WATER {
                return waited;
            }
            planes.wanted.notify_one();
            made.await;
            waited = true;
        }
    }

    /// Stops the background thread.
    pub(super) fn stop(&self) {
        if let SigningMode::Dsig(planes) = &self.how {
            *lock(&planes.stopped) = true;
            planes.wanted.notify_one();
        }
    }
}

/// Makes keys until the client is dropped. Announcements are sent before any signature of their keys: they are
/// queued while the signer is locked.
fn background(planes: &Weak<DsigPlanes>, outbox: &Outbox) {
    while let Some(planes) = planes.upgrade() {
        if *lock(&planes.stopped) {
            return;
        }
        let mut signer = lock(&planes.signer);
        // The operating system's generator failed, or there is no work; try again later.
        let Ok(Some(work)) = signer.plan(crate::now()) else {
            drop(planes.wanted.wait_timeout(signer, POLL_INTERVAL));
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
