/// Bytes of the transactions of a batch without the four bytes of length before each.
pub(super) fn transaction_bytes(body: usize, count: usize) -> u64 {
    body.saturating_sub(4 * count) as u64
}
