//! State of each client, and the checks of a command before it is logged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quorate::Error;
use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::PublicKey;
use quorate::machine::Time;
use quorate_audit::clients::RefusedTimes;
pub(super) use quorate_audit::refusals::Refusal;
use tokio::sync::Notify;

use crate::commands::is_allowed;
use crate::config::KnownClient;
use crate::eddsa::EddsaLibrary;
use crate::frame::{SignatureScheme, SignedCommand};
use crate::lock;
use crate::resp::Command;
use crate::suites::{BackgroundResult, DynVerifier, Work, parse_suite, verifier};

/// Encodes a refusal as an error reply. The message is the front's own and has no line breaks.
pub(super) fn reply(refusal: &Refusal) -> Vec<u8> {
    format!("-{} {}\r\n", refusal.code, refusal.message).into_bytes()
}

/// Rules for all commands.
pub(super) struct Rules {
    pub(super) store: [u8; 32],
    pub(super) accept: Vec<SignatureScheme>,
    pub(super) library: EddsaLibrary,
    pub(super) scripts: bool,
    pub(super) max_age: Duration,
}

/// Clients that may send commands. An unknown key costs one lookup.
pub(super) struct Clients {
    by_key: HashMap<[u8; 32], Arc<Client>>,
}

/// A client.
pub(super) struct Client {
    pub(super) name: String,
    pub(super) key: PublicKey,
    state: Mutex<State>,
}

/// Context of an arriving command.
#[derive(Clone, Copy)]
pub(super) struct CommandContext {
    /// Generation of its connection.
    pub(super) generation: u64,
    pub(super) now: Time,
    /// True if Redis is connected.
    pub(super) is_up: bool,
}

struct State {
    /// Sequence number of the last command that is or will be in the log.
    last: u64,
    refused: RefusedTimes,
    verifiers: Vec<(SuiteId, Box<dyn DynVerifier>)>,
    /// Generation of the connection that may send: a new connection supersedes the old one, which may hang.
    generation: u64,
    superseded: Arc<Notify>,
}

/// An authenticated connection of a client.
pub(super) struct Session {
    pub(super) last: u64,
    pub(super) generation: u64,
    pub(super) superseded: Arc<Notify>,
}

impl Clients {
    /// Creates the state; `numbers` contains each signer's last sequence number in the log.
    pub(super) fn new(known: &[KnownClient], numbers: &HashMap<[u8; 32], u64>) -> Self {
        let client = |known: &KnownClient| {
            let bytes = *known.key.as_bytes();
            let state = State {
                last: numbers.get(&bytes).copied().unwrap_or_default(),
                refused: RefusedTimes::default(),
                verifiers: Vec::new(),
                generation: 0,
                superseded: Arc::new(Notify::new()),
            };
            let client =
                Client { name: known.name.clone(), key: known.key.clone(), state: Mutex::new(state) };
            (bytes, Arc::new(client))
        };
        Self { by_key: known.iter().map(client).collect() }
    }

    pub(super) fn get(&self, key: &[u8; 32]) -> Option<Arc<Client>> {
        self.by_key.get(key).cloned()
    }
}

impl Client {
    /// Registers an authenticated connection, which supersedes the earlier one.
    pub(super) fn connect(&self) -> Session {
        let mut state = lock(&self.state);
        state.superseded.notify_one();
        state.superseded = Arc::new(Notify::new());
        state.generation += 1;
        Session { last: state.last, generation: state.generation, superseded: state.superseded.clone() }
    }

    /// Checks a command, cheapest checks first, and calls `hand_on` while the client's order is locked.
    ///
    /// A command that is refused because of its scheme or its form is refused again whenever it is sent. Each other one that
    /// could be executed later is remembered by its time.
    pub(super) fn accept(
        &self,
        rules: &Rules,
        turn: &CommandContext,
        signed: &SignedCommand<'_>,
        hand_on: impl FnOnce(),
    ) -> Result<(), Refusal> {
        if signed.scheme == SignatureScheme::None && !rules.accept.contains(&SignatureScheme::None) {
            return Err(Refusal::new("UNSIGNED", "the command is not signed"));
        }
        if !rules.accept.contains(&signed.scheme) {
            let message = format!("commands signed with {} are not accepted here", signed.scheme.name());
            return Err(Refusal::new("SCHEME", message));
        }
        let age = signed.time.0.abs_diff(turn.now.0);
        if u128::from(age) > rules.max_age.as_micros() {
            let mut state = lock(&self.state);
            if signed.sequence > state.last {
                state.refuse(&self.key, rules, turn.now, signed);
            }
            let (seconds, side) =
                (age / 1_000_000, if signed.time < turn.now { "ago" } else { "ahead of the front's clock" });
            return Err(Refusal::new("STALE", format!("it was signed {seconds} s {side}; sign it again")));
        }
        let command = Command::parse(signed.command)
            .map_err(|reason| Refusal::new("BAD_COMMAND", reason.to_string()))?;
        if !is_allowed(&command, rules.scripts) {
            let message = if is_allowed(&command, true) {
                "the front is not configured to run scripts"
            } else {
                "the front does not execute this command"
            };
            return Err(Refusal::new("NOT_ALLOWED", message));
        }
        let mut state = lock(&self.state);
        let next = state.last.saturating_add(1);
        if signed.sequence < next {
            return Err(Refusal::new(
                "REPLAYED",
                format!("sequence number {} was used; the next one is {next}", signed.sequence),
            ));
        }
        if state.refused.contains(signed.time) {
            let message = "it was signed no later than a command that was refused; sign it again";
            return Err(Refusal::new("STALE", message));
        }
        if let Some(refusal) = state.deferral(turn, signed.sequence, next) {
            state.refuse(&self.key, rules, turn.now, signed);
            return Err(refusal);
        }
        state.verify(&self.key, signed, rules).map_err(|error| match error {
            Error::OneTimeReuse => {
                // The signature is valid, and the first use may be forgotten.
                state.refused.add(signed.time, turn.now, rules.max_age);
                Refusal::new("KEY_REUSE", "its one-time key signed another message before")
            }
            other => Refusal::new("FORGED", other.to_string()),
        })?;
        state.last = next;
        hand_on();
        Ok(())
    }

    /// Admits an announcement and returns the work that verifies it.
    pub(super) fn admit(&self, announcement: Arc<[u8]>, now: Time) -> quorate::Result<(SuiteId, Work)> {
        let suite = parse_suite(&announcement)?;
        let work = lock(&self.state).verifier(suite, &self.key)?.admit(now, announcement)?;
        Ok((suite, work))
    }

    /// Adds a verified announcement.
    pub(super) fn learn(&self, suite: SuiteId, checked: BackgroundResult) -> quorate::Result<()> {
        lock(&self.state).verifier(suite, &self.key)?.learn(checked)
    }
}

impl State {
    /// Returns the reason why a command that is not a replay cannot be executed now.
    fn deferral(&self, turn: &CommandContext, sequence: u64, next: u64) -> Option<Refusal> {
        if self.generation != turn.generation {
            Some(Refusal::new("SUPERSEDED", "the client has opened a new connection"))
        } else if sequence > next {
            Some(Refusal::new("GAP", format!("sequence number {sequence} is not the next one, {next}")))
        } else if !turn.is_up {
            Some(Refusal::new("UPSTREAM", "Redis is not reachable; the command was not executed"))
        } else {
            None
        }
    }

    /// Remembers the time of a command that is refused, if its signature is valid.
    fn refuse(&mut self, key: &PublicKey, rules: &Rules, now: Time, signed: &SignedCommand<'_>) {
        if matches!(self.verify(key, signed, rules), Ok(()) | Err(Error::OneTimeReuse)) {
            self.refused.add(signed.time, now, rules.max_age);
        }
    }

    fn verify(&mut self, key: &PublicKey, signed: &SignedCommand<'_>, rules: &Rules) -> quorate::Result<()> {
        let message = signed.message(&crate::REDIS, &rules.store);
        match signed.scheme {
            SignatureScheme::None => Ok(()),
            SignatureScheme::Eddsa => rules.library.verify(key, &message, signed.signature),
            SignatureScheme::Dsig => {
                self.verifier(parse_suite(signed.signature)?, key)?.verify(&message, signed.signature)
            }
        }
    }

    fn verifier(&mut self, suite: SuiteId, key: &PublicKey) -> quorate::Result<&mut Box<dyn DynVerifier>> {
        let at = match self.verifiers.iter().position(|(known, _)| *known == suite) {
            Some(at) => at,
            None => {
                self.verifiers.push((suite, verifier(suite, key.clone())?));
                self.verifiers.len() - 1
            }
        };
        let found = self.verifiers.get_mut(at).map(|(_, verifier)| verifier);
        found.ok_or(Error::WrongContext { what: "suite" })
    }
}

#[cfg(test)]
mod tests {
    use quorate::ed25519::Ed25519;
    use quorate::scheme::Scheme as _;

    use super::*;
    use crate::frame::message;

    const NOW: u64 = 10_000_000;
    const PING: &[u8] = b"*1\r\n$4\r\nPING\r\n";

    fn asked(
        client: &Client,
        rules: &Rules,
        sequence: u64,
        time: u64,
        command: &[u8],
        signature: Option<[u8; 64]>,
    ) -> &'static str {
        let turn = CommandContext { generation: lock(&client.state).generation, now: Time(NOW), is_up: true };
        let (scheme, signature) = match &signature {
            Some(signature) => (SignatureScheme::Eddsa, &signature[..]),
            None => (SignatureScheme::None, &[][..]),
        };
        let signed = SignedCommand { scheme, sequence, time: Time(time), signature, command };
        let mut handed_on = false;
        let outcome = client.accept(rules, &turn, &signed, || handed_on = true);
        assert_eq!(handed_on, outcome.is_ok());
        outcome.err().map_or("", |refusal| refusal.code)
    }

    #[test]
    fn each_rule_has_its_code() {
        let secret = Ed25519::secret_from_bytes(&[3; 32]).unwrap();
        let known = KnownClient { name: "a".into(), key: Ed25519::public_key(&secret) };
        let signer = *known.key.as_bytes();
        let clients = Clients::new(&[known], &HashMap::from([(signer, 5), ([0; 32], 9)]));
        assert!(clients.get(&[1; 32]).is_none());
        let client = clients.get(&signer).unwrap();
        assert_eq!(client.connect().last, 5);
        let store = [8; 32];
        let rules = Rules {
            store,
            accept: vec![SignatureScheme::Eddsa],
            library: EddsaLibrary::default(),
            scripts: false,
            max_age: Duration::from_secs(5),
        };
        let sign = |sequence, time, command: &[u8]| {
            Some(Ed25519::sign(&secret, &message(&store, sequence, Time(time), command)).to_bytes())
        };
        let now = NOW;
        assert_eq!(asked(&client, &rules, 6, now, PING, None), "UNSIGNED");
        assert_eq!(asked(&client, &rules, 6, now - 5_000_001, PING, sign(6, now - 5_000_001, PING)), "STALE");
        assert_eq!(asked(&client, &rules, 6, now + 5_000_001, PING, sign(6, now + 5_000_001, PING)), "STALE");
        assert_eq!(asked(&client, &rules, 6, now, b"PING\r\n", sign(6, now, b"PING\r\n")), "BAD_COMMAND");
        let multi = b"*1\r\n$5\r\nMULTI\r\n";
        assert_eq!(asked(&client, &rules, 6, now, multi, sign(6, now, multi)), "NOT_ALLOWED");
        let script = b"*3\r\n$4\r\nEVAL\r\n$1\r\nx\r\n$1\r\n0\r\n";
        assert_eq!(asked(&client, &rules, 6, now, script, sign(6, now, script)), "NOT_ALLOWED");
        assert_eq!(asked(&client, &rules, 5, now, PING, sign(5, now, PING)), "REPLAYED");
        assert_eq!(asked(&client, &rules, 7, now - 1, PING, sign(7, now - 1, PING)), "GAP");
        assert_eq!(asked(&client, &rules, 6, now, PING, sign(6, now + 1, PING)), "FORGED");
        assert_eq!(asked(&client, &rules, 6, now, PING, sign(6, now, PING)), "");
        assert_eq!(asked(&client, &rules, 6, now, PING, sign(6, now, PING)), "REPLAYED");
        let only_dsig = Rules { accept: vec![SignatureScheme::Dsig], ..rules };
        assert_eq!(asked(&client, &only_dsig, 7, now, PING, sign(7, now, PING)), "SCHEME");
    }

    #[test]
    fn refused_commands_are_never_executed_later() {
        let secret = Ed25519::secret_from_bytes(&[3; 32]).unwrap();
        let known = KnownClient { name: "a".into(), key: Ed25519::public_key(&secret) };
        let (signer, store) = (*known.key.as_bytes(), [8; 32]);
        let clients = Clients::new(&[known], &HashMap::new());
        let client = clients.get(&signer).unwrap();
        let session = client.connect();
        let rules = Rules {
            store,
            accept: vec![SignatureScheme::Eddsa],
            library: EddsaLibrary::default(),
            scripts: false,
            max_age: Duration::from_secs(5),
        };
        let ours = CommandContext { generation: session.generation, now: Time(NOW), is_up: true };
        let sign =
            |sequence, time| Ed25519::sign(&secret, &message(&store, sequence, Time(time), PING)).to_bytes();
        let ask = |turn: &CommandContext, sequence, time, signature: &[u8; 64]| {
            let time = Time(time);
            let signed =
                SignedCommand { scheme: SignatureScheme::Eddsa, sequence, time, signature, command: PING };
            client.accept(&rules, turn, &signed, || ()).err().map_or("", |refusal| refusal.code)
        };
        // A forged command does not lock the client out.
        assert_eq!(ask(&ours, 2, NOW + 9, &[0; 64]), "GAP");
        let refused = [
            (CommandContext { is_up: false, ..ours }, 1, "UPSTREAM"),
            (ours, 2, "GAP"),
            (CommandContext { generation: session.generation - 1, ..ours }, 2, "SUPERSEDED"),
        ];
        for (time, (turn, sequence, code)) in (NOW..).zip(refused) {
            assert_eq!(ask(&turn, sequence, time, &sign(sequence, time)), code);
            assert_eq!(ask(&ours, sequence, time, &sign(sequence, time)), "STALE", "{code}");
        }
        // A newly signed command is executed; the replays have the right sequence number, but their time has passed.
        assert_eq!(ask(&ours, 1, NOW + 3, &sign(1, NOW + 3)), "");
        assert_eq!(ask(&ours, 2, NOW + 1, &sign(2, NOW + 1)), "STALE");
        assert_eq!(ask(&ours, 2, NOW + 4, &sign(2, NOW + 4)), "");
        // A command ahead of the front's clock is replayed when the clock permits it. A forged one has no effect, and the
        // client is served again when it corrects its clock.
        let ahead = NOW + 6_000_000;
        let later = CommandContext { now: Time(ahead), ..ours };
        assert_eq!(ask(&ours, 3, ahead + 1, &[0; 64]), "STALE");
        assert_eq!(ask(&ours, 3, ahead, &sign(3, ahead)), "STALE");
        assert_eq!(ask(&later, 3, ahead, &sign(3, ahead)), "STALE");
        assert_eq!(ask(&ours, 3, NOW + 5, &sign(3, NOW + 5)), "");
        assert_eq!(ask(&later, 4, ahead, &sign(4, ahead)), "STALE");
        assert_eq!(ask(&later, 4, ahead + 1, &sign(4, ahead + 1)), "");
    }
}
