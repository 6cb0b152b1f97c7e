//! The replay of a log of any entries.

use std::collections::HashMap;

use quorate::machine::Time;
use quorate_audit::log::Entry;
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_audited_kv::command::Store;
use quorate_exchange::book::Book;
use quorate_service::receipt::Receipt;
use quorate_service::replay::{Executed, Replay, ReplayFault};
use quorate_service::{Engine, Origin};

use super::commands::Commands;
use super::fixture::{CLIENTS, public};
use super::input::{Action, actions, encoded, executed};

/// Kind of the receipt that the server owes.
const RECEIPT: u8 = CLIENTS as u8;
/// Kind of an entry of the server with any content.
const OF_SERVER: u8 = RECEIPT + 1;

/// Replays entries: the fault of the first one that does not continue the log is named, the others are executed once.
pub(crate) fn run(bytes: &[u8]) {
    match bytes.split_first() {
        Some((engine, rest)) if engine % 2 == 0 => replayed::<Store>(rest),
        Some((_, rest)) => replayed::<Book>(rest),
        None => {}
    }
}

/// Seeds of [`run`]: logs of both engines, with and without the receipts, and with one that comes twice.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let (kv, orders) = (Store::examples(), Book::examples());
    let sent = |commands: &[Vec<u8>]| {
        encoded(commands.iter().enumerate().map(|(at, command)| ((at % CLIENTS) as u8, command.as_slice())))
    };
    let answered: Vec<u8> = orders
        .iter()
        .enumerate()
        .flat_map(|(at, order)| encoded([((at % CLIENTS) as u8, order.as_slice()), (RECEIPT, &[])]))
        .collect();
    let (mut other, mut receipt) = (sent(orders.get(..1).unwrap_or_default()), Vec::new());
    Receipt { entry: 1, signer: public(0), sequence: 1, command: &orders.concat(), answer: &[1, 0, 0, 0, 0] }
        .encode_into(&mut receipt);
    other.extend(encoded([(OF_SERVER, receipt.as_slice())]));
    let twice = [&answered[..], &encoded([(RECEIPT, &[][..])])].concat();
    [
        (0, sent(&kv)),
        (1, sent(&orders)),
        (1, answered),
        (1, twice),
        (1, other),
        (1, encoded([(0, receipt.as_slice())])),
    ]
    .into_iter()
    .map(|(engine, rest)| [&[engine], &rest[..]].concat())
    .collect()
}

/// What the entries so far yield, computed without the replay.
struct Expected<E> {
    state: E,
    owed: Option<Executed>,
    last: HashMap<[u8; 32], u64>,
}

fn replayed<E: Engine>(bytes: &[u8]) {
    let server = E::SIGNS_ANSWERS.then(|| public(CLIENTS));
    let mut replay = Replay::<E>::new(server);
    let mut expected = Expected { state: E::default(), owed: None, last: HashMap::new() };
    for (number, action) in (1..).zip(actions(bytes)) {
        let (signer, command) = expected.entry(&action);
        let sequence = expected.last.get(&signer).copied().unwrap_or_default() + 1;
        let (scheme, signature, mut body) = (SignatureScheme::None, &[][..], Vec::new());
        SignedCommand { scheme, sequence, time: Time(7), signature, command: &command }.encode_to(&mut body);
        let entry = Entry { number, durable: 0, received: 7, signer, body: &body };
        let outcome = expected.outcome(server, number, signer, sequence, &command);
        assert_eq!(replay.execute(&entry), outcome, "entry {number}");
        if outcome.is_err() {
            return;
        }
        assert_eq!(replay.unanswered(), expected.owed.as_ref(), "entry {number}");
        expected.last.insert(signer, sequence);
    }
    assert_eq!(replay.last(), &expected.last);
    assert_eq!(replay.into_state().items(), expected.state.items());
}

impl<E: Engine> Expected<E> {
    /// Signer and command of an action's entry.
    fn entry(&self, action: &Action<'_>) -> ([u8; 32], Vec<u8>) {
        match action.kind % (OF_SERVER + 1) {
            RECEIPT => {
                let mut bytes = Vec::new();
                match &self.owed {
                    Some(owed) => owed.receipt().encode_into(&mut bytes),
                    None => {
                        Receipt { entry: 0, signer: [0; 32], sequence: 0, command: &[], answer: action.body }
                            .encode_into(&mut bytes);
                    }
                }
                (public(CLIENTS), bytes)
            }
            OF_SERVER => (public(CLIENTS), action.body.to_vec()),
            client => (public(client.into()), action.body.to_vec()),
        }
    }

    /// Executes an entry as the documentation of [`ReplayFault`] states it.
    fn outcome(
        &mut self,
        server: Option<[u8; 32]>,
        entry: u64,
        signer: [u8; 32],
        sequence: u64,
        command: &[u8],
    ) -> Result<(), ReplayFault> {
        let stated = Receipt::decode(command).ok();
        if server == Some(signer) {
            let Some(stated) = stated else { return Err(ReplayFault::BadCommand) };
            let Some(owed) = self.owed.take() else { return Err(ReplayFault::UnexpectedReceipt) };
            let origin = Origin { entry: stated.entry, signer: stated.signer };
            if (origin, stated.sequence, stated.command)
                != (owed.origin, owed.sequence, owed.command.as_slice())
            {
                return Err(ReplayFault::MisplacedReceipt(owed.origin.entry));
            }
            if stated.answer != owed.answer {
                return Err(ReplayFault::WrongAnswer { stated: stated.answer.to_vec(), executed: owed });
            }
            return Ok(());
        }
        match (&self.owed, stated) {
            // An empty command is no signed command.
            _ if command.is_empty() => return Err(ReplayFault::BadCommand),
            (Some(owed), _) => return Err(ReplayFault::Unanswered(owed.origin.entry)),
            (None, Some(_)) if server.is_some() => return Err(ReplayFault::ForeignReceipt),
            (None, _) => {}
        }
        let decoded = E::decode(command).map_err(|_| ReplayFault::BadCommand)?;
        let origin = Origin { entry, signer };
        let answer = executed(&mut self.state, &origin, &decoded);
        let done = Executed { origin, sequence, command: command.to_vec(), answer };
        self.owed = server.map(|_| done);
        Ok(())
    }
}
