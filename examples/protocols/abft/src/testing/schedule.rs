use quorate::machine::MemberIndex;
use rand::rngs::StdRng;
use rand::{Rng, RngExt};

/// Chooses the order of messages: the message with the smallest priority is delivered next. Priorities of different
/// bands (the first number) express that a message waits until no other remains: the longest finite delay.
pub(crate) struct Schedule(Choose);

type Choose = Box<dyn FnMut(MemberIndex, MemberIndex, &[u8], u64, &mut StdRng) -> (u64, u64)>;

impl Schedule {
    pub(crate) fn new(
        choose: impl FnMut(MemberIndex, MemberIndex, &[u8], u64, &mut StdRng) -> (u64, u64) + 'static,
    ) -> Self {
        Self(Box::new(choose))
    }

    pub(crate) fn random() -> Self {
        Self::new(|_, _, _, _, rng| (0, rng.next_u64()))
    }

    /// Delivers messages in the order in which they were sent: the fastest network, in which all delays are equal.
    pub(crate) fn in_order() -> Self {
        Self::new(|_, _, _, sequence, _| (0, sequence))
    }

    /// Delivers the newest message first.
    pub(crate) fn newest_first() -> Self {
        Self::new(|_, _, _, sequence, _| (0, u64::MAX - sequence))
    }

    /// Delays all messages from and to one member.
    pub(crate) fn starve(member: MemberIndex) -> Self {
        Self::new(move |from, to, _, _, rng| (u64::from(from == member || to == member), rng.next_u64()))
    }

    /// Delays the messages that a predicate selects.
    pub(crate) fn hold(holds: impl Fn(MemberIndex, MemberIndex, &[u8]) -> bool + 'static) -> Self {
        Self::new(move |from, to, bytes, _, rng| (u64::from(holds(from, to, bytes)), rng.next_u64()))
    }

    /// Orders messages by a hash of their content.
    pub(crate) fn by_content() -> Self {
        Self::new(|_, to, bytes, _, _| {
            let hash = quorate::wire::domain::hash("quorate-v1-abft-test-order", bytes);
            (0, u64::from_le_bytes(*hash.first_chunk().unwrap()) ^ u64::from(to))
        })
    }

    /// Splits the members in two halves and delays messages between them.
    pub(crate) fn split(below: MemberIndex) -> Self {
        Self::new(move |from, to, _, _, rng| (u64::from((from < below) != (to < below)), rng.next_u64()))
    }

    /// Delays each message by a band of its own: some messages wait for many others.
    pub(crate) fn uneven() -> Self {
        Self::new(|_, _, _, sequence, rng| (sequence / 16 + rng.random_range(0..8) * 4, rng.next_u64()))
    }

    pub(super) fn priority(
        &mut self,
        from: MemberIndex,
        to: MemberIndex,
        bytes: &[u8],
        sequence: u64,
        rng: &mut StdRng,
    ) -> (u64, u64) {
        (self.0)(from, to, bytes, sequence, rng)
    }
}

/// Returns the schedule that a seed selects.
pub(crate) fn schedules(seed: u64, members: u16) -> Schedule {
    match seed % 6 {
        0 => Schedule::random(),
        1 => Schedule::starve((seed / 6 % u64::from(members)) as u16),
        2 => Schedule::by_content(),
        3 => Schedule::newest_first(),
        4 => Schedule::split(members / 2),
        _ => Schedule::uneven(),
    }
}
