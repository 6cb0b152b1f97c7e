//! Replays a log and names the first answer that the rules of the [book](crate::book) do not yield.
//!
//! | code | fault |
//! |---|---|
//! | `PRICE_PRIORITY` | a fill at another price than that of the best resting order |
//! | `TIME_PRIORITY` | a fill with another order than the oldest one at the best price |
//! | `WRONG_FILL` | a fill of another quantity, a missing or an additional one |
//! | `DROPPED` | an order that the rules accept was refused, or a part of its quantity was lost |
//! | `WRONG_ANSWER` | another difference, for example a cancelled quantity |
//! | `UNANSWERED` | an order without its receipt, although the log goes on |
//! | `MISPLACED_RECEIPT` | a receipt that does not follow its order: entries were reordered, or the receipt is one of another order |
//! | `FOREIGN_RECEIPT` | a receipt with another key than that of the exchange, for example of a trader |
//! | `BAD_COMMAND` | an entry that is neither an order of a trader nor a receipt of the exchange |
//!
//! The first fault ends the replay: after it, the exchange's book and the replayed one differ.

use std::path::Path;

use quorate_audit::audit::Finding;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::log::{Scan, ScanStep};
use quorate_service::replay::{Executed, Replay, ReplayFault};

use crate::EXCHANGE;
use crate::answer::Answer;
use crate::book::Book;

/// Replays the entries before `end`, an offset in the file, or all. Entry and offset of a finding are those of the order, or of
/// the entry that is no order. A last order without a receipt is no fault: the exchange was killed, or is writing.
///
/// # Errors
/// [`Failure`] if the file cannot be read or is not a log.
pub fn judge(log: &Path, exchange: &[u8; 32], end: Option<u64>) -> Result<Option<Finding>, Failure> {
    let mut scan = Scan::open(&EXCHANGE, log)?;
    let (mut replay, mut order) = (Replay::<Book>::new(Some(*exchange)), 0);
    loop {
        let offset = scan.offset();
        if end.is_some_and(|end| offset >= end) {
            return Ok(None);
        }
        let (len, is_order) = match scan.step().or_fail(Exit::Input, log.display())? {
            // Damage is a finding of the audit of the log.
            ScanStep::End | ScanStep::Malformed | ScanStep::Truncated(_) => return Ok(None),
            ScanStep::Entry(raw) => {
                if let Err(fault) = replay.execute(&raw.entry) {
                    return Ok(Some(finding(&fault, raw.entry.number, offset, order)));
                }
                (raw.len(), raw.entry.signer != *exchange)
            }
        };
        if is_order {
            order = offset;
        }
        scan.skip(len);
    }
}

/// Describes a fault at an entry. `order` is the offset of the last order.
fn finding(fault: &ReplayFault, number: u64, offset: u64, order: u64) -> Finding {
    let (code, entry, offset, detail) = match fault {
        ReplayFault::BadCommand => (
            "BAD_COMMAND",
            number,
            offset,
            "neither an order of a trader nor a receipt of the exchange".to_owned(),
        ),
        ReplayFault::ForeignReceipt => ("FOREIGN_RECEIPT", number, offset, format!("this entry {fault}")),
        ReplayFault::UnexpectedReceipt | ReplayFault::MisplacedReceipt(_) => {
            ("MISPLACED_RECEIPT", number, offset, format!("this entry {fault}"))
        }
        ReplayFault::Unanswered(entry) => {
            ("UNANSWERED", *entry, order, format!("entry {number} follows without a receipt of this order"))
        }
        ReplayFault::WrongAnswer { executed, stated } => {
            let (code, detail) = compare(executed, stated);
            (
                code,
                executed.origin.entry,
                order,
                format!("{detail}, according to the receipt, entry {number}"),
            )
        }
    };
    Finding { code, entry, offset, detail }
}

/// Returns code and description of the difference between the answer of the rules and the stated one.
fn compare(executed: &Executed, stated: &[u8]) -> (&'static str, String) {
    let Ok(expected) = Answer::decode(&executed.answer) else {
        return ("WRONG_ANSWER", "the rules yield no answer".to_owned());
    };
    let Ok(stated) = Answer::decode(stated) else {
        return ("WRONG_ANSWER", "the answer is malformed".to_owned());
    };
    let both = format!("the rules yield: {expected}; the exchange answered: {stated}");
    let (Answer::Accepted { fills, resting, discarded }, Answer::Accepted { fills: stated_fills, .. }) =
        (&expected, &stated)
    else {
        let is_dropped = matches!((&expected, &stated), (Answer::Accepted { .. }, Answer::Refused(_)));
        return (if is_dropped { "DROPPED" } else { "WRONG_ANSWER" }, both);
    };
    for (at, fill) in fills.iter().enumerate() {
        return match stated_fills.get(at) {
            Some(other) if other == fill => continue,
            Some(other) if other.price != fill.price => {
                ("PRICE_PRIORITY", format!("the rules fill {fill}; the exchange filled {other}"))
            }
            Some(other) if other.order != fill.order => {
                ("TIME_PRIORITY", format!("the rules fill {fill}; the exchange filled {other}"))
            }
            Some(other) => ("WRONG_FILL", format!("the rules fill {fill}; the exchange filled {other}")),
            None => ("WRONG_FILL", format!("the rules fill {fill}; the exchange did not")),
        };
    }
    if let Some(other) = stated_fills.get(fills.len()) {
        return ("WRONG_FILL", format!("the exchange filled {other}; the rules do not"));
    }
    let discarded = discarded.map_or(0, |(_, quantity)| quantity);
    match &stated {
        Answer::Accepted { resting: stated, .. } if *stated < *resting => {
            ("DROPPED", format!("{both}; {} of the order is lost", resting - stated))
        }
        Answer::Accepted { resting: 0, discarded: stated, .. }
            if stated.map_or(0, |(_, quantity)| quantity) != discarded =>
        {
            ("DROPPED", both)
        }
        _ => ("WRONG_ANSWER", both),
    }
}

#[cfg(test)]
mod tests {
    use quorate_service::Origin;

    use super::*;
    use crate::answer::{Discard, Fill, RefusalCode};

    fn code(expected: &Answer, stated: &Answer) -> &'static str {
        let bytes = |answer: &Answer| {
            let mut bytes = Vec::new();
            answer.encode_to(&mut bytes);
            bytes
        };
        let origin = Origin { entry: 1, signer: [0; 32] };
        let executed = Executed { origin, sequence: 1, command: Vec::new(), answer: bytes(expected) };
        compare(&executed, &bytes(stated)).0
    }

    #[test]
    fn each_difference_has_its_code() {
        let fill = |quantity, price, order| Fill { price, quantity, order };
        let accepted =
            |fills: &[Fill], resting| Answer::Accepted { fills: fills.to_vec(), resting, discarded: None };
        let expected = accepted(&[fill(2, 50, 1), fill(3, 51, 5)], 4);
        for (stated, wanted) in [
            (accepted(&[fill(2, 52, 7), fill(3, 51, 5)], 4), "PRICE_PRIORITY"),
            (accepted(&[fill(2, 50, 3), fill(3, 51, 5)], 4), "TIME_PRIORITY"),
            (accepted(&[fill(1, 50, 1), fill(3, 51, 5)], 5), "WRONG_FILL"),
            (accepted(&[fill(2, 50, 1)], 7), "WRONG_FILL"),
            (accepted(&[fill(2, 50, 1), fill(3, 51, 5), fill(4, 60, 9)], 0), "WRONG_FILL"),
            (accepted(&[fill(2, 50, 1), fill(3, 51, 5)], 3), "DROPPED"),
            (accepted(&[fill(2, 50, 1), fill(3, 51, 5)], 5), "WRONG_ANSWER"),
            (Answer::Refused(RefusalCode::TooManyOrders), "DROPPED"),
            (Answer::Cancelled { quantity: 4 }, "WRONG_ANSWER"),
        ] {
            assert_eq!(code(&expected, &stated), wanted, "{stated}");
        }
        let discarding = |quantity| Answer::Accepted {
            fills: vec![],
            resting: 0,
            discarded: Some((Discard::SelfTrade, quantity)),
        };
        assert_eq!(code(&discarding(5), &discarding(4)), "DROPPED");
        let cancelled = |quantity| Answer::Cancelled { quantity };
        assert_eq!(code(&cancelled(5), &cancelled(4)), "WRONG_ANSWER");
        assert_eq!(code(&cancelled(5), &Answer::Refused(RefusalCode::UnknownOrder)), "WRONG_ANSWER");
    }
}
