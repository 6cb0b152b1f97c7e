//! Built-in adversaries, independent of the protocol.

use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

use quorate::machine::{Input, Machine, Outgoing, Recipient};
use quorate::wire::Encode;

use crate::adversary::{Adversary, Control};
use crate::fault::Behaviour;
use crate::rng::Probability;

/// Number of old messages a replayer keeps, and the maximum length of a kept message in bytes.
const REPLAYED: usize = 256;
const MAX_REPLAYED_LEN: usize = 1 << 20;

/// Returns the built-in adversary of a behaviour; `None` for twins (two honest machines) and custom behaviours.
pub(crate) fn ready_made<M: Machine>(behaviour: &Behaviour) -> Option<Box<dyn Adversary<M>>> {
    match *behaviour {
        Behaviour::Silent => Some(Box::new(Silent)),
        Behaviour::Delayer(longest) => Some(Box::new(Delayer { longest })),
        Behaviour::Garbage(every) => Some(Box::new(Garbage { every })),
        Behaviour::Replayer(every) => Some(Box::new(Replayer { every, old: VecDeque::new() })),
        Behaviour::Mutator => Some(Box::new(Mutator)),
        Behaviour::Selective => Some(Box::new(Selective)),
        Behaviour::Twins(_) | Behaviour::Custom(_) => None,
    }
}

struct Silent;

impl<M: Machine> Adversary<M> for Silent {
    fn on_send(&mut self, _: Outgoing<M::Message>, _: &mut Control<'_, M>) {}
}

struct Delayer {
    longest: Duration,
}

impl<M: Machine> Adversary<M> for Delayer {
    fn on_send(&mut self, outgoing: Outgoing<M::Message>, control: &mut Control<'_, M>) {
        let after = control.rng().duration(Duration::ZERO, self.longest);
        control.raw(outgoing.to, outgoing.message.encode(), after);
    }
}

struct Garbage {
    every: Duration,
}

impl<M: Machine> Adversary<M> for Garbage {
    fn on_start(&mut self, control: &mut Control<'_, M>) {
        control.wake(control.now.0, self.every);
    }

    fn on_wake(&mut self, started: u64, control: &mut Control<'_, M>) {
        let Some(to) = random_member(control) else { return };
        let rng = control.rng();
        // Short messages exercise tags and lengths, long ones the size limits.
        let longest = if rng.chance(Probability::percent(90)) { 64 } else { 4_096 };
        let len = rng.index(longest);
        let mut bytes = rng.bytes(len);
        if let Some(tag) = bytes.first_mut() {
            *tag %= 16;
        }
        control.raw(to, bytes, Duration::ZERO);
        control.wake(started, self.every);
    }
}

struct Replayer {
    every: Duration,
    old: VecDeque<Arc<[u8]>>,
}

impl Replayer {
    fn keep(&mut self, bytes: Vec<u8>, place: usize) {
        if bytes.len() > MAX_REPLAYED_LEN {
            return;
        }
        if self.old.len() < REPLAYED {
            self.old.push_back(bytes.into());
        } else if let Some(old) = self.old.get_mut(place) {
            *old = bytes.into();
        }
    }
}

impl<M: Machine> Adversary<M> for Replayer {
    fn on_start(&mut self, control: &mut Control<'_, M>) {
        control.wake(0, self.every);
    }

    fn on_input(&mut self, input: &Input<M>, control: &mut Control<'_, M>) -> bool {
        if let Input::Message { message, .. } = input {
            // A random position, so that some very old messages stay.
            let place = control.rng().index(REPLAYED);
            self.keep(message.encode(), place);
        }
        true
    }

    fn on_send(&mut self, outgoing: Outgoing<M::Message>, control: &mut Control<'_, M>) {
        let place = control.rng().index(REPLAYED);
        self.keep(outgoing.message.encode(), place);
        control.pass(outgoing);
    }

    fn on_wake(&mut self, token: u64, control: &mut Control<'_, M>) {
        let place = control.rng().index(self.old.len());
        if let (Some(bytes), Some(to)) = (self.old.get(place), random_member(control)) {
            control.raw(to, Arc::clone(bytes), Duration::ZERO);
        }
        control.wake(token, self.every);
    }
}

struct Mutator;

impl<M: Machine> Adversary<M> for Mutator {
    fn on_send(&mut self, outgoing: Outgoing<M::Message>, control: &mut Control<'_, M>) {
        let mut bytes = outgoing.message.encode();
        let rng = control.rng();
        if rng.chance(Probability::percent(50)) {
            return control.raw(outgoing.to, bytes, Duration::ZERO);
        }
        match rng.below(4) {
            0 => bytes.truncate(rng.index(bytes.len())),
            1 => {
                let more = rng.index(8) + 1;
                bytes.extend(rng.bytes(more));
            }
            _ => {
                for _ in 0..rng.below(4) + 1 {
                    let place = rng.index(bytes.len());
                    let mask = 1 << rng.below(8);
                    if let Some(byte) = bytes.get_mut(place) {
                        *byte ^= mask;
                    }
                }
            }
        }
        control.raw(outgoing.to, bytes, Duration::ZERO);
    }
}

struct Selective;

impl<M: Machine> Adversary<M> for Selective {
    fn on_send(&mut self, outgoing: Outgoing<M::Message>, control: &mut Control<'_, M>) {
        let bytes: Arc<[u8]> = outgoing.message.encode().into();
        let receivers: Vec<_> = match outgoing.to {
            Recipient::One(member) => vec![member],
            Recipient::Others => control.members().collect(),
        };
        for member in receivers {
            if control.rng().chance(Probability::percent(50)) {
                control.raw(Recipient::One(member), Arc::clone(&bytes), Duration::ZERO);
            }
        }
    }
}

fn random_member<M: Machine>(control: &mut Control<'_, M>) -> Option<Recipient> {
    let place = control.rng.index(control.count.saturating_sub(1));
    control.members().nth(place).map(Recipient::One)
}
