//! Who signed the entries, and each client's own numbers.

use std::collections::BTreeMap;

use quorate::Error;
use quorate::ed25519::PublicKey;

use super::SignerReport;
use crate::config::Known;
use crate::frame::{Scheme, SignedCommand, verify_eddsa};
use crate::log::Entry;
use crate::resp::Command;
use crate::suites::{AnyAuditor, auditor, suite_of};

/// The clients and what they signed so far.
pub(super) struct Signers {
    store: [u8; 32],
    known: BTreeMap<[u8; 32], Signer>,
    /// By the suite's number.
    auditors: BTreeMap<u8, Box<dyn AnyAuditor>>,
}

struct Signer {
    name: String,
    key: PublicKey,
    commands: u64,
    last: u64,
    /// How much had been found wrong when it was last seen: after damage, a jump of its numbers is no news.
    damage: u64,
}

/// Code and words.
type Wrong = (&'static str, String);

/// How many batches of keys are remembered: 50 MB.
const ROOTS: usize = 4096;

impl Signers {
    pub(super) fn new(store: [u8; 32], clients: &[Known]) -> Self {
        let signer = |known: &Known| Signer {
            name: known.name.clone(),
            key: known.key.clone(),
            commands: 0,
            last: 0,
            damage: 0,
        };
        let known = clients.iter().map(|known| (*known.key.as_bytes(), signer(known))).collect();
        Self { store, known, auditors: BTreeMap::new() }
    }

    /// Checks an entry's signature, and its client's number if the entry stands where it belongs.
    pub(super) fn check(&mut self, entry: &Entry<'_>, in_order: bool, damage: u64) -> Result<(), Wrong> {
        let Some(signer) = self.known.get_mut(&entry.signer) else {
            return Err(("UNKNOWN_SIGNER", format!("{} is no client", hex::encode(entry.signer))));
        };
        let wrong = |reason: &dyn std::fmt::Display| ("BAD_COMMAND", reason.to_string());
        let signed = SignedCommand::decode(entry.body).map_err(|reason| wrong(&reason))?;
        Command::parse(signed.command).map_err(|reason| wrong(&reason))?;
        let message = signed.message(&self.store);
        let name = signer.name.clone();
        match signed.scheme {
            Scheme::None => return Err(("UNSIGNED", format!("nothing shows that it is of {name}"))),
            Scheme::Eddsa => verify_eddsa(&signer.key, &message, signed.signature),
            Scheme::Dsig => auditor_of(&mut self.auditors, signed.signature)
                .and_then(|auditor| auditor.check(&signer.key, &message, signed.signature)),
        }
        .map_err(|error| match error {
            Error::OneTimeReuse => ("KEY_REUSE", format!("{name} signed something else with the same key")),
            _ => ("FORGED", format!("{name} did not sign it: {error}")),
        })?;
        signer.commands += 1;
        if in_order { signer.follow(signed.sequence, damage) } else { Ok(()) }
    }

    pub(super) fn report(self) -> Vec<SignerReport> {
        let report = |(key, signer): ([u8; 32], Signer)| SignerReport {
            name: signer.name,
            key: hex::encode(key),
            commands: signer.commands,
            last: signer.last,
        };
        self.known.into_iter().map(report).collect()
    }
}

impl Signer {
    fn follow(&mut self, sequence: u64, damage: u64) -> Result<(), Wrong> {
        let (last, known_damage) = (self.last, self.damage);
        self.damage = damage;
        if sequence <= last {
            let detail = format!("{}'s command {sequence} stands behind its command {last}", self.name);
            return Err(("REPLAYED", detail));
        }
        self.last = sequence;
        if sequence == last + 1 || damage > known_damage {
            return Ok(());
        }
        Err((
            "SEQUENCE_GAP",
            format!("{}'s commands {} to {} are missing", self.name, last + 1, sequence - 1),
        ))
    }
}

fn auditor_of<'a>(
    auditors: &'a mut BTreeMap<u8, Box<dyn AnyAuditor>>,
    signature: &[u8],
) -> quorate::Result<&'a mut Box<dyn AnyAuditor>> {
    let suite = suite_of(signature)?;
    match auditors.entry(suite.number()) {
        std::collections::btree_map::Entry::Occupied(occupied) => Ok(occupied.into_mut()),
        std::collections::btree_map::Entry::Vacant(vacant) => Ok(vacant.insert(auditor(suite, ROOTS)?)),
    }
}
