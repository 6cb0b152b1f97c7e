//! How a proposer names the transactions of its block.

use std::collections::BTreeMap;

use quorate::merkle::Hash;

use crate::body::{Entries, MAX_SEGMENT_BYTES, MAX_SEGMENTS, ShortId};
use crate::digests::BlockDigest;
use crate::parameters::Parameters;
use crate::payload::{Payload, Transaction};

/// How a payload is named in the segments of a proposal, in order. `colliding` says of a short identifier whether
/// another transaction than the given one is known under it.
pub(crate) fn cut(
    block: BlockDigest,
    payload: &Payload,
    parameters: &Parameters,
    colliding: impl Fn(&ShortId, &Hash) -> bool,
) -> Vec<(u32, Entries)> {
    let raw = !parameters.asynchronous_transactions;
    let wanted = usize::from(parameters.segments.clamp(1, MAX_SEGMENTS as u16));
    let each = payload.len().div_ceil(wanted).max(1);
    let most = MAX_SEGMENT_BYTES.min(payload.bytes().div_ceil(wanted));
    let mut parts: Vec<&[Transaction]> = Vec::new();
    let mut rest = payload.transactions();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |transaction: &&Transaction| {
            bytes += transaction.encoded_len();
            !raw || bytes <= most
        };
        let len = rest.iter().take_while(fits).count().max(1);
        let (part, others) = rest.split_at(if raw { len } else { each.min(rest.len()) });
        parts.push(part);
        rest = others;
    }
    let mut places = BTreeMap::<ShortId, usize>::new();
    if parameters.short_hashes && !raw {
        for id in payload.ids() {
            *places.entry(ShortId::new(&block, id)).or_default() += 1;
        }
    }
    let mut first = 0;
    let mut name = |part: &[Transaction]| {
        let at = first;
        first += part.len() as u32;
        let entries = if raw {
            Entries::Raw(part.to_vec())
        } else if parameters.short_hashes {
            let ids: Vec<ShortId> = part.iter().map(|t| ShortId::new(&block, &t.id())).collect();
            let unique = |short: &ShortId, id: &Hash| {
                places.get(short).copied().unwrap_or(0) < 2 && !colliding(short, id)
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
