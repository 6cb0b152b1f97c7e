//! One operation as a file that stands for itself: whoever knows the client's public key can check that the client
//! asked for it, of which store, when, and as its how-manieth command. Nothing else is claimed.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | `QAPROOF1` |
//! | 32 | store |
//! | 32 | signer |
//! | rest | the [signed command](crate::frame::SignedCommand) |

use std::path::Path;

use quorate::dsig::dynamic;
use quorate::ed25519::PublicKey;
use quorate::machine::Time;

use crate::failure::{Exit, Failure, OrFail};
use crate::frame::{MAX_FRAME, Scheme, SignedCommand, verify_eddsa};
use crate::log::{Scan, Step};
use crate::resp::Command;

const MAGIC: &[u8; 8] = b"QAPROOF1";

/// What a proof proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// The store that the command was for.
    pub store: [u8; 32],
    /// Who asked for it.
    pub signer: [u8; 32],
    /// The client's number for it.
    pub sequence: u64,
    /// The client's time of day when it signed.
    pub time: Time,
    /// How it is signed: `eddsa`, or the name of a DSig suite.
    pub scheme: &'static str,
    /// Name and arguments.
    pub command: Vec<Vec<u8>>,
}

/// Takes an entry out of a log, as a proof.
///
/// # Errors
/// [`Failure`] if there is no such entry, if it is not signed, or if the log cannot be read.
pub fn prove(log: &Path, number: u64) -> Result<Vec<u8>, Failure> {
    let mut scan = Scan::open(log)?;
    let store = *scan.store();
    loop {
        let len = match scan.step().or_fail(Exit::Input, log.display())? {
            Step::Entry(raw) if raw.entry.number == number => {
                let proof = [&MAGIC[..], &store, &raw.entry.signer, raw.entry.body].concat();
                let signer = quorate::wire::Decode::decode(&raw.entry.signer, &())
                    .or_fail(Exit::Input, log.display())?;
                check(&proof, &signer)?;
                return Ok(proof);
            }
            Step::Entry(raw) => raw.len(),
            Step::NoEntry | Step::Cut(_) => {
                let message = format!(
                    "{}: byte {}: the log is damaged; run `audited-redis audit`",
                    log.display(),
                    scan.offset()
                );
                return Err(Failure::with_code(Exit::Tampered, "LOG_DAMAGED", message));
            }
            Step::End => {
                let message = format!("{}: there is no entry {number}", log.display());
                return Err(Failure::with_code(Exit::NotFound, "NO_ENTRY", message));
            }
        };
        scan.skip(len);
    }
}

/// Checks a proof with nothing but the signer's public key.
///
/// # Errors
/// [`Failure`] with [`Exit::Input`] if the bytes are no proof, with [`Exit::Tampered`] if it does not hold.
pub fn check(proof: &[u8], signer: &PublicKey) -> Result<Proven, Failure> {
    let not = || Failure::input("not a proof file; check the path");
    if proof.len() > MAX_FRAME + 72 {
        return Err(not());
    }
    let rest = proof.strip_prefix(MAGIC).ok_or_else(not)?;
    let (store, rest) = rest.split_first_chunk::<32>().ok_or_else(not)?;
    let (stated, body) = rest.split_first_chunk::<32>().ok_or_else(not)?;
    let refused = |message: String| Failure::with_code(Exit::Tampered, "BAD_PROOF", message);
    if stated != signer.as_bytes() {
        return Err(refused("the proof is of another signer".to_owned()));
    }
    let signed = SignedCommand::decode(body).map_err(|reason| refused(reason.to_string()))?;
    let command = Command::parse(signed.command).map_err(|reason| refused(reason.to_string()))?;
    let message = signed.message(store);
    let verified = match signed.scheme {
        Scheme::None => {
            return Err(refused("the command was never signed: nothing can be proven".to_owned()));
        }
        Scheme::Eddsa => verify_eddsa(signer, &message, signed.signature),
        Scheme::Dsig => dynamic::verify(signer, &message, signed.signature),
    };
    verified.map_err(|error| refused(error.to_string()))?;
    let scheme = match signed.scheme {
        Scheme::Dsig => crate::suites::suite_of(signed.signature).map(|suite| suite.name()).unwrap_or("dsig"),
        other => other.name(),
    };
    Ok(Proven {
        store: *store,
        signer: *stated,
        sequence: signed.sequence,
        time: signed.time,
        scheme,
        command: command.arguments().map(<[u8]>::to_vec).collect(),
    })
}
