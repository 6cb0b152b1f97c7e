//! Checks the signatures of the entries and each client's sequence numbers.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use quorate::Error;
use quorate::ed25519::PublicKey;

use super::report::SignerReport;
use crate::Application;
use crate::clients::KnownClient;
use crate::log::Entry;
use crate::signed::{SignatureScheme, SignedCommand, verify_eddsa};
use crate::suites::{DynAuditor, OneTimeKey, auditor, parse_suite};

/// State of the checks.
pub(super) struct SignerAudit {
    application: &'static Application,
    store: [u8; 32],
    known: BTreeMap<[u8; 32], Signer>,
    /// Auditors, by the number of their suite.
    auditors: BTreeMap<u8, Box<dyn DynAuditor>>,
    /// Number of batches of keys that an auditor remembers.
    roots: usize,
    /// Hash of the message that each one-time key signed, about 100 bytes each. A short keyed hash suffices,
    /// because its key was unknown when the log was written.
    signed: HashMap<(u32, OneTimeKey), u64>,
    hash: RandomState,
}

struct Signer {
    index: u32,
    name: String,
    key: PublicKey,
    commands: u64,
    last: u64,
    /// Number of faults when the client's last entry was read: after damage, a jump of the sequence numbers is not
    /// reported.
    damage: u64,
}

/// Code and description of a fault.
type SignerFinding = (&'static str, String);

/// Number of remembered batches of keys, each verified once: 50 MB.
const MAX_BATCHES: usize = 4096;

impl SignerAudit {
    pub(super) fn new(application: &'static Application, store: [u8; 32], clients: &[KnownClient]) -> Self {
        Self::remembering(MAX_BATCHES, application, store, clients)
    }

    fn remembering(
        roots: usize,
        application: &'static Application,
        store: [u8; 32],
        clients: &[KnownClient],
    ) -> Self {
        let signer = |(index, known): (u32, &KnownClient)| Signer {
            index,
            name: known.name.clone(),
            key: known.key.clone(),
            commands: 0,
            last: 0,
            damage: 0,
        };
        let known = (0..).zip(clients).map(|known| (*known.1.key.as_bytes(), signer(known))).collect();
        let (auditors, signed, hash) = (BTreeMap::new(), HashMap::new(), RandomState::new());
        Self { application, store, known, auditors, roots, signed, hash }
    }

    /// Checks an entry's signature, and its sequence number if the entry is in order.
    pub(super) fn check(
        &mut self,
        entry: &Entry<'_>,
        in_order: bool,
        damage: u64,
    ) -> Result<(), SignerFinding> {
        let Some(signer) = self.known.get_mut(&entry.signer) else {
            return Err((
                "UNKNOWN_SIGNER",
                format!("{} is not an expected client", hex::encode(entry.signer)),
            ));
        };
        let wrong = |reason: &dyn std::fmt::Display| ("BAD_COMMAND", reason.to_string());
        let signed = SignedCommand::decode(entry.body).map_err(|reason| wrong(&reason))?;
        (self.application.parse)(signed.command).map_err(|reason| wrong(&reason))?;
        let message = signed.message(self.application, &self.store);
        let name = signer.name.clone();
        let verified = match signed.scheme {
            SignatureScheme::None => return Err(("UNSIGNED", format!("nothing proves that {name} sent it"))),
            SignatureScheme::Eddsa => verify_eddsa(&signer.key, &message, signed.signature),
            SignatureScheme::Dsig => auditor_of(&mut self.auditors, self.roots, signed.signature)
                .and_then(|auditor| auditor.check(&signer.key, &message, signed.signature))
                .and_then(|key| {
                    let hash = self.hash.hash_one(&message);
                    let known = *self.signed.entry((signer.index, key)).or_insert(hash);
                    if known == hash { Ok(()) } else { Err(Error::OneTimeReuse) }
                }),
        };
        // A second signature with a one-time key is valid, and its sequence number is used.
        let is_reuse = matches!(verified, Err(Error::OneTimeReuse));
        if let (Err(error), false) = (verified, is_reuse) {
            return Err(("FORGED", format!("{name} did not sign it: {error}")));
        }
        signer.commands += 1;
        if in_order {
            signer.follow(signed.sequence, damage)?;
        }
        if is_reuse {
            return Err(("KEY_REUSE", format!("{name} signed another message with the same one-time key")));
        }
        Ok(())
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
    fn follow(&mut self, sequence: u64, damage: u64) -> Result<(), SignerFinding> {
        let (last, known_damage) = (self.last, self.damage);
        self.damage = damage;
        if sequence <= last {
            let detail = format!("{}'s command {sequence} is stored after its command {last}", self.name);
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
    auditors: &'a mut BTreeMap<u8, Box<dyn DynAuditor>>,
    roots: usize,
    signature: &[u8],
) -> quorate::Result<&'a mut Box<dyn DynAuditor>> {
    let suite = parse_suite(signature)?;
    match auditors.entry(suite.number()) {
        std::collections::btree_map::Entry::Occupied(occupied) => Ok(occupied.into_mut()),
        std::collections::btree_map::Entry::Vacant(vacant) => Ok(vacant.insert(auditor(suite, roots)?)),
    }
}

#[cfg(test)]
mod tests {
    use quorate::dsig::{Signer, SignerConfig, WotsBlake3};
    use quorate::ed25519::Ed25519;
    use quorate::machine::Time;
    use quorate::scheme::Scheme as _;
    use quorate::wire::Encode;

    use super::*;
    use crate::application::TEST;

    /// A generator with constant output, as on two copies of a machine.
    struct Same(u8);

    impl rand_core::TryRng for Same {
        type Error = std::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0.into())
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.into())
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            bytes.fill(self.0);
            Ok(())
        }
    }

    impl rand_core::TryCryptoRng for Same {}

    #[test]
    fn key_reuse_is_found_across_evicted_batches() {
        let secret = || Ed25519::secret_from_bytes(&[3; 32]).unwrap();
        let known = KnownClient { name: "a".into(), key: Ed25519::public_key(&secret()) };
        let (signer, store) = (*known.key.as_bytes(), [8; 32]);
        // Only one batch is remembered, so that the second evicts the first.
        let mut signers = SignerAudit::remembering(1, &TEST, store, &[known]);
        let mut outcomes = Vec::new();
        for (sequence, generator) in [(1, 7), (2, 9), (3, 7), (4, 11)] {
            let config = SignerConfig { log2_batch: 0, low_water: 1, ..SignerConfig::default() };
            let mut keys = Signer::<WotsBlake3>::new(secret(), vec![], config, &mut Same(generator)).unwrap();
            keys.prepare(&mut Same(generator), Time(1)).unwrap();
            let command = b"PING";
            let message = TEST.message(&store, sequence, Time(1), command);
            let signature = keys.sign(&message, &[], Time(1)).unwrap().encode();
            let mut body = Vec::new();
            let (scheme, time) = (SignatureScheme::Dsig, Time(1));
            SignedCommand { scheme, sequence, time, signature: &signature, command }.encode_to(&mut body);
            let entry = Entry { number: sequence, durable: 0, received: 1, signer, body: &body };
            outcomes.push(signers.check(&entry, true, 0).err().map_or("", |(code, _)| code));
        }
        // The command counts, so that no number is missing after it.
        assert_eq!(outcomes, ["", "", "KEY_REUSE", ""]);
    }
}
