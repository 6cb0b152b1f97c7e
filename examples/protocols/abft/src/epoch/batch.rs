use std::collections::BTreeSet;

use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use rand_core::TryCryptoRng;

/// A client's transaction: bytes that the machine does not interpret.
pub type Transaction = Vec<u8>;

/// The transactions of one proposal. A decoded batch may contain repetitions, which the order of the epoch leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch(Vec<Transaction>);

impl Batch {
    /// Chooses transactions for a proposal: `batch` / `members` at random from the first `batch` pending ones, rounded
    /// up, as HoneyBadger BFT does (its section 4.4). Members with the same pending transactions then propose mostly
    /// different ones. Transactions that do not fit in `max_bytes` are left out; the others keep their order.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn choose<T: AsRef<[u8]>, R: TryCryptoRng + ?Sized>(
        pending: &[T],
        batch: usize,
        members: u16,
        max_bytes: usize,
        rng: &mut R,
    ) -> Result<Self> {
        let chosen = Self::choose_places(pending, batch, members, max_bytes, rng)?;
        let transaction = |place: usize| pending.get(place).map(|one| one.as_ref().to_vec());
        Ok(Self(chosen.into_iter().filter_map(transaction).collect()))
    }

    /// As [`choose`](Self::choose), and returns the places among the pending transactions, ascending.
    pub(crate) fn choose_places<T: AsRef<[u8]>, R: TryCryptoRng + ?Sized>(
        pending: &[T],
        batch: usize,
        members: u16,
        max_bytes: usize,
        rng: &mut R,
    ) -> Result<Vec<usize>> {
        let mut pool: Vec<(usize, &[u8])> = pending.iter().take(batch).map(T::as_ref).enumerate().collect();
        let wanted = batch.div_ceil(usize::from(members.max(1)));
        let (mut chosen, mut seen, mut bytes) = (Vec::new(), BTreeSet::new(), 4usize);
        while chosen.len() < wanted && !pool.is_empty() {
            let drawn = rng.try_next_u64().map_err(|_| Error::Rng)? as u128;
            // The product is below pool.len() · 2⁶⁴; the bias is below 2⁻³².
            let place = ((drawn * pool.len() as u128) >> 64) as usize;
            let (place, transaction) = pool.swap_remove(place);
            let len = 4 + transaction.len();
            if bytes + len <= max_bytes && seen.insert(transaction) {
                bytes += len;
                chosen.push(place);
            }
        }
        chosen.sort_unstable();
        Ok(chosen)
    }

    /// A proposal of given transactions.
    pub(crate) fn new(transactions: Vec<Transaction>) -> Self {
        Self(transactions)
    }

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize {
        4 + self.0.iter().map(|transaction| 4 + transaction.len()).sum::<usize>()
    }

    /// Returns the transactions.
    pub fn transactions(&self) -> &[Transaction] {
        &self.0
    }

    pub(crate) fn into_transactions(self) -> Vec<Transaction> {
        self.0
    }
}

/// Encoding: the number of transactions as u32, then each with its length as u32.
impl Encode for Batch {
    fn encode_to(&self, w: &mut Writer) {
        w.count(self.0.len());
        self.0.iter().for_each(|transaction| w.bytes(transaction));
    }
}

/// Decodes a batch. The number of transactions is bounded by the number of bytes; the memory is at most about ten times
/// the bytes, for the shortest transactions.
impl Decode for Batch {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let count = r.count("transactions of a batch", r.remaining() / 4)?;
        let mut transactions = Vec::with_capacity(count);
        for _ in 0..count {
            transactions.push(r.bytes("transaction", r.remaining())?.to_vec());
        }
        Ok(Self(transactions))
    }
}
