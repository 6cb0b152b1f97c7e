//! State of each client, and the checks of a request before it is logged.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use quorate::Error;
use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::PublicKey;
use quorate::machine::Time;
use quorate_audit::clients::{KnownClient, RefusedTimes};
use quorate_audit::eddsa::EddsaLibrary;
use quorate_audit::refusals::Refusal;
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_audit::suites::{BackgroundResult, DynVerifier, Work, parse_suite, verifier};

use crate::Engine;

/// Rules for all requests.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) store: [u8; 32],
    pub(super) accept: Vec<SignatureScheme>,
    pub(super) library: EddsaLibrary,
    pub(super) max_age: Duration,
}

/// A client.
pub(super) struct Client {
    pub(super) name: String,
    pub(super) key: PublicKey,
    /// Sequence number of its last request in the log.
    pub(super) last: u64,
    refused: RefusedTimes,
    verifiers: Vec<(SuiteId, Box<dyn DynVerifier>)>,
}

impl Client {
    /// Creates the clients; `numbers` contains each signer's last sequence number in the log.
    pub(super) fn all(known: &[KnownClient], numbers: &HashMap<[u8; 32], u64>) -> Vec<Self> {
        let client = |known: &KnownClient| Self {
            name: known.name.clone(),
            key: known.key.clone(),
            last: numbers.get(known.key.as_bytes()).copied().unwrap_or_default(),
            refused: RefusedTimes::default(),
            verifiers: Vec::new(),
        };
        known.iter().map(client).collect()
    }

    /// Checks a request, cheapest checks first, and takes its sequence number.
    ///
    /// A request that is refused because of its scheme or its form is refused again whenever it is sent. Each other one that
    /// could be executed later is remembered by its time.
    pub(super) fn accept<'a, E: Engine>(
        &mut self,
        rules: &Rules,
        now: Time,
        signed: &SignedCommand<'a>,
    ) -> Result<E::Command<'a>, Refusal> {
        if !rules.accept.contains(&signed.scheme) {
            return Err(match signed.scheme {
                SignatureScheme::None => Refusal::new("UNSIGNED", "the request is not signed"),
                other => {
                    Refusal::new("SCHEME", format!("signatures of {} are not accepted here", other.name()))
                }
            });
        }
        let next = self.last.saturating_add(1);
        let age = signed.time.0.abs_diff(now.0);
        if u128::from(age) > rules.max_age.as_micros() {
            if signed.sequence >= next {
                self.refuse::<E>(rules, now, signed);
            }
            let side = if signed.time < now { "ago" } else { "ahead of the server's clock" };
            let message = format!("it was signed {} s {side}; sign it again", age / 1_000_000);
            return Err(Refusal::new("STALE", message));
        }
        let command = E::decode(signed.command).map_err(|reason| Refusal::new("BAD_COMMAND", reason.0))?;
        if signed.sequence < next {
            let message = format!("sequence number {} was used; the next one is {next}", signed.sequence);
            return Err(Refusal::new("REPLAYED", message));
        }
        if self.refused.contains(signed.time) {
            let message = "it was signed no later than a request that was refused; sign it again";
            return Err(Refusal::new("STALE", message));
        }
        if signed.sequence > next {
            self.refuse::<E>(rules, now, signed);
            let message = format!("sequence number {} is not the next one, {next}", signed.sequence);
            return Err(Refusal::new("GAP", message));
        }
        self.verify::<E>(signed, rules).map_err(|error| match error {
            Error::OneTimeReuse => {
                // The signature is valid, and the first use may be forgotten.
                self.refused.add(signed.time, now, rules.max_age);
                Refusal::new("KEY_REUSE", "its one-time key signed another message before")
            }
            other => Refusal::new("FORGED", other.to_string()),
        })?;
        self.last = next;
        Ok(command)
    }

    /// Admits an announcement and returns the work that verifies it.
    pub(super) fn admit(&mut self, announcement: &[u8], now: Time) -> quorate::Result<(SuiteId, Work)> {
        let suite = parse_suite(announcement)?;
        let work = self.verifier(suite)?.admit(now, Arc::from(announcement))?;
        Ok((suite, work))
    }

    /// Adds a verified announcement.
    pub(super) fn learn(&mut self, suite: SuiteId, checked: BackgroundResult) -> quorate::Result<()> {
        self.verifier(suite)?.learn(checked)
    }

    /// Remembers the time of a request that is refused, if its signature is valid.
    fn refuse<E: Engine>(&mut self, rules: &Rules, now: Time, signed: &SignedCommand<'_>) {
        if matches!(self.verify::<E>(signed, rules), Ok(()) | Err(Error::OneTimeReuse)) {
            self.refused.add(signed.time, now, rules.max_age);
        }
    }

    fn verify<E: Engine>(&mut self, signed: &SignedCommand<'_>, rules: &Rules) -> quorate::Result<()> {
        let (application, store) = (E::application(), &rules.store);
        match signed.scheme {
            SignatureScheme::None => Ok(()),
            SignatureScheme::Eddsa => {
                let message = signed.message(application, store);
                rules.library.verify(&self.key, &message, signed.signature)
            }
            SignatureScheme::Dsig => self
                .verifier(parse_suite(signed.signature)?)?
                .verify(&signed.message(application, store), signed.signature),
        }
    }

    fn verifier(&mut self, suite: SuiteId) -> quorate::Result<&mut Box<dyn DynVerifier>> {
        let at = match self.verifiers.iter().position(|(known, _)| *known == suite) {
            Some(at) => at,
            None => {
                self.verifiers.push((suite, verifier(suite, self.key.clone())?));
                self.verifiers.len() - 1
            }
        };
        let found = self.verifiers.get_mut(at).map(|(_, verifier)| verifier);
        found.ok_or(Error::WrongContext { what: "suite" })
    }
}

#[cfg(test)]
mod tests {
    use quorate::ed25519::{Ed25519, SecretKey};
    use quorate::scheme::Scheme as _;

    use super::*;
    use crate::engine::tests::{TEST, TestEngine};

    const NOW: u64 = 10_000_000;
    const GET: &[u8] = &[1, 1, b'k'];
    const STORE: [u8; 32] = [8; 32];

    fn setup() -> (SecretKey, Client, Rules) {
        let secret = Ed25519::secret_from_bytes(&[3; 32]).unwrap();
        let known = KnownClient { name: "a".into(), key: Ed25519::public_key(&secret) };
        let numbers = HashMap::from([(*known.key.as_bytes(), 5), ([0; 32], 9)]);
        let client = Client::all(&[known], &numbers).remove(0);
        let rules = Rules {
            store: STORE,
            accept: vec![SignatureScheme::Eddsa],
            library: EddsaLibrary::default(),
            max_age: Duration::from_secs(5),
        };
        (secret, client, rules)
    }

    fn ask(
        client: &mut Client,
        rules: &Rules,
        sequence: u64,
        time: u64,
        command: &[u8],
        signature: &[u8],
    ) -> &'static str {
        ask_at(client, rules, NOW, sequence, time, command, signature)
    }

    fn ask_at(
        client: &mut Client,
        rules: &Rules,
        now: u64,
        sequence: u64,
        time: u64,
        command: &[u8],
        signature: &[u8],
    ) -> &'static str {
        let scheme = if signature.is_empty() { SignatureScheme::None } else { SignatureScheme::Eddsa };
        let signed = SignedCommand { scheme, sequence, time: Time(time), signature, command };
        let last = client.last;
        let outcome = client.accept::<TestEngine>(rules, Time(now), &signed);
        let code = outcome.err().map_or("", |refusal| refusal.code);
        assert_eq!(client.last, last + u64::from(code.is_empty()));
        code
    }

    #[test]
    fn each_rule_has_its_code() {
        let (secret, mut client, mut rules) = setup();
        let sign = |sequence, time, command: &[u8]| {
            Ed25519::sign(&secret, &TEST.message(&STORE, sequence, Time(time), command)).to_bytes()
        };
        let mut asked = |rules: &Rules, sequence, time, command: &[u8], signature: &[u8]| {
            ask(&mut client, rules, sequence, time, command, signature)
        };
        assert_eq!(asked(&rules, 6, NOW, GET, &[]), "UNSIGNED");
        for time in [NOW - 5_000_001, NOW + 5_000_001] {
            assert_eq!(asked(&rules, 6, time, GET, &sign(6, time, GET)), "STALE");
        }
        assert_eq!(asked(&rules, 6, NOW, b"GET", &sign(6, NOW, b"GET")), "BAD_COMMAND");
        assert_eq!(asked(&rules, 5, NOW, GET, &sign(5, NOW, GET)), "REPLAYED");
        assert_eq!(asked(&rules, 7, NOW - 1, GET, &sign(7, NOW - 1, GET)), "GAP");
        assert_eq!(asked(&rules, 6, NOW - 1, GET, &sign(6, NOW - 1, GET)), "STALE");
        // A forged request out of turn does not lock the client out.
        assert_eq!(asked(&rules, 7, NOW + 9, GET, &[0; 64]), "GAP");
        assert_eq!(asked(&rules, 6, NOW, GET, &sign(6, NOW + 1, GET)), "FORGED");
        assert_eq!(asked(&rules, 6, NOW, GET, &sign(6, NOW, GET)), "");
        assert_eq!(asked(&rules, 6, NOW, GET, &sign(6, NOW, GET)), "REPLAYED");
        rules.accept = vec![SignatureScheme::Dsig];
        assert_eq!(asked(&rules, 7, NOW, GET, &sign(7, NOW, GET)), "SCHEME");
    }

    #[test]
    fn refused_requests_are_never_executed_later() {
        let (secret, mut client, rules) = setup();
        let sign = |sequence, time| {
            Ed25519::sign(&secret, &TEST.message(&STORE, sequence, Time(time), GET)).to_bytes()
        };
        let ahead = NOW + 6_000_000;
        // A forged time ahead of the clock does not lock the client out.
        assert_eq!(ask(&mut client, &rules, 6, ahead + 9, GET, &[0; 64]), "STALE");
        assert_eq!(ask(&mut client, &rules, 6, ahead, GET, &sign(6, ahead)), "STALE");
        assert_eq!(ask(&mut client, &rules, 7, ahead + 1, GET, &sign(7, ahead + 1)), "STALE");
        assert_eq!(ask(&mut client, &rules, 8, NOW, GET, &sign(8, NOW)), "GAP");
        // The client corrects its clock and goes on.
        assert_eq!(ask(&mut client, &rules, 6, NOW + 1, GET, &sign(6, NOW + 1)), "");
        // The refused requests are replayed when the clock and the sequence number permit them.
        let mut replay = |now, sequence, time| {
            ask_at(&mut client, &rules, now, sequence, time, GET, &sign(sequence, time))
        };
        assert_eq!(replay(ahead, 7, ahead + 1), "STALE");
        assert_eq!(replay(ahead, 7, ahead + 2), "");
        assert_eq!(replay(NOW + 3, 8, NOW), "STALE");
        assert_eq!(replay(ahead, 8, ahead + 9), "");
    }
}
