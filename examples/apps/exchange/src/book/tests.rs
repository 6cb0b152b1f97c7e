//! The book compared with a plain reference model, and its limits.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const A: [u8; 32] = [1; 32];
const B: [u8; 32] = [2; 32];

fn order(side: Side, quantity: u32, price: u32) -> Command {
    Command::Limit { side, quantity, price, label: 0 }
}

fn accepted(fills: &[(u32, u32, u64)], resting: u32) -> Answer {
    let fill = |&(quantity, price, order): &(u32, u32, u64)| Fill { price, quantity, order };
    Answer::Accepted { fills: fills.iter().map(fill).collect(), resting, discarded: None }
}

/// The reference: a list of orders, which is searched for the best and oldest one before each trade.
#[derive(Default)]
struct Model {
    orders: Vec<ModelOrder>,
}

#[derive(Clone)]
struct ModelOrder {
    number: u64,
    trader: [u8; 32],
    side: Side,
    price: u32,
    quantity: u32,
}

impl Model {
    fn execute(&mut self, number: u64, trader: [u8; 32], command: &Command) -> Answer {
        let (side, quantity, price) = match *command {
            Command::Cancel { order } => {
                return match self.orders.iter().position(|other| other.number == order) {
                    None => Answer::Refused(RefusalCode::UnknownOrder),
                    Some(at) if self.orders[at].trader != trader => {
                        Answer::Refused(RefusalCode::ForeignOrder)
                    }
                    Some(at) => Answer::Cancelled { quantity: self.orders.remove(at).quantity },
                };
            }
            Command::Limit { side, quantity, price, .. } => (side, quantity, price),
        };
        let (mut left, mut fills) = (quantity, Vec::new());
        while left > 0 {
            let Some(best) = self.best(side, price) else { break };
            if self.orders[best].trader == trader {
                return Answer::Accepted { fills, resting: 0, discarded: Some((Discard::SelfTrade, left)) };
            }
            let found = &mut self.orders[best];
            let traded = if found.quantity < left { found.quantity } else { left };
            fills.push(Fill { price: found.price, quantity: traded, order: found.number });
            found.quantity -= traded;
            left -= traded;
            self.orders.retain(|order| order.quantity > 0);
        }
        if left > 0 {
            self.orders.push(ModelOrder { number, trader, side, price, quantity: left });
        }
        Answer::Accepted { fills, resting: left, discarded: None }
    }

    /// Index of the order that an incoming order trades with next.
    fn best(&self, side: Side, limit: u32) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (at, order) in self.orders.iter().enumerate() {
            let crosses = match side {
                Side::Buy => order.side == Side::Sell && order.price <= limit,
                Side::Sell => order.side == Side::Buy && order.price >= limit,
            };
            if !crosses {
                continue;
            }
            let is_better = best.is_none_or(|best| {
                let best = &self.orders[best];
                let price_is_better = match side {
                    Side::Buy => order.price < best.price,
                    Side::Sell => order.price > best.price,
                };
                price_is_better || (order.price == best.price && order.number < best.number)
            });
            if is_better {
                best = Some(at);
            }
        }
        best
    }
}

fn command() -> impl Strategy<Value = (u8, Command)> {
    let limit =
        (any::<bool>(), 1u32..12, 1u32..9, any::<u64>()).prop_map(|(buys, quantity, price, label)| {
            let side = if buys { Side::Buy } else { Side::Sell };
            Command::Limit { side, quantity, price, label }
        });
    let cancel = (0u64..90).prop_map(|order| Command::Cancel { order });
    (1u8..5, prop_oneof![4 => limit, 1 => cancel])
}

proptest! {
    #[test]
    fn the_book_answers_as_the_reference_and_conserves_quantities(commands in vec(command(), 1..90)) {
        let (mut book, mut model) = (Book::default(), Model::default());
        let (mut entered, mut left_book) = (0u64, 0u64);
        // Gaps between numbers, as in a log with receipts.
        for (number, (trader, command)) in (1u64..).step_by(2).zip(&commands) {
            let answer = book.execute(number, &[*trader; 32], command);
            prop_assert_eq!(&answer, &model.execute(number, [*trader; 32], command));
            match (&answer, command) {
                (Answer::Accepted { fills, resting, discarded }, Command::Limit { side, quantity, price, .. }) => {
                    let traded: u32 = fills.iter().map(|fill| fill.quantity).sum();
                    let discarded = discarded.map_or(0, |(_, quantity)| quantity);
                    prop_assert_eq!(traded + resting + discarded, *quantity);
                    // Prices get worse, and numbers increase at one price: price-time priority.
                    for fill in fills {
                        prop_assert!(fill.quantity > 0 && side.permits(*price, fill.price) && fill.order < number);
                    }
                    let rank = |fill: &Fill| (side.opposite().rank(fill.price), fill.order);
                    prop_assert!(fills.is_sorted_by(|one, next| rank(one) < rank(next)));
                    entered += u64::from(*quantity);
                    left_book += 2 * u64::from(traded) + u64::from(discarded);
                }
                (Answer::Cancelled { quantity }, Command::Cancel { .. }) => left_book += u64::from(*quantity),
                (Answer::Refused(_), Command::Cancel { .. }) => {}
                other => prop_assert!(false, "{other:?}"),
            }
            let resting: u64 = book.bids.values().chain(book.asks.values()).map(|order| u64::from(order.quantity)).sum();
            prop_assert_eq!(entered, left_book + resting);
            prop_assert_eq!(book.bids.len() + book.asks.len(), book.len());
            prop_assert_eq!(book.traders.values().sum::<u32>() as usize, book.len());
            if let (Some(bid), Some(ask)) = book.best() {
                prop_assert!(bid < ask, "crossed: {bid} {ask}");
            }
        }
    }
}

#[test]
fn the_best_price_trades_first_and_the_oldest_order_at_one_price() {
    let mut book = Book::default();
    for (entry, price) in [(1, 102), (3, 101), (5, 101), (7, 103)] {
        assert_eq!(book.execute(entry, &A, &order(Side::Sell, 10, price)), accepted(&[], 10));
    }
    assert_eq!(book.best(), (None, Some(101)));
    let expected = accepted(&[(10, 101, 3), (10, 101, 5), (5, 102, 1)], 0);
    assert_eq!(book.execute(9, &B, &order(Side::Buy, 25, 102)), expected);
    // A partial fill keeps the priority.
    assert_eq!(book.execute(11, &A, &order(Side::Sell, 1, 102)), accepted(&[], 1));
    let expected = accepted(&[(5, 102, 1), (1, 102, 11)], 2);
    assert_eq!(book.execute(13, &B, &order(Side::Buy, 8, 102)), expected);
    assert_eq!((book.best(), book.len()), ((Some(102), Some(103)), 2));
}

#[test]
fn only_its_trader_cancels_an_order() {
    let mut book = Book::default();
    book.execute(1, &A, &order(Side::Buy, 10, 50));
    let cancel = |order| Command::Cancel { order };
    assert_eq!(book.execute(2, &B, &cancel(1)), Answer::Refused(RefusalCode::ForeignOrder));
    for unknown in [0, 2, 7, u64::MAX] {
        assert_eq!(book.execute(3, &A, &cancel(unknown)), Answer::Refused(RefusalCode::UnknownOrder));
    }
    assert_eq!(book.execute(4, &B, &order(Side::Sell, 4, 50)), accepted(&[(4, 50, 1)], 0));
    assert_eq!(book.execute(5, &A, &cancel(1)), Answer::Cancelled { quantity: 6 });
    assert_eq!(book.execute(6, &A, &cancel(1)), Answer::Refused(RefusalCode::UnknownOrder));
    assert!(book.is_empty() && book.traders.is_empty());
}

#[test]
fn a_trader_does_not_trade_with_itself() {
    let mut book = Book::default();
    book.execute(1, &B, &order(Side::Sell, 3, 50));
    book.execute(2, &A, &order(Side::Sell, 5, 50));
    let fills = vec![Fill { price: 50, quantity: 3, order: 1 }];
    let expected = Answer::Accepted { fills, resting: 0, discarded: Some((Discard::SelfTrade, 6)) };
    assert_eq!(book.execute(3, &A, &order(Side::Buy, 9, 60)), expected);
    // Its own resting order stays, and a price that does not reach it is no self-trade.
    assert_eq!(book.execute(4, &A, &order(Side::Buy, 1, 49)), accepted(&[], 1));
    assert_eq!(book.best(), (Some(49), Some(50)));
}

#[test]
fn the_largest_values_do_not_overflow() {
    use crate::command::{MAX_PRICE, MAX_QUANTITY};

    let mut book = Book::default();
    for entry in 1..=5 {
        book.execute(entry, &A, &order(Side::Buy, MAX_QUANTITY, MAX_PRICE));
    }
    book.execute(6, &A, &order(Side::Buy, MAX_QUANTITY, 1));
    let expected = accepted(&[(MAX_QUANTITY, MAX_PRICE, 1)], 0);
    assert_eq!(book.execute(7, &B, &order(Side::Sell, MAX_QUANTITY, 1)), expected);
    assert_eq!(book.best(), (Some(MAX_PRICE), None));
}

#[test]
fn fills_and_resting_orders_are_limited() {
    let mut book = Book::default();
    for entry in 1..=u64::from(MAX_RESTING) {
        assert_eq!(book.execute(entry, &A, &order(Side::Sell, 1, 50)), accepted(&[], 1));
    }
    let refused = Answer::Refused(RefusalCode::TooManyOrders);
    assert_eq!(book.execute(10_001, &A, &order(Side::Sell, 1, 50)), refused);
    let Answer::Accepted { fills, resting: 0, discarded } =
        book.execute(10_002, &B, &order(Side::Buy, 1000, 50))
    else {
        panic!("the order is accepted");
    };
    assert_eq!((fills.len(), discarded), (MAX_FILLS, Some((Discard::TooManyFills, 1000 - 256))));
    // An order that is filled by the last permitted trade loses nothing.
    let Answer::Accepted { fills, resting: 0, discarded: None } =
        book.execute(10_003, &B, &order(Side::Buy, 256, 50))
    else {
        panic!("the order is filled");
    };
    assert_eq!((fills.len(), fills[0].order), (256, 257));
    assert_eq!(book.execute(10_004, &A, &order(Side::Sell, 1, 50)), accepted(&[], 1));
}
