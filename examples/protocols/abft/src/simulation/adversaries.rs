//! Byzantine members with knowledge of the protocol. Each holds its own keys.

use std::sync::Arc;
use std::time::Duration;

use quorate::certificate::Vote;
use quorate::machine::{MemberIndex, Outgoing, Recipient};
use quorate::scheme::Scheme;
use quorate_simulator::{Adversary, Control};

use super::keys::SimulationKeys;
use crate::chain::{Chain, Message};
use crate::epoch;
use crate::signatures::ThresholdScheme;

/// Names of the protocol's adversaries.
pub const ADVERSARIES: &[&str] =
    &["double-voter", "share-swapper", "half-mute", "epoch-starter", "far-ahead"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Votes for another block at each height, too.
    DoubleVoter,
    /// Sends its decryption share of one proposal for all others.
    ShareSwapper,
    /// Sends nothing to the first half of the members.
    HalfMute,
    /// Sends its messages for the next height, too.
    EpochStarter,
    /// Claims to have blocks that do not exist.
    FarAhead,
}

/// The adversary of one of the [`ADVERSARIES`].
pub struct AbftAdversary<S: ThresholdScheme, V: Scheme> {
    kind: Kind,
    me: MemberIndex,
    keys: Arc<SimulationKeys<S, V>>,
    share: Option<epoch::Message<S>>,
}

impl<S: ThresholdScheme, V: Scheme> AbftAdversary<S, V> {
    /// Creates the adversary of this name; `None` if the name is unknown.
    pub fn new(name: &str, me: MemberIndex, keys: Arc<SimulationKeys<S, V>>) -> Option<Self> {
        let kind = match name {
            "double-voter" => Kind::DoubleVoter,
            "share-swapper" => Kind::ShareSwapper,
            "half-mute" => Kind::HalfMute,
            "epoch-starter" => Kind::EpochStarter,
            "far-ahead" => Kind::FarAhead,
            _ => return None,
        };
        Some(Self { kind, me, keys, share: None })
    }

    /// A vote for a block that does not exist, in place of another vote.
    fn other_vote(&self, vote: &Vote<V>) -> Option<Vote<V>> {
        let mut statement = *vote.statement();
        statement.digest = [self.me as u8; 32];
        Vote::sign_unguarded(&self.keys.voting_key(self.me), &self.keys.voters, statement).ok()
    }
}

impl<S: ThresholdScheme, V: Scheme> Adversary<Chain<S, V>> for AbftAdversary<S, V> {
    fn on_start(&mut self, control: &mut Control<'_, Chain<S, V>>) {
        if self.kind == Kind::FarAhead {
            control.wake(0, Duration::from_millis(100));
        }
    }

    fn on_wake(&mut self, _: u64, control: &mut Control<'_, Chain<S, V>>) {
        control.broadcast(&Message::Status { height: 1 << 40 });
        control.broadcast(&Message::End { next: 1 << 40, tip: 1 << 41 });
        control.wake(0, Duration::from_millis(300));
    }

    fn on_send(&mut self, outgoing: Outgoing<Message<S, V>>, control: &mut Control<'_, Chain<S, V>>) {
        match (self.kind, &outgoing.message) {
            (Kind::DoubleVoter, Message::Vote(vote)) => {
                if let Some(other) = self.other_vote(vote) {
                    control.broadcast(&Message::Vote(other));
                }
                control.pass(outgoing);
            }
            (
                Kind::ShareSwapper,
                Message::Epoch { height, message: message @ epoch::Message::Decrypt { .. } },
            ) => {
                let first = self.share.get_or_insert_with(|| message.clone());
                let swapped = match (&*first, message) {
                    (epoch::Message::Decrypt { share, .. }, epoch::Message::Decrypt { proposer, .. }) => {
                        epoch::Message::Decrypt { proposer: *proposer, share: share.clone() }
                    }
                    _ => message.clone(),
                };
                control.broadcast(&Message::Epoch { height: *height, message: swapped });
            }
            (Kind::HalfMute, _) => {
                let half = self.keys.voters.len() / 2;
                let receivers: Vec<MemberIndex> = match outgoing.to {
                    Recipient::One(to) => vec![to],
                    Recipient::Others => control.members().collect(),
                };
                for to in receivers.into_iter().filter(|to| *to >= half) {
                    control.send(to, &outgoing.message);
                }
            }
            (Kind::EpochStarter, Message::Epoch { height, message }) => {
                let next = Message::Epoch { height: height + 1, message: message.clone() };
                match outgoing.to {
                    Recipient::One(to) => control.send(to, &next),
                    Recipient::Others => control.broadcast(&next),
                }
                control.pass(outgoing);
            }
            _ => control.pass(outgoing),
        }
    }
}
