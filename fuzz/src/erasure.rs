//! Erasure coding: decoders of commitments, shards and tables, and receivers of shards of a Byzantine sender.

use std::sync::LazyLock;

use quorate::erasure::tuner::{Row, Table};
use quorate::erasure::{CheckedShard, Coder, Coding, Commitment, ErasureSuite, Packets, Shape};
use quorate::merkle::Merkle;
use quorate::wire::{Decode, Encode, Writer, domain};

use crate::identity;
use crate::mutate::Rng;

const TREE: Merkle<'_> = Merkle::new(domain::ERASURE_SHARD, domain::ERASURE_NODE);
/// The longest message of these codings.
const LONGEST: usize = 4096;

#[allow(clippy::expect_used)] // these exist
fn coding(suite: ErasureSuite, data: u16, parity: u16) -> Coding {
    Coding::new(suite, Shape::new(data, parity).expect("a shape"), LONGEST).expect("a coding")
}

/// The codings of this build that the targets use.
static CODINGS: LazyLock<Vec<Coding>> = LazyLock::new(|| {
    let packets =
        [(3, 0), (4, 2), (8, 1)].into_iter().filter_map(|(word, log2)| Packets::new(word, log2).ok());
    let suites =
        [ErasureSuite::Leopard, ErasureSuite::Gf8].into_iter().chain(packets.map(ErasureSuite::Jerasure));
    let shapes = [(1, 1), (2, 2), (3, 4), (5, 3), (4, 0)];
    let all = suites.flat_map(|suite| shapes.map(|(data, parity)| coding(suite, data, parity)));
    all.filter(|coding| coding.suite().is_available()).collect()
});

/// Suites, shapes, commitments, shards and tables: decoded values encode to the same bytes, and a decoded shard has the
/// index of its path.
pub(crate) fn decoders(bytes: &[u8]) {
    identity::<ErasureSuite, ()>(bytes, &());
    identity::<Shape, ()>(bytes, &());
    if let Some(table) = identity::<Table, ()>(bytes, &()) {
        for row in table.rows() {
            let best = table.best(row.shape(), row.message(), |_| true);
            assert!(best.is_some_and(|best| best.message() == row.message() && best.cost() <= row.cost()));
        }
    }
    identity::<Row, ()>(bytes, &());
    for coding in CODINGS.iter() {
        identity::<Commitment, Coding>(bytes, coding);
        if let Some(shard) = identity::<CheckedShard, Coding>(bytes, coding) {
            assert!(shard.index() < coding.shape().shards());
            assert_eq!(shard.bytes().len(), coding.shard_len(shard.commitment().message_len()));
            assert!(bytes.len() <= CheckedShard::max_encoded_len(coding));
        }
    }
}

/// Seeds of [`decoders`].
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut table = Table::default();
    for coding in CODINGS.iter() {
        let Ok(made) = Coder::new(*coding).and_then(|mut coder| coder.disperse(&[7; 40])) else { continue };
        seeds.push(made.commitment().encode());
        seeds.extend((0..coding.shape().shards()).filter_map(|index| Some(made.shard(index).ok()?.encode())));
        seeds.extend([coding.suite().encode(), coding.shape().encode()]);
        let row = Row::new(coding.shape(), 40, coding.suite(), 5);
        let _ = row.and_then(|row| table.insert(row));
        seeds.push(table.encode());
    }
    seeds
}

/// A sender whose shards the bytes determine: a coding, a length, the number of changes to the encoded shards, each a
/// position and a mask; then the message. Two receivers with different shards reach the same result, and a sender without
/// changes is never refused.
pub(crate) fn senders(bytes: &[u8]) {
    let Some((&[which, changes, order, stated], rest)) = bytes.split_first_chunk::<4>() else { return };
    let Some(coding) = CODINGS.get(usize::from(which) % CODINGS.len()) else { return };
    let (changes, message) = rest.split_at(rest.len().min(3 * usize::from(changes % 4)));
    let message = message.get(..message.len().min(LONGEST)).unwrap_or_default();
    let Ok(mut coder) = Coder::new(*coding) else { return };
    let Ok(honest) = coder.disperse(message) else { return };

    let mut shards: Vec<Vec<u8>> = honest.shards().iter().map(<[u8]>::to_vec).collect();
    for change in changes.chunks_exact(3) {
        let &[shard, place, mask] = change else { return };
        let count = shards.len();
        if let Some(shard) = shards.get_mut(usize::from(shard) % count) {
            let len = shard.len();
            if let Some(byte) = shard.get_mut(usize::from(place) * 7 % len) {
                *byte ^= mask;
            }
        }
    }
    // A length that has shards of this length too.
    let shorter = message.len().saturating_sub(usize::from(stated & 3));
    let len = if coding.shard_len(shorter) == honest.shards().shard_len() { shorter } else { message.len() };
    let is_honest = len == message.len() && shards.iter().map(Vec::as_slice).eq(honest.shards().iter());

    let leaves = TREE.leaves(&shards);
    let mut commitment = Writer::new();
    coding.suite().encode_to(&mut commitment);
    coding.shape().encode_to(&mut commitment);
    commitment.u32(len as u32);
    commitment.raw(&TREE.root(&leaves));
    let commitment = commitment.into_bytes();
    let receive = |index: usize| {
        let path = TREE.path(&leaves, index).ok()?.encode();
        let shard = shards.get(index)?;
        CheckedShard::decode(&[&commitment, &path, shard.as_slice()].concat(), coding).ok()
    };
    let (data, count) = (coding.shape().data(), shards.len());
    let first: Option<Vec<_>> = (0..data).map(|i| receive((i + usize::from(order)) % count)).collect();
    let last: Option<Vec<_>> = (0..count).rev().take(data + usize::from(order) % 2).map(receive).collect();
    let (Some(first), Some(last)) = (first, last) else { unreachable!("committed shards are refused") };
    let verdicts = [first, last].map(|shards| coder.decode(&shards));
    match &verdicts {
        [Ok(one), Ok(other)] => {
            assert_eq!(one, other, "two messages under one commitment");
            assert_eq!(one.commitment().encode(), commitment);
            assert!(is_honest || one.message().len() == len);
        }
        [Err(one), Err(other)] => {
            assert_eq!([one.code(), other.code()], ["BAD_ENCODING"; 2]);
            assert!(!is_honest, "an honest sender is refused");
        }
        _ => unreachable!("two results under one commitment: {verdicts:?}"),
    }
}

/// Seeds of [`senders`].
pub(crate) fn sender_seeds() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(5);
    let mut seeds: Vec<Vec<u8>> = (0..40).map(|which| vec![which, 0, which, 0, 1, 2, 3, 4, 5]).collect();
    seeds.extend((0..40).map(|which| {
        let mut seed: Vec<u8> = (0..4 + rng.below(200)).map(|_| rng.bits() as u8).collect();
        if let Some(first) = seed.first_mut() {
            *first = which;
        }
        seed
    }));
    seeds
}
