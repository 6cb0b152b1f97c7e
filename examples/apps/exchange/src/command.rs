//! Commands of traders.
//!
//! | bytes | limit order | | bytes | cancellation |
//! |---|---|---|---|---|
//! | 1 | 1 buy, 2 sell | | 1 | 3 |
//! | 4 | quantity, 1 to 1,000,000,000 | | 8 | the order's number |
//! | 4 | limit price, 1 to 1,000,000,000 | | | |
//! | 8 | label of the trader, any number | | | |
//!
//! Quantities and prices are integers: the units, such as shares and cents, are a convention of the market.

use quorate_audit::signed::BadFrame;

/// Maximum quantity of an order.
pub const MAX_QUANTITY: u32 = 1_000_000_000;
/// Maximum price.
pub const MAX_PRICE: u32 = 1_000_000_000;

/// Side of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Buys at the limit price or below.
    Buy,
    /// Sells at the limit price or above.
    Sell,
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Trades with resting orders, as far as their prices permit; the remainder rests.
    Limit {
        /// Side.
        side: Side,
        /// Quantity, 1 to [`MAX_QUANTITY`].
        quantity: u32,
        /// Limit price, 1 to [`MAX_PRICE`].
        price: u32,
        /// The trader's own number for the order. The book ignores it.
        label: u64,
    },
    /// Removes the remainder of an order of the same trader from the book.
    Cancel {
        /// Number of the order: that of its entry in the log.
        order: u64,
    },
}

/// The expected words of a command.
const FORMS: &str = "expected BUY QUANTITY PRICE [LABEL], SELL QUANTITY PRICE [LABEL] or CANCEL ORDER";

impl Command {
    /// Decodes a command from exactly `bytes`.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &[u8]) -> Result<Self, BadFrame> {
        let length = BadFrame("length of the command");
        let (kind, rest) = bytes.split_first().ok_or(length)?;
        let command = match kind {
            1 | 2 => {
                let (quantity, rest) = rest.split_first_chunk().ok_or(length)?;
                let (price, rest) = rest.split_first_chunk().ok_or(length)?;
                Self::Limit {
                    side: if *kind == 1 { Side::Buy } else { Side::Sell },
                    quantity: u32::from_le_bytes(*quantity),
                    price: u32::from_le_bytes(*price),
                    label: u64::from_le_bytes(rest.try_into().map_err(|_| length)?),
                }
            }
            3 => Self::Cancel { order: u64::from_le_bytes(rest.try_into().map_err(|_| length)?) },
            _ => return Err(BadFrame("unknown command")),
        };
        command.check()?;
        Ok(command)
    }

    /// Appends the encoding.
    ///
    /// # Errors
    /// [`BadFrame`] if quantity or price is 0 or too large.
    pub fn encode_to(&self, out: &mut Vec<u8>) -> Result<(), BadFrame> {
        self.check()?;
        match *self {
            Self::Limit { side, quantity, price, label } => {
                out.push(if side == Side::Buy { 1 } else { 2 });
                out.extend_from_slice(&quantity.to_le_bytes());
                out.extend_from_slice(&price.to_le_bytes());
                out.extend_from_slice(&label.to_le_bytes());
            }
            Self::Cancel { order } => {
                out.push(3);
                out.extend_from_slice(&order.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Returns name and arguments.
    pub fn words(&self) -> Vec<Vec<u8>> {
        let words = match *self {
            Self::Limit { side, quantity, price, label } => {
                let name = if side == Side::Buy { "BUY" } else { "SELL" };
                vec![name.to_owned(), quantity.to_string(), price.to_string(), label.to_string()]
            }
            Self::Cancel { order } => vec!["CANCEL".to_owned(), order.to_string()],
        };
        words.into_iter().map(String::into_bytes).collect()
    }

    /// Parses name and arguments, the name in any case. The label is 0 by default.
    ///
    /// # Errors
    /// A message with the expected form or the limit.
    pub fn from_words<A: AsRef<[u8]>>(words: &[A]) -> Result<Self, String> {
        let text =
            |word: &A| std::str::from_utf8(word.as_ref()).map(str::to_owned).map_err(|_| FORMS.to_owned());
        let words = words.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let (side, arguments) = match words.split_first() {
            Some((name, arguments)) if name.eq_ignore_ascii_case("buy") => (Side::Buy, arguments),
            Some((name, arguments)) if name.eq_ignore_ascii_case("sell") => (Side::Sell, arguments),
            Some((name, [order])) if name.eq_ignore_ascii_case("cancel") => {
                return Ok(Self::Cancel { order: number(order)? });
            }
            _ => return Err(FORMS.to_owned()),
        };
        let (quantity, price, label) = match arguments {
            [quantity, price] => (quantity, price, "0"),
            [quantity, price, label] => (quantity, price, *label),
            _ => return Err(FORMS.to_owned()),
        };
        let command =
            Self::Limit { side, quantity: number(quantity)?, price: number(price)?, label: number(label)? };
        command.check().map_err(|reason| reason.0.to_owned())?;
        Ok(command)
    }

    fn check(&self) -> Result<(), BadFrame> {
        match self {
            Self::Limit { quantity, .. } if !(1..=MAX_QUANTITY).contains(quantity) => {
                Err(BadFrame("the quantity is not between 1 and 1000000000"))
            }
            Self::Limit { price, .. } if !(1..=MAX_PRICE).contains(price) => {
                Err(BadFrame("the price is not between 1 and 1000000000"))
            }
            Self::Limit { .. } | Self::Cancel { .. } => Ok(()),
        }
    }
}

fn number<N: std::str::FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("{word:?} is not a number in its range"))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_outside_the_limits_are_refused() {
        for words in [
            &["BUY", "0", "1"][..],
            &["BUY", "1", "0"],
            &["SELL", "1000000001", "1"],
            &["SELL", "1", "1000000001"],
            &["SELL", "1", "4294967296"],
            &["BUY", "-1", "1"],
            &["BUY", "1.5", "1"],
            &["BUY", "1", "1", "1", "1"],
            &["CANCEL", "18446744073709551616"],
            &["CANCEL"],
            &["HALT"],
            &[],
        ] {
            assert!(Command::from_words(words).is_err(), "{words:?}");
        }
        assert_eq!(Command::from_words(&["cancel", "7"]), Ok(Command::Cancel { order: 7 }));
        let most =
            Command::from_words(&["sell", "1000000000", "1000000000", "18446744073709551615"]).unwrap();
        let mut bytes = Vec::new();
        most.encode_to(&mut bytes).unwrap();
        assert_eq!((bytes.len(), Command::decode(&bytes)), (17, Ok(most)));
        for cut in 0..bytes.len() {
            assert!(Command::decode(&bytes[..cut]).is_err(), "{cut}");
        }
        bytes[1..5].fill(0xff);
        assert!(Command::decode(&bytes).is_err());
        let zero = Command::Limit { side: Side::Buy, quantity: 0, price: 1, label: 0 };
        assert!(zero.encode_to(&mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn decoded_commands_encode_to_the_same_bytes(mut bytes in vec(any::<u8>(), 0..20), kind in 0u8..5, len in 0usize..20) {
            bytes.truncate(if kind % 2 == 0 { 17 } else { len });
            if let Some(first) = bytes.first_mut() {
                *first = kind;
            }
            if bytes.len() > 8 && kind < 3 {
                (bytes[4], bytes[8]) = (bytes[4] % 64, bytes[8] % 64);
            }
            if let Ok(command) = Command::decode(&bytes) {
                let mut again = Vec::new();
                command.encode_to(&mut again).unwrap();
                prop_assert_eq!(Command::from_words(&command.words()), Ok(command));
                prop_assert_eq!(&again, &bytes);
            }
        }
    }
}
