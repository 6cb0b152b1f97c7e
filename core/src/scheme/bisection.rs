use alloc::vec::Vec;

use super::traits::{Claim, Keys, Scheme};
use crate::Error;

/// A claim with its proof, and its position in the caller's list.
pub(crate) type Item<'a, S> = (usize, (Claim<'a>, &'a <S as Scheme>::Proof));

/// Finds the bad items by bisection down to single ones. The entropy was drawn after all inputs were fixed, so every
/// part may use it.
pub(crate) fn find_bad<S: Scheme>(
    keys: Keys<'_, S>,
    items: &[Item<'_, S>],
    entropy: Option<&[u8; 32]>,
    bad: &mut Vec<(usize, Error)>,
) {
    let result = match items {
        [] => Ok(()),
        [(_, (claim, proof))] => S::verify_claims(keys, &[*claim], proof),
        _ => {
            let many: Vec<_> = items.iter().map(|(_, item)| *item).collect();
            S::verify_many(keys, &many, entropy)
        }
    };
    match (result, items) {
        (Ok(()), _) | (_, []) => {}
        (Err(error), [(i, _)]) => bad.push((*i, error)),
        (Err(_), _) => {
            let (left, right) = items.split_at(items.len() / 2);
            find_bad(keys, left, entropy, bad);
            find_bad(keys, right, entropy, bad);
        }
    }
}
