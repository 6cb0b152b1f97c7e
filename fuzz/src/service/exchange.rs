//! The exchange.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use quorate_audit::audit::{Expected, audit};
use quorate_audit::clients::KnownClient;
use quorate_audit::log::{Scan, ScanStep};
use quorate_exchange::EXCHANGE;
use quorate_exchange::answer::{Answer, Discard, Fill, MAX_FILLS, RefusalCode};
use quorate_exchange::answers::compare;
use quorate_exchange::book::{Book, MAX_RESTING};
use quorate_exchange::command::{Command, Side};
use quorate_exchange::judge::judge;
use quorate_service::{Engine, Origin};
use serde_json::{Value, json};

use super::commands::{Commands, exchange_command};
use super::fixture::{CLIENTS, KEYS, STORE, exchange_log, public};
use super::input::{actions, encoded, executed, folder};
use super::wire;

/// Commands and answers.
pub(crate) fn run_wire(bytes: &[u8]) {
    static PROOF: LazyLock<Vec<u8>> = LazyLock::new(wire::example_proof::<Book>);
    wire::engine::<Book>(bytes, &PROOF, Answer::encode_to);
}

/// Seeds of [`run_wire`].
pub(crate) fn wire_seeds() -> Vec<Vec<u8>> {
    let fill = Fill { price: 1, quantity: 2, order: 3 };
    let fills = |count| vec![fill; count];
    let answers = [
        Answer::Accepted { fills: fills(1), resting: 0, discarded: Some((Discard::SelfTrade, 4)) },
        Answer::Accepted { fills: fills(MAX_FILLS), resting: 0, discarded: Some((Discard::TooManyFills, 4)) },
        Answer::Cancelled { quantity: 9 },
        Answer::Refused(RefusalCode::TooManyOrders),
    ];
    let encoded = answers.iter().map(|answer| {
        let mut bytes = Vec::new();
        answer.encode_to(&mut bytes);
        bytes
    });
    wire::engine_seeds::<Book>(encoded.chain(exchange_log().executed.iter().map(|it| it.answer.clone())))
}

/// Any commands: each answer follows from the orders that rest, and the book is never crossed.
pub(crate) fn machine(bytes: &[u8]) {
    let (mut book, mut ledger) = (Book::default(), Ledger::default());
    // Gaps between numbers, as in a log with receipts.
    for (entry, action) in (1..).step_by(2).zip(actions(bytes)) {
        let Ok(command) = <Book as Engine>::decode(action.body) else { continue };
        let trader = action.kind % 4;
        let origin = Origin { entry, signer: [trader; 32] };
        let encoded = executed(&mut book, &origin, &command);
        let Ok(answer) = Book::decode_answer(&encoded) else { return };
        ledger.check(entry, trader, &command, &answer);
        assert_eq!((book.len(), book.best()), (ledger.0.len(), ledger.best_prices()));
        if let (Some(bid), Some(ask)) = book.best() {
            assert!(bid < ask, "crossed: {bid} {ask}");
        }
    }
}

/// Seeds of [`machine`]: the examples of one and of several traders, and an order that trades with too many others.
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    let commands = Book::examples();
    let by = |traders: u8| encoded((0..).zip(&commands).map(|(at, it)| (at % traders, it.as_slice())));
    let [small, large] = ["SELL 1 5", "BUY 1000 5"].map(exchange_command);
    let many = (0..=MAX_FILLS).map(|_| (0, small.as_slice())).chain([(1, large.as_slice()), (0, &large)]);
    vec![by(1), by(2), by(4), encoded(many)]
}

/// A file of receipts of any bytes: a comparison reports no receipt of the log, and every other one.
pub(crate) fn answers(bytes: &[u8]) {
    let folder = folder();
    let (path, file) = (folder.path().join("log"), folder.path().join("receipts"));
    let log = &exchange_log().bytes;
    assert!(fs::write(&path, log).is_ok() && fs::write(&file, bytes).is_ok(), "no temporary file");
    let Some(exchange) = KEYS.last() else { return };
    let Ok(comparison) = compare(&path, &file, exchange) else { return };
    let text = String::from_utf8_lossy(bytes);
    // The digits of a receipt may be of either case.
    let digits = |line: &str| {
        let kept: Value = serde_json::from_str(line).ok()?;
        Some(kept.get("receipt")?.as_str()?.to_ascii_lowercase())
    };
    let is_honest = |line: &str| digits(line).is_some_and(|digits| receipts().any(|known| known == digits));
    assert_eq!(comparison.wrong.is_empty(), text.lines().all(is_honest), "{:?}", comparison.wrong);
}

/// Seeds of [`answers`].
pub(crate) fn answer_seeds() -> Vec<Vec<u8>> {
    let store = digits(&STORE);
    let line = |receipt| json!({ "store": store, "receipt": receipt }).to_string();
    let lines: Vec<_> = receipts().map(line).collect();
    // An order is no receipt.
    let order = exchange_log().bodies.first().map(|body| line(digits(body))).unwrap_or_default();
    vec![lines.join("\n").into_bytes(), order.into_bytes(), Vec::new()]
}

/// A log of any bytes: if its audit finds nothing, each entry was signed, and its answers follow the rules.
pub(crate) fn log(bytes: &[u8]) {
    let folder = folder();
    let path = folder.path().join("log");
    assert!(fs::write(&path, bytes).is_ok(), "no temporary file");
    let judged = judge(&path, &public(CLIENTS), None);
    let clients = ["alice", "bob", "exchange"].into_iter().zip(KEYS.iter());
    let clients =
        clients.map(|(name, key)| KnownClient { name: name.to_owned(), key: key.clone() }).collect();
    let report = audit(&EXCHANGE, &path, &Expected { clients, ..Expected::default() });
    if let Ok(Some(finding)) = &judged {
        assert!(finding.offset < bytes.len() as u64, "{finding:?}");
    }
    let Ok(report) = report else { return };
    if !report.ok {
        return;
    }
    assert!(matches!(judged, Ok(None)), "{judged:?}");
    let Ok(mut scan) = Scan::open(&EXCHANGE, &path) else { return };
    let mut count = 0;
    while let Ok(ScanStep::Entry(raw)) = scan.step() {
        let len = raw.len();
        assert!(exchange_log().bodies.iter().any(|body| body == raw.entry.body), "an unsigned entry");
        count += 1;
        scan.skip(len);
    }
    assert_eq!(report.entries, count);
}

/// Seeds of [`log`]: the log, and the log without its second half.
pub(crate) fn log_seeds() -> Vec<Vec<u8>> {
    let whole = &exchange_log().bytes;
    vec![whole.clone(), whole.get(..whole.len() / 2).unwrap_or_default().to_vec(), Vec::new()]
}

/// The receipts of the log, in hexadecimal.
fn receipts() -> impl Iterator<Item = String> {
    exchange_log().executed.iter().filter_map(|logged| logged.receipt.as_deref().map(digits))
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The resting orders by number, as a list that is searched: the answers determine it.
#[derive(Default)]
struct Ledger(BTreeMap<u64, Resting>);

struct Resting {
    trader: u8,
    side: Side,
    price: u32,
    quantity: u32,
}

impl Ledger {
    /// Checks the answer to a command of a trader.
    fn check(&mut self, entry: u64, trader: u8, command: &Command, answer: &Answer) {
        match *command {
            Command::Cancel { order } => {
                let expected = match self.0.get(&order) {
                    None => Answer::Refused(RefusalCode::UnknownOrder),
                    Some(resting) if resting.trader != trader => Answer::Refused(RefusalCode::ForeignOrder),
                    Some(resting) => Answer::Cancelled { quantity: resting.quantity },
                };
                assert_eq!(*answer, expected);
                if matches!(expected, Answer::Cancelled { .. }) {
                    self.0.remove(&order);
                }
            }
            Command::Limit { side, quantity, price, .. } => {
                self.check_limit(entry, &Resting { trader, side, price, quantity }, answer);
            }
        }
    }

    fn check_limit(&mut self, entry: u64, incoming: &Resting, answer: &Answer) {
        let &Resting { trader, side, price, quantity } = incoming;
        let Answer::Accepted { fills, resting, discarded } = answer else {
            let own = self.0.values().filter(|other| other.trader == trader).count();
            assert!(own >= MAX_RESTING as usize && *answer == Answer::Refused(RefusalCode::TooManyOrders));
            return;
        };
        let mut left = quantity;
        for fill in fills {
            let best = self.best(side, price);
            assert!(best.is_some(), "nothing trades: {fill}");
            let Some((order, best)) = best else { return };
            let traded = left.min(best.quantity);
            assert!(traded > 0 && best.trader != trader, "{fill}");
            assert_eq!(*fill, Fill { price: best.price, quantity: traded, order });
            left -= traded;
            if traded == best.quantity {
                self.0.remove(&order);
            } else if let Some(best) = self.0.get_mut(&order) {
                best.quantity -= traded;
            }
        }
        let next = self.best(side, price).map(|(_, best)| best.trader == trader).filter(|_| left > 0);
        let expected = match next {
            None => None,
            Some(true) => Some((Discard::SelfTrade, left)),
            Some(false) => {
                assert_eq!(fills.len(), MAX_FILLS, "a fill is missing");
                Some((Discard::TooManyFills, left))
            }
        };
        let rests = if expected.is_none() { left } else { 0 };
        assert_eq!((*discarded, *resting), (expected, rests));
        if rests > 0 {
            self.0.insert(entry, Resting { trader, side, price, quantity: rests });
        }
    }

    /// The order that an incoming order trades with next: of the best price the one with the smallest number.
    fn best(&self, side: Side, limit: u32) -> Option<(u64, &Resting)> {
        let crosses = |other: &&Resting| match side {
            Side::Buy => other.side == Side::Sell && other.price <= limit,
            Side::Sell => other.side == Side::Buy && other.price >= limit,
        };
        let crossing = self.0.iter().filter(|(_, other)| crosses(other));
        let found = crossing.min_by_key(|(number, other)| match side {
            Side::Buy => (other.price, **number),
            Side::Sell => (u32::MAX - other.price, **number),
        });
        found.map(|(number, other)| (*number, other))
    }

    fn best_prices(&self) -> (Option<u32>, Option<u32>) {
        let prices = |side| self.0.values().filter(move |it| it.side == side).map(|it| it.price);
        (prices(Side::Buy).max(), prices(Side::Sell).min())
    }
}
