//! Schedules of a hostile network: it sees all messages, and decides how long each takes.

use std::time::Duration;

use quorate::machine::{MemberIndex, Time};
use quorate::wire::domain;
use quorate_simulator::{Interception, PRESETS};

/// Domain of the hash that determines a message's delay.
const DELAY: &str = "quorate-v1-abft-test-delay";

/// What the network does to messages of correct members while there are faults: for ten seconds in a full run. An
/// asynchronous network delivers every message, after whatever time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Nothing.
    Fair,
    /// Delays all messages to and from one member, another one in each fifth of the time.
    Starve,
    /// Delays each message by a time that depends on its contents.
    ByContent,
    /// Delays all messages between two halves of the members.
    Divide,
}

impl Schedule {
    /// The schedule of a seed. The presets, with that of rollbacks, alternate from seed to seed; each meets all schedules.
    pub fn of_seed(seed: u64) -> Self {
        match seed / (PRESETS.len() as u64 + 1) % 4 {
            0 => Self::Fair,
            1 => Self::Starve,
            2 => Self::ByContent,
            _ => Self::Divide,
        }
    }

    pub(super) fn intercept(
        self,
        end: Duration,
        now: Time,
        (from, to, members): (MemberIndex, MemberIndex, u16),
        encoded: impl FnOnce() -> Vec<u8>,
    ) -> Interception {
        let elapsed = Duration::from_micros(now.0);
        if elapsed >= end {
            return Interception::Pass;
        }
        // The maximum delay of a message.
        let (most, left) = (end * 2 / 5, end - elapsed);
        match self {
            Self::Fair => Interception::Pass,
            Self::Starve => {
                let turn = (elapsed.as_micros() * 5 / end.as_micros()) as u16;
                let starved = turn % members;
                if from == starved || to == starved {
                    Interception::Delay(most.min(left))
                } else {
                    Interception::Pass
                }
            }
            Self::ByContent => {
                let [first, second, ..] = domain::hash(DELAY, &encoded());
                // Most are fast, some are very slow.
                let part = f64::from(u16::from_le_bytes([first, second])) / f64::from(u16::MAX);
                Interception::Delay(most.mul_f64(part.powi(6)).min(left))
            }
            Self::Divide => {
                if from % 2 == to % 2 {
                    Interception::Pass
                } else {
                    Interception::Delay(most.min(left) / 2)
                }
            }
        }
    }
}
