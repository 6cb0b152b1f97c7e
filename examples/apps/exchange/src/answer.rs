//! Answers of the book.
//!
//! | bytes | accepted | | bytes | cancelled | | bytes | refused |
//! |---|---|---|---|---|---|---|---|
//! | 1 | 0 | | 1 | 1 | | 1 | 2 |
//! | 4 | resting quantity | | 4 | cancelled quantity | | 1 | [code](RefusalCode): 1 to 3 |
//! | 1 | [reason](Discard) of the discarded quantity, 0 without one | | | | | | |
//! | 4 | discarded quantity | | | | | | |
//! | 16 each | fills: price 4 ‖ quantity 4 ‖ number of the resting order 8 | | | | | | |

use std::fmt;

use quorate_audit::signed::BadFrame;

/// Maximum number of fills of one order.
pub const MAX_FILLS: usize = 256;

/// A trade between an incoming and a resting order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Price: that of the resting order.
    pub price: u32,
    /// Quantity.
    pub quantity: u32,
    /// Number of the resting order.
    pub order: u64,
}

/// Reason why a remainder is discarded instead of resting in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discard {
    /// The next order to trade with is one of the same trader.
    SelfTrade,
    /// The order has traded with [`MAX_FILLS`] orders and could trade with more.
    TooManyFills,
}

/// Reason of a refusal. The command is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCode {
    /// No order with this number rests in the book.
    UnknownOrder,
    /// The order is one of another trader.
    ForeignOrder,
    /// The trader has [`MAX_RESTING`](crate::book::MAX_RESTING) resting orders.
    TooManyOrders,
}

/// Answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The order was matched. Its quantity is the sum of the fills, the resting and the discarded quantity.
    Accepted {
        /// Trades, in their order.
        fills: Vec<Fill>,
        /// Quantity that rests in the book.
        resting: u32,
        /// Quantity that was discarded, not 0, and the reason.
        discarded: Option<(Discard, u32)>,
    },
    /// The order was removed from the book.
    Cancelled {
        /// Quantity that rested.
        quantity: u32,
    },
    /// Nothing was changed.
    Refused(RefusalCode),
}

impl RefusalCode {
    /// All codes, in the order of their encoding from 1 on.
    pub const ALL: [Self; 3] = [Self::UnknownOrder, Self::ForeignOrder, Self::TooManyOrders];

    /// Returns the stable code.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownOrder => "UNKNOWN_ORDER",
            Self::ForeignOrder => "FOREIGN_ORDER",
            Self::TooManyOrders => "TOO_MANY_ORDERS",
        }
    }
}

impl Discard {
    /// Returns the stable code.
    pub fn name(self) -> &'static str {
        match self {
            Self::SelfTrade => "SELF_TRADE",
            Self::TooManyFills => "TOO_MANY_FILLS",
        }
    }
}

impl Answer {
    /// Decodes an answer from exactly `bytes`.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &[u8]) -> Result<Self, BadFrame> {
        let length = BadFrame("length of the answer");
        let (kind, rest) = bytes.split_first().ok_or(length)?;
        match kind {
            0 => {
                let (resting, rest) = number(rest)?;
                let (reason, rest) = rest.split_first().ok_or(length)?;
                let (discarded, rest) = number(rest)?;
                let discarded = match (reason, discarded) {
                    (0, 0) => None,
                    (1, 1..) => Some((Discard::SelfTrade, discarded)),
                    (2, 1..) => Some((Discard::TooManyFills, discarded)),
                    _ => return Err(BadFrame("discarded quantity and its reason")),
                };
                if rest.len() > 16 * MAX_FILLS {
                    return Err(length);
                }
                let (fills, []) = rest.as_chunks::<16>() else { return Err(length) };
                let fills = fills.iter().map(Fill::decode).collect::<Result<_, _>>()?;
                Ok(Self::Accepted { fills, resting, discarded })
            }
            1 => match number(rest)? {
                (quantity, []) => Ok(Self::Cancelled { quantity }),
                _ => Err(length),
            },
            2 => {
                let [code] = rest else { return Err(length) };
                let found = RefusalCode::ALL.get(usize::from(*code).wrapping_sub(1));
                found.map(|code| Self::Refused(*code)).ok_or(BadFrame("unknown code"))
            }
            _ => Err(BadFrame("unknown answer")),
        }
    }

    /// Appends the encoding.
    pub fn encode_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Accepted { fills, resting, discarded } => {
                let (reason, quantity) = match discarded {
                    None => (0, 0),
                    Some((Discard::SelfTrade, quantity)) => (1, *quantity),
                    Some((Discard::TooManyFills, quantity)) => (2, *quantity),
                };
                out.push(0);
                out.extend_from_slice(&resting.to_le_bytes());
                out.push(reason);
                out.extend_from_slice(&quantity.to_le_bytes());
                for fill in fills {
                    out.extend_from_slice(&fill.price.to_le_bytes());
                    out.extend_from_slice(&fill.quantity.to_le_bytes());
                    out.extend_from_slice(&fill.order.to_le_bytes());
                }
            }
            Self::Cancelled { quantity } => {
                out.push(1);
                out.extend_from_slice(&quantity.to_le_bytes());
            }
            Self::Refused(code) => {
                let number = match code {
                    RefusalCode::UnknownOrder => 1,
                    RefusalCode::ForeignOrder => 2,
                    RefusalCode::TooManyOrders => 3,
                };
                out.extend_from_slice(&[2, number]);
            }
        }
    }
}

impl Fill {
    fn decode(bytes: &[u8; 16]) -> Result<Self, BadFrame> {
        let (price, rest) = number(bytes)?;
        let (quantity, rest) = number(rest)?;
        let order = rest.try_into().map_err(|_| BadFrame("length of the answer"))?;
        Ok(Self { price, quantity, order: u64::from_le_bytes(order) })
    }
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} with order {}", self.quantity, self.price, self.order)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted { fills, resting, discarded } => {
                for fill in fills {
                    write!(f, "filled {fill}; ")?;
                }
                write!(f, "resting {resting}")?;
                match discarded {
                    Some((reason, quantity)) => write!(f, "; discarded {quantity} ({})", reason.name()),
                    None => Ok(()),
                }
            }
            Self::Cancelled { quantity } => write!(f, "cancelled {quantity}"),
            Self::Refused(code) => write!(f, "refused ({})", code.name()),
        }
    }
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), BadFrame> {
    let (number, rest) = bytes.split_first_chunk().ok_or(BadFrame("length of the answer"))?;
    Ok((u32::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn encoded(answer: &Answer) -> Vec<u8> {
        let mut bytes = Vec::new();
        answer.encode_to(&mut bytes);
        bytes
    }

    #[test]
    fn answers_have_exact_lengths() {
        let fill = Fill { price: 1, quantity: 2, order: 3 };
        let most = Answer::Accepted {
            fills: vec![fill; MAX_FILLS],
            resting: 0,
            discarded: Some((Discard::TooManyFills, 4)),
        };
        assert!(encoded(&most).len() < quorate_service::engine::MAX_ANSWER);
        for answer in RefusalCode::ALL.map(Answer::Refused).into_iter().chain([
            Answer::Accepted { fills: vec![], resting: 7, discarded: None },
            Answer::Accepted { fills: vec![fill], resting: 0, discarded: Some((Discard::SelfTrade, 1)) },
            Answer::Cancelled { quantity: 9 },
            most,
        ]) {
            let bytes = encoded(&answer);
            assert_eq!(Answer::decode(&bytes), Ok(answer));
            assert!(Answer::decode(&[&bytes[..], &[0]].concat()).is_err());
            assert!(Answer::decode(&bytes[..bytes.len() - 1]).is_err());
        }
        let fills = vec![fill; MAX_FILLS + 1];
        let more = Answer::Accepted { fills, resting: 0, discarded: None };
        assert!(Answer::decode(&encoded(&more)).is_err());
    }

    proptest! {
        #[test]
        fn decoded_answers_encode_to_the_same_bytes(mut bytes in vec(any::<u8>(), 0..60), kind in 0u8..4, reason in 0u8..4, fills in 0usize..3) {
            if kind == 0 {
                bytes.resize(10 + 16 * fills, 0);
                bytes[5] = reason;
                if reason == 0 {
                    bytes[6..10].fill(0);
                }
            }
            if kind == 1 {
                bytes.truncate(5);
            }
            if kind == 2 {
                bytes.resize(2, reason);
            }
            if let Some(first) = bytes.first_mut() {
                *first = kind;
            }
            if let Ok(answer) = Answer::decode(&bytes) {
                prop_assert_eq!(encoded(&answer), bytes);
            }
        }
    }
}
