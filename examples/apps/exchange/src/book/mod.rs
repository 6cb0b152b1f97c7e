//! The limit order book.
//!
//! An incoming order trades with the resting orders of the other side, the best price first, and at one price the oldest order
//! first: price-time priority. A trade has the price of the resting order. The remainder of the incoming order rests.
//!
//! | rule | |
//! |---|---|
//! | number of an order | that of its entry in the log; a smaller number is older |
//! | partial fill | the resting order keeps its number and its priority |
//! | self-trade | before an order would trade with one of the same trader, its remainder is discarded |
//! | fills | an order trades with at most [`MAX_FILLS`] orders; a remainder that could trade with more is discarded |
//! | cancellation | only by the trader of the order; the rest of its quantity leaves the book |
//! | resting orders | at most [`MAX_RESTING`] of each trader; a trader with that number can only cancel |
//!
//! The book is never crossed: its best bid is below its best ask. Matching is deterministic, and uses integers only. It is our own
//! code and no crate, because an auditor must replay old logs with exactly these rules, and a crate may change its own.

use std::collections::{BTreeMap, HashMap};

use crate::answer::{Answer, Discard, Fill, MAX_FILLS, RefusalCode};
use crate::command::{Command, Side};

/// Maximum number of resting orders of a trader.
pub const MAX_RESTING: u32 = 10_000;

/// The resting orders. The default value is an empty book.
#[derive(Debug, Default)]
pub struct Book {
    bids: Orders,
    asks: Orders,
    /// Position of each order.
    positions: HashMap<u64, (Side, u32)>,
    /// Number of orders of each trader.
    traders: HashMap<[u8; 32], u32>,
}

/// The orders of a side, by rank of the price and number, so that the first one trades next.
type Orders = BTreeMap<(u32, u64), Resting>;

#[derive(Clone, Copy, Debug)]
struct Resting {
    trader: [u8; 32],
    quantity: u32,
}

impl Side {
    /// Returns the rank of a resting order's price, from the best one on. The function is its own inverse.
    fn rank(self, price: u32) -> u32 {
        match self {
            Self::Buy => u32::MAX - price,
            Self::Sell => price,
        }
    }

    fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// Returns true if an order with this limit may trade at a price.
    fn permits(self, limit: u32, price: u32) -> bool {
        match self {
            Self::Buy => price <= limit,
            Self::Sell => price >= limit,
        }
    }
}

impl Book {
    /// Executes the command of a log entry. Entry numbers must increase. Cost: logarithmic in the number of resting orders, for
    /// each fill.
    pub fn execute(&mut self, entry: u64, trader: &[u8; 32], command: &Command) -> Answer {
        match *command {
            Command::Limit { side, quantity, price, .. } => self.limit(entry, trader, side, quantity, price),
            Command::Cancel { order } => self.cancel(trader, order),
        }
    }

    /// Returns the best bid and the best ask.
    pub fn best(&self) -> (Option<u32>, Option<u32>) {
        let first = |orders: &Orders, side: Side| orders.keys().next().map(|(rank, _)| side.rank(*rank));
        (first(&self.bids, Side::Buy), first(&self.asks, Side::Sell))
    }

    /// Returns the number of resting orders.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns true if no order rests.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn limit(&mut self, entry: u64, trader: &[u8; 32], side: Side, quantity: u32, price: u32) -> Answer {
        if self.traders.get(trader).is_some_and(|count| *count >= MAX_RESTING) {
            return Answer::Refused(RefusalCode::TooManyOrders);
        }
        let (mut left, mut fills, mut discard) = (quantity, Vec::new(), None);
        while left > 0 {
            let opposite = side.opposite();
            let Some(mut first) = self.orders(opposite).first_entry() else { break };
            let (rank, order) = *first.key();
            let (resting, at) = (first.get_mut(), opposite.rank(rank));
            if !side.permits(price, at) {
                break;
            }
            if resting.trader == *trader {
                discard = Some(Discard::SelfTrade);
                break;
            }
            if fills.len() == MAX_FILLS {
                discard = Some(Discard::TooManyFills);
                break;
            }
            let traded = left.min(resting.quantity);
            left -= traded;
            resting.quantity -= traded;
            fills.push(Fill { price: at, quantity: traded, order });
            if resting.quantity == 0 {
                let owner = first.remove().trader;
                self.forget(order, &owner);
            }
        }
        if let Some(reason) = discard {
            return Answer::Accepted { fills, resting: 0, discarded: Some((reason, left)) };
        }
        if left > 0 {
            self.orders(side).insert((side.rank(price), entry), Resting { trader: *trader, quantity: left });
            self.positions.insert(entry, (side, price));
            *self.traders.entry(*trader).or_default() += 1;
        }
        Answer::Accepted { fills, resting: left, discarded: None }
    }

    fn cancel(&mut self, trader: &[u8; 32], order: u64) -> Answer {
        let unknown = Answer::Refused(RefusalCode::UnknownOrder);
        let Some((side, price)) = self.positions.get(&order).copied() else { return unknown };
        let (orders, key) = (self.orders(side), (side.rank(price), order));
        let Some(resting) = orders.get(&key).copied() else { return unknown };
        if resting.trader != *trader {
            return Answer::Refused(RefusalCode::ForeignOrder);
        }
        orders.remove(&key);
        self.forget(order, trader);
        Answer::Cancelled { quantity: resting.quantity }
    }

    fn orders(&mut self, side: Side) -> &mut Orders {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// Removes the position of an order that has left the book.
    fn forget(&mut self, order: u64, trader: &[u8; 32]) {
        self.positions.remove(&order);
        if let Some(count) = self.traders.get_mut(trader) {
            *count -= 1;
            if *count == 0 {
                self.traders.remove(trader);
            }
        }
    }
}

#[cfg(test)]
mod tests;
