//! The workload of Figure 7 of the paper: half of the orders buy, half sell.

use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_exchange::command::{Command, Side};
use quorate_service::cli::Workload;
use quorate_support::rng::nth_output;

/// Description of the workload.
pub(super) const WORKLOAD: &str =
    "limit orders, 50 % BUY of one trader, 50 % SELL of another; 1,000 resting orders at the beginning";

/// Maximum number of orders that rest on each side before the measurement.
const DEPTH: u32 = 500;
/// The price around which the orders lie.
const MIDDLE: u32 = 10_000;

/// Returns a number of orders. The buyer is client 0, the seller client 1.
pub(super) fn workload(requests: u32) -> Result<Workload, Failure> {
    let fill = (0..2 * DEPTH.min(requests / 4)).map(|number| {
        // One side below, one above the middle: nothing trades.
        let distance = 10 + number / 2 % 100;
        match number % 2 {
            0 => encoded(Side::Buy, 10, MIDDLE - distance),
            _ => encoded(Side::Sell, 10, MIDDLE + distance),
        }
    });
    let requests = (0..requests).map(|number| {
        let random = nth_output(number.into());
        let side = if number % 2 == 0 { Side::Buy } else { Side::Sell };
        // Nearly half of the orders trade at once.
        let price = MIDDLE - 5 + u32::try_from(random % 11).unwrap_or_default();
        encoded(side, 1 + u32::try_from((random >> 32) % 10).unwrap_or_default(), price)
    });
    Ok(Workload {
        clients: 2,
        fill: fill.collect::<Result<_, _>>()?,
        requests: requests.collect::<Result<_, _>>()?,
    })
}

fn encoded(side: Side, quantity: u32, price: u32) -> Result<(usize, Vec<u8>), Failure> {
    let mut bytes = Vec::new();
    let command = Command::Limit { side, quantity, price, label: 0 };
    command.encode_to(&mut bytes).or_fail(Exit::Failed, "an order")?;
    Ok((if side == Side::Buy { 0 } else { 1 }, bytes))
}

#[cfg(test)]
mod tests {
    use quorate_exchange::answer::Answer;
    use quorate_exchange::book::Book;

    use super::*;

    #[test]
    fn half_of_the_orders_buy_and_a_part_of_them_trades_at_once() {
        let all = workload(10_000).unwrap();
        let (mut book, mut entry, mut traded) = (Book::default(), 0, 0);
        for (client, bytes) in all.fill.iter().chain(&all.requests) {
            entry += 1;
            let command = Command::decode(bytes).unwrap();
            let trader = [*client as u8; 32];
            match book.execute(entry, &trader, &command) {
                Answer::Accepted { fills, discarded: None, .. } => traded += usize::from(!fills.is_empty()),
                other => panic!("{other}"),
            }
            if entry == u64::from(2 * DEPTH) {
                assert_eq!((book.len(), traded), (1000, 0));
            }
        }
        let buys = all.requests.iter().filter(|(client, _)| *client == 0).count();
        assert_eq!(buys, 5000);
        assert!((4000..5000).contains(&traded), "{traded}");
    }
}
