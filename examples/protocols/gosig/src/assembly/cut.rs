//! The segments of a proposer's own block.

use std::collections::BTreeMap;

use quorate::merkle::Hash;

use crate::body::{Entries, MAX_SEGMENT_BYTES, MAX_SEGMENTS, ShortId};
use crate::digests::BlockDigest;
use crate::parameters::Parameters;
use crate::payload::{Payload, Transaction};

/// Cuts a payload into the segments of a proposal: for each, the place of its first transaction and its entries.
///
/// `collides` returns true if the proposer knows another transaction than the given one with a short identifier.
pub(crate) fn cut_into_segments(
    block: BlockDigest,
    payload: &Payload,
    parameters: &Parameters,
    collides: impl Fn(&ShortId, &Hash) -> bool,
) -> Vec<(u32, Entries)> {
    let is_raw = !parameters.asynchronous_transactions;
    let wanted = usize::from(parameters.segments.clamp(1, MAX_SEGMENTS as u16));
    let each = payload.len().div_ceil(wanted).max(1);
    let max_bytes = MAX_SEGMENT_BYTES.min(payload.bytes().div_ceil(wanted));
    let mut parts: Vec<&[Transaction]> = Vec::new();
    let mut rest = payload.transactions();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |transaction: &&Transaction| {
            bytes += transaction.encoded_len();
            !is_raw || bytes <= max_bytes
        };
        let len = rest.iter().take_while(fits).count().max(1);
        let (part, others) = rest.split_at(if is_raw { len } else { each.min(rest.len()) });
        parts.push(part);
        rest = others;
    }
    let mut places = BTreeMap::<ShortId, usize>::new();
    if parameters.short_hashes && !is_raw {
        for id in payload.ids() {
            *places.entry(ShortId::new(&block, id)).or_default() += 1;
        }
    }
    let mut first = 0;
    let mut name = |part: &[Transaction]| {
        let at = first;
        first += part.len() as u32;
        let entries = if is_raw {
            Entries::Raw(part.to_vec())
        } else if parameters.short_hashes {
            let ids: Vec<ShortId> = part.iter().map(|t| ShortId::new(&block, &t.id())).collect();
            let unique = |short: &ShortId, id: &Hash| {
                places.get(short).copied().unwrap_or(0) < 2 && !collides(short, id)
            };
            let full = (0u32..).zip(ids.iter().zip(part));
            let full = full.filter(|(_, (short, t))| !unique(short, &t.id()));
            Entries::Short { full: full.map(|(place, (_, t))| (place, t.id())).collect(), ids }
        } else {
            Entries::Full(part.iter().map(Transaction::id).collect())
        };
        (at, entries)
    };
    parts.into_iter().map(&mut name).collect()
}
