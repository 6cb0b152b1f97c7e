//! Messages of the servers, and the commands of their engines.

use quorate_audit::proof::check;
use quorate_audit::signed::SignedCommand;
use quorate_service::Engine;
use quorate_service::frame::Frame;
use quorate_service::receipt::Receipt;

use super::commands::Commands;
use super::fixture::{KEYS, STORE, exchange_log, public, signed};

/// Messages, signed commands and receipts have one encoding.
pub(crate) fn run(bytes: &[u8]) {
    let mut again = Vec::new();
    if let Ok(frame) = Frame::decode(bytes) {
        frame.encode_into(&mut again);
        assert_eq!(again, bytes, "a message encodes to other bytes");
    }
    if let Ok(receipt) = Receipt::decode(bytes) {
        receipt.encode_into(&mut again);
        assert_eq!(again, bytes, "a receipt encodes to other bytes");
    }
    if let Ok(signed) = SignedCommand::decode(bytes) {
        again.clear();
        signed.encode_to(&mut again);
        assert_eq!(again, bytes, "a signed command encodes to other bytes");
    }
}

/// Seeds of [`run`]: each message, each signed command of a log, and the receipts.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let (signer, bodies) = (public(0), &exchange_log().bodies);
    let frames = [
        Frame::Hello { protocol: b"QAEXCHG1", signer: &signer },
        Frame::Proof(&[2; 64]),
        Frame::Announcement(&[3; 100]),
        Frame::Challenge { protocol: b"QAEXCHG1", store: &STORE, challenge: &[4; 32] },
        Frame::Welcome { last: 7 },
        Frame::Learned(true),
        Frame::Reply { sequence: 1, entry: 2, answer: &[1, 0, 0, 0, 0] },
        Frame::Refused { sequence: 1, reason: b"STALE it is old" },
    ];
    let mut seeds = Vec::new();
    for frame in
        frames.into_iter().chain(bodies.iter().flat_map(|it| [Frame::Request(it), Frame::Receipt(it)]))
    {
        let mut bytes = Vec::new();
        frame.encode_into(&mut bytes);
        seeds.push(bytes);
    }
    seeds.extend(bodies.iter().cloned());
    seeds.extend(bodies.iter().filter_map(|it| SignedCommand::decode(it).ok()).map(|it| it.command.to_vec()));
    seeds
}

/// Commands and answers have one encoding, the words of a command are those of its bytes, and only signed commands have
/// proofs. `proof` is the [`example_proof`], and `encode_answer` appends the encoding of an answer.
pub(super) fn engine<E: Commands>(
    bytes: &[u8],
    proof: &[u8],
    encode_answer: impl Fn(&E::Answer, &mut Vec<u8>),
) {
    let words = (E::application().parse)(bytes);
    if let Ok(command) = E::decode(bytes) {
        let mut again = Vec::new();
        assert_eq!(E::encode(&command, &mut again), Ok(()), "a decoded command has no encoding");
        assert_eq!(again, bytes, "a command encodes to other bytes");
        assert!(words.is_ok(), "a command without words");
        assert!(!E::SIGNS_ANSWERS || Receipt::decode(bytes).is_err(), "a command that is a receipt, too");
    } else if Receipt::decode(bytes).is_err() {
        assert!(words.is_err(), "the words of bytes that are no command");
    }
    if let Ok(answer) = E::decode_answer(bytes) {
        let mut again = Vec::new();
        encode_answer(&answer, &mut again);
        assert_eq!(again, bytes, "an answer encodes to other bytes");
    }
    for (signer, key) in KEYS.iter().enumerate() {
        let holds = check(E::application(), bytes, key).is_ok();
        assert_eq!(holds, bytes == proof && signer == 0, "a proof of an unsigned command");
    }
}

/// Seeds of [`engine`].
pub(super) fn engine_seeds<E: Commands>(answers: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    E::examples().into_iter().chain(answers).chain([example_proof::<E>()]).collect()
}

/// A proof of the first example, signed by the first client.
pub(super) fn example_proof<E: Commands>() -> Vec<u8> {
    let application = <E as Engine>::application();
    let command = E::examples().into_iter().next().unwrap_or_default();
    [&application.proof_magic[..], &STORE, &public(0), &signed(application, 0, 1, &command)].concat()
}
