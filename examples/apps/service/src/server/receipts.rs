//! Signs the answers and logs the receipts.

use quorate::Error;
use quorate::dsig::SignerConfig;
use quorate::machine::Time;
use quorate_audit::Application;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::keys::Key;
use quorate_audit::log::{LogWriter, NewEntry};
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_audit::suites::{DynSigner, signer};

use super::log_failure::unwritten;
use crate::frame::Frame;
use crate::receipt::{Receipt, SUITE};

/// The server's key, and its sequence number.
pub(super) struct Receipts {
    application: &'static Application,
    store: [u8; 32],
    public: [u8; 32],
    /// Sequence number of the last receipt.
    last: u64,
    keys: Box<dyn DynSigner>,
    receipt: Vec<u8>,
    body: Vec<u8>,
}

/// Keys are made when fewer than this are ready: a batch of the default size.
const LOW_WATER: usize = 128;

impl Receipts {
    /// `last` is the sequence number of the key's last receipt in the log.
    pub(super) fn new(
        application: &'static Application,
        store: [u8; 32],
        key: &Key,
        last: u64,
    ) -> Result<Self, Failure> {
        let config = SignerConfig { low_water: LOW_WATER, ..SignerConfig::default() };
        let keys = signer(SUITE, key.secret_key()?, config).or_fail(Exit::Failed, "making the signer")?;
        let public = *key.public()?.as_bytes();
        Ok(Self { application, store, public, last, keys, receipt: Vec::new(), body: Vec::new() })
    }

    /// Makes a batch of keys if few are left, in half a millisecond. To be called while no command waits: a receipt that finds
    /// no key does the same.
    ///
    /// # Errors
    /// [`Failure`] if the operating system gives no random bytes.
    pub(super) fn prepare(&mut self, now: Time) -> Result<(), Failure> {
        self.make_keys(now).or_fail(Exit::Failed, "making keys")
    }

    /// Signs a receipt and appends it to the log. Writes its message to `out`.
    ///
    /// # Errors
    /// [`Failure`] if the log cannot be written. The command was executed, and the next start signs its receipt.
    pub(super) fn append(
        &mut self,
        log: &mut LogWriter,
        now: Time,
        receipt: &Receipt<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        receipt.encode_into(&mut self.receipt);
        let sequence = self.last + 1;
        let message = self.application.message(&self.store, sequence, now, &self.receipt);
        let signature = self.sign(&message, now).or_fail(Exit::Failed, "signing an answer")?;
        let (scheme, command) = (SignatureScheme::Dsig, self.receipt.as_slice());
        self.body.clear();
        SignedCommand { scheme, sequence, time: now, signature: &signature, command }
            .encode_to(&mut self.body);
        let new = NewEntry { received: now.0, signer: self.public, body: &self.body };
        log.append_unsealed(new).map_err(unwritten)?;
        self.last = sequence;
        Frame::Receipt(&self.body).encode_into(out);
        Ok(())
    }

    fn sign(&mut self, message: &[u8], now: Time) -> quorate::Result<Vec<u8>> {
        match self.keys.sign(message, now) {
            Err(Error::Exhausted) => {
                self.make_keys(now)?;
                self.keys.sign(message, now)
            }
            other => other,
        }
    }

    fn make_keys(&mut self, now: Time) -> quorate::Result<()> {
        if let Some(work) = self.keys.plan(now)? {
            self.keys.add(work()?);
        }
        Ok(())
    }
}
