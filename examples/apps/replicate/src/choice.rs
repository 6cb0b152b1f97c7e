//! The values with which a new view begins: a pure function of n − f reports, which all replicas compute.
//!
//! For a slot above the highest stable checkpoint of the reports, let **P** be the certificate of the highest view, and
//! let **F** be the value that at least f + 1 reports accepted, with the (f + 1)-th highest of their views. At most one
//! value has f + 1 of 2f + 1 reports. The choice is F if its view is higher than that of P, otherwise P's value, and a
//! no-op if there is neither.
//!
//! * *A value decided on the fast path in view u is chosen.* All n replicas accepted it in u. Each of the at least f + 1
//!   correct reports therefore names it, with a view of at least u, since later views repeat it: it is F, with a view
//!   of at least u. A certificate of another value in view u or later would need f + 1 correct replicas that accepted
//!   that value: P's view is lower.
//! * *A value decided on the slow path in view u is chosen.* Of the n − f replicas that committed it, at least one correct one
//!   is among the reports, with a certificate of view u or later; certificates of later views have the same value. If F is
//!   another value with a higher view than P, a correct replica accepted it in a view after u, which repeats the decided
//!   one: a contradiction. At equal views P decides.

use crate::interface::Flaw;
use crate::message::ViewChange;
use crate::value::Value;

/// Values for the open slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The highest stable checkpoint of the reports.
    pub(crate) stable: u64,
    /// The values of the slots that follow it, without a gap.
    pub(crate) values: Vec<(u64, Value)>,
}

/// Computes the choice from the verified reports of n − f replicas.
pub(crate) fn choose<S>(changes: &[ViewChange<S>], faulty: usize, window: u64, flaw: Option<Flaw>) -> Choice {
    let stable = |change: &ViewChange<S>| change.stable.as_ref().map_or(0, |stable| stable.slot);
    let low = changes.iter().map(stable).max().unwrap_or(0);
    let reports = || changes.iter().flat_map(|change| &change.slots);
    let high = reports().map(|report| report.slot).max().unwrap_or(0).min(low.saturating_add(window));
    let value = |slot| {
        let reports = || reports().filter(move |report| report.slot == slot);
        let prepared = reports().filter_map(|report| report.prepared.as_ref());
        let prepared = prepared.filter(|_| flaw != Some(Flaw::IgnoresPrepared));
        let prepared = prepared.map(|prepared| (prepared.view, prepared.value)).max_by_key(|(view, _)| *view);
        let mut accepted: Vec<_> = reports().filter_map(|report| report.accepted).collect();
        if flaw == Some(Flaw::IgnoresAccepted) {
            accepted.clear();
        }
        // The highest views first.
        accepted.sort_unstable_by(|a, b| b.cmp(a));
        let supported = accepted.iter().find_map(|(_, value)| {
            let mut same = accepted.iter().filter(|(_, other)| other == value);
            same.nth(faulty).map(|(view, _)| (*view, *value))
        });
        match (supported, prepared) {
            (Some((accepted, value)), Some((prepared, _))) if accepted > prepared => value,
            (_, Some((_, value))) => value,
            (Some((_, value)), None) => value,
            (None, None) => Value::Noop,
        }
    };
    Choice { stable: low, values: (low + 1..=high).map(|slot| (slot, value(slot))).collect() }
}

#[cfg(test)]
mod tests {
    use quorate_broadcast::authentication::Unsigned;

    use super::*;
    use crate::message::{Checkpoint, Prepared, SlotReport};
    use crate::statement::Certificate;
    use crate::value::Request;

    fn value(n: u8) -> Value {
        Value::Request(Request { client: 0, sequence: n.into(), operation: [n; 8] })
    }

    fn certificate() -> Certificate<Unsigned> {
        Certificate::new([(0, Unsigned), (1, Unsigned), (2, Unsigned)].into_iter(), 3).unwrap()
    }

    /// A report of slot 1, with what was accepted and prepared: view and value.
    fn report(accepted: Option<(u64, u8)>, prepared: Option<(u64, u8)>) -> ViewChange<Unsigned> {
        let prepared =
            prepared.map(|(view, n)| Prepared { view, value: value(n), certificate: certificate() });
        let accepted = accepted.map(|(view, n)| (view, value(n)));
        let slots = vec![SlotReport { slot: 1, accepted, prepared }];
        ViewChange { replica: 0, view: 9, stable: None, slots, signature: Unsigned }
    }

    fn chosen(reports: [ViewChange<Unsigned>; 3]) -> Value {
        choose(&reports, 1, 64, None).values[0].1
    }

    #[test]
    fn a_value_that_all_may_have_accepted_is_chosen() {
        // Two correct replicas and one that lies.
        let lie = || report(Some((8, 2)), None);
        assert_eq!(chosen([report(Some((3, 1)), None), report(Some((4, 1)), None), lie()]), value(1));
        // A certificate of an earlier view does not replace it, one of the same view does.
        let earlier = report(Some((8, 2)), Some((2, 2)));
        assert_eq!(chosen([report(Some((3, 1)), None), report(Some((4, 1)), None), earlier]), value(1));
        let same = report(Some((8, 2)), Some((3, 2)));
        assert_eq!(chosen([report(Some((3, 1)), None), report(Some((4, 1)), None), same]), value(2));
    }

    #[test]
    fn a_lie_about_the_view_does_not_outweigh_a_certificate() {
        // One correct replica accepted 1 in view 3 from a two-faced leader, the liar claims view 8.
        let reports =
            [report(Some((3, 1)), None), report(Some((8, 1)), None), report(Some((3, 2)), Some((3, 2)))];
        assert_eq!(chosen(reports), value(2));
    }

    #[test]
    fn the_certificate_of_the_highest_view_is_chosen_and_nothing_gives_a_noop() {
        let of = |view, n| report(None, Some((view, n)));
        assert_eq!(chosen([of(1, 1), of(3, 3), of(2, 2)]), value(3));
        assert_eq!(
            chosen([report(Some((1, 1)), None), report(None, None), report(Some((1, 2)), None)]),
            Value::Noop
        );
    }

    #[test]
    fn slots_up_to_the_highest_checkpoint_are_left_out_and_gaps_are_filled() {
        let mut far = report(None, Some((1, 1)));
        far.stable = Some(Checkpoint { slot: 4, digest: [0; 32], certificate: certificate() });
        far.slots[0].slot = 7;
        let choice = choose(&[report(Some((1, 1)), None), far, report(Some((1, 1)), None)], 1, 64, None);
        let expected = vec![(5, Value::Noop), (6, Value::Noop), (7, value(1))];
        assert_eq!(choice, Choice { stable: 4, values: expected });
    }
}
