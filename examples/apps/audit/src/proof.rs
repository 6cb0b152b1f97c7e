//! A proof: one operation as a self-contained file. The client's public key suffices to verify that the client sent
//! the command, for which store, at which time, and with which sequence number. A proof claims nothing else.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | the application's magic, for example `QAPROOF1` |
//! | 32 | store |
//! | 32 | signer |
//! | rest | the [signed command](crate::signed::SignedCommand) |

use std::path::Path;

use quorate::dsig::dynamic;
use quorate::ed25519::PublicKey;
use quorate::machine::Time;

use crate::Application;
use crate::failure::{Exit, Failure, OrFail};
use crate::log::{Scan, ScanStep};
use crate::signed::{MAX_SIGNED, SignatureScheme, SignedCommand, verify_eddsa};

/// Statement of a valid proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// Store of the command.
    pub store: [u8; 32],
    /// Public key of the client.
    pub signer: [u8; 32],
    /// Sequence number of the command.
    pub sequence: u64,
    /// Time of the signature by the client's clock.
    pub time: Time,
    /// Signature scheme: `eddsa`, or the name of a DSig suite.
    pub scheme: &'static str,
    /// Name and arguments.
    pub command: Vec<Vec<u8>>,
}

/// Extracts an entry of a log as a proof.
///
/// # Errors
/// [`Failure`] if the entry does not exist or is not signed, or if the log cannot be read.
pub fn prove(application: &'static Application, log: &Path, number: u64) -> Result<Vec<u8>, Failure> {
    let mut scan = Scan::open(application, log)?;
    let store = *scan.store();
    loop {
        let len = match scan.step().or_fail(Exit::Input, log.display())? {
            ScanStep::Entry(raw) if raw.entry.number == number => {
                let proof =
                    [&application.proof_magic[..], &store, &raw.entry.signer, raw.entry.body].concat();
                let signer = quorate::wire::Decode::decode(&raw.entry.signer, &())
                    .or_fail(Exit::Input, log.display())?;
                check(application, &proof, &signer)?;
                return Ok(proof);
            }
            ScanStep::Entry(raw) => raw.len(),
            ScanStep::Malformed | ScanStep::Truncated(_) => return Err(scan.damaged(log)),
            ScanStep::End => {
                let message = format!("{}: there is no entry {number}", log.display());
                return Err(Failure::with_code(Exit::NotFound, "NO_ENTRY", message));
            }
        };
        scan.skip(len);
    }
}

/// Verifies a proof with the signer's public key.
///
/// # Errors
/// [`Failure`] with [`Exit::Input`] if the bytes are not a proof, with [`Exit::Tampered`] if the proof is invalid.
pub fn check(application: &Application, proof: &[u8], signer: &PublicKey) -> Result<Proven, Failure> {
    let not = || Failure::input("not a proof file; check the path");
    if proof.len() > MAX_SIGNED + 72 {
        return Err(not());
    }
    let rest = proof.strip_prefix(&application.proof_magic).ok_or_else(not)?;
    let (store, rest) = rest.split_first_chunk::<32>().ok_or_else(not)?;
    let (stated, body) = rest.split_first_chunk::<32>().ok_or_else(not)?;
    let refused = |message: String| Failure::with_code(Exit::Tampered, "BAD_PROOF", message);
    if stated != signer.as_bytes() {
        return Err(refused("the proof belongs to another signer".to_owned()));
    }
    let signed = SignedCommand::decode(body).map_err(|reason| refused(reason.to_string()))?;
    let command = (application.parse)(signed.command).map_err(refused)?;
    let message = signed.message(application, store);
    let verified = match signed.scheme {
        SignatureScheme::None => {
            return Err(refused("the command is not signed, so nothing can be proven".to_owned()));
        }
        SignatureScheme::Eddsa => verify_eddsa(signer, &message, signed.signature),
        SignatureScheme::Dsig => dynamic::verify(signer, &message, signed.signature),
    };
    verified.map_err(|error| refused(error.to_string()))?;
    let scheme = match signed.scheme {
        SignatureScheme::Dsig => {
            crate::suites::parse_suite(signed.signature).map(|suite| suite.name()).unwrap_or("dsig")
        }
        other => other.name(),
    };
    Ok(Proven {
        store: *store,
        signer: *stated,
        sequence: signed.sequence,
        time: signed.time,
        scheme,
        command,
    })
}
