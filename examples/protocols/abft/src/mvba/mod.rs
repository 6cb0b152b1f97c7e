//! Validated agreement on one value (MVBA): members propose values, and all correct members decide the same one, which
//! satisfies a predicate.
//!
//! The protocol is that of Abraham, Malkhi and Spiegelman, *Asymptotically Optimal Validated Asynchronous Byzantine
//! Agreement* (PODC '19, reference 8 of the paper; its Algorithms 1 to 7). The paper lists its signatures in section
//! II.A.1. N is the number of members, f < N/3 the number of faulty ones, and a quorum is ⌊(N + f)/2⌋ + 1 members:
//! any two quorums share a correct member.
//!
//! A view has four phases:
//!
//! 1. **Promotion.** Each member promotes a value in four stages. In each it collects the votes of a quorum, whose
//!    signature is the certificate that the next stage carries. The certificate of stage 1 is a *key*, of stage 2 a
//!    *lock*, of stage 3 a *commit*. A member votes for one value of a proposer in a view, in stage 1 only if the value
//!    satisfies the predicate and its key is not older than the member's own lock.
//! 2. **Completion.** The certificate of stage 4 goes to all (*Done*). A member that knows N − f complete promotions
//!    signs *Skip*; f + 1 shares are the skip certificate. A member with it abandons all promotions: it votes no more.
//! 3. **Election.** It then releases its share of the coin, which elects a leader uniformly from all members (*Elect*,
//!    with the skip certificate, so that every member abandons).
//! 4. **View change.** Members *Report* the highest certificate they have of the leader's promotion. A commit decides.
//!    Otherwise, with N − f reports, a member adopts the highest: a key becomes the value to promote in the next view,
//!    a lock also forbids it to vote for older keys.
//!
//! * **Agreement.** A commit of a leader's value means that at least f + 1 correct members have its lock and will report
//!   it, so every correct member that leaves the view is locked, and has the key. Later views cannot certify another
//!   value.
//! * **Termination.** When the coin is thrown, N − f promotions are complete, and the coin is unpredictable before. With
//!   probability ≥ 2/3 the leader's promotion is complete: then f + 1 correct members have its commit, and every set of
//!   N − f reports contains it. The probability of more than k views is at most 3⁻ᵏ.
//!
//! Deviations from the PODC paper, with reasons:
//!
//! | PODC '19 | here | reason |
//! |---|---|---|
//! | every step carries the value | stage 1 carries it; a later stage waits for stage 1 of the same proposer | a quarter of the bytes |
//! | reports carry key, lock and commit | the highest certificate alone | a lock certificate proves that a quorum has verified the key, and a commit the lock |
//! | Skip and coin share are separate broadcasts | Elect carries both | N² messages fewer |
//! | a decided member goes on | it sends *Decide* with a proof and stops | the proof (commit, and f + 1 coin shares) convinces a member in any view |
//! | certificates of N − f members | of ⌊(N + f)/2⌋ + 1 | equal for N = 3f + 1; for more members fewer suffice |
//!
//! **Blame.** If the votes of a stage do not combine, the proposer asks the members for the openings of their votes
//! (*Doubt*, *Opening*), where the scheme needs them, and names those whose vote is wrong.
//!
//! **Memory.** Messages of up to [`WINDOW`] later views are kept, each once per sender: `WINDOW · N · 9` messages, of
//! which two in nine carry a value. A member is further behind than that with probability 3⁻²⁰; Decide reaches it in
//! any case. **Cost** per view and member: 4N + 1 signatures, 5 combinations, 3N verifications of certificates, and one of
//! N − f certificates together; if one of these is wrong, also N − f single ones.

mod election;
mod interface;
mod message;
mod promotion;
mod state;
#[cfg(test)]
mod tests;

use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::Decode;
use quorate::{Error, Result};

pub use interface::{COIN_PROTOCOL, Command, Output, Validity, WINDOW};
pub use message::{
    Certificate, Digest, Held, Limits, Message, Stage, View, completion_statement, digest,
    promotion_statement,
};
pub use state::Agreement;

use crate::compose::Never;
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;
use state::{Completion, Election, Phase};

impl<S: ThresholdScheme> Agreement<S> {
    fn propose(&mut self, value: Vec<u8>, step: &mut Step<Self>) {
        if value.len() > self.limits.value {
            let limit = self.limits.value as u64;
            return step.output(Output::Refused(Error::TooLarge { what: "proposed value", limit }));
        }
        if !self.is_valid(&value) {
            return step
                .output(Output::Refused(Error::WrongContext { what: "validity of the proposed value" }));
        }
        if self.input.is_none() {
            self.input = Some(value);
            self.promote(step);
        }
    }

    fn on_message(&mut self, from: MemberIndex, message: Message<S>, step: &mut Step<Self>) {
        if self.phase == Phase::Finished {
            return;
        }
        let view = message.view();
        if let Message::Decide { value, signature, shares, .. } = message {
            return self.on_decide(from, view, value, signature, shares, step);
        }
        if view > self.view {
            return self.keep(from, message, step);
        }
        if view < self.view {
            return;
        }
        match message {
            Message::Promote { value, key, .. } => self.on_promote(from, value, key, step),
            Message::Advance { stage, signature, .. } => self.on_advance(from, stage, signature, step),
            Message::Vote { stage, share, .. } => self.on_vote(from, stage, share, step),
            Message::Done { digest, signature, .. } => self.on_done(from, digest, signature, step),
            Message::Skip { share, .. } => self.on_skip(from, share, step),
            Message::Elect { skip, share, .. } => self.on_elect(from, skip, *share, step),
            Message::Report { held, .. } => self.on_report(from, held, step),
            Message::Doubt { stage, .. } => self.on_doubt(from, stage, step),
            Message::Opening { stage, opening, .. } => self.on_opening(from, stage, &opening, step),
            Message::Decide { .. } => {}
        }
    }

    /// Keeps a message of a later view.
    fn keep(&mut self, from: MemberIndex, message: Message<S>, step: &mut Step<Self>) {
        if message.view() - self.view > WINDOW {
            return step.fault(from, Violation::Refused { what: "message of a view beyond the window" });
        }
        if matches!(message, Message::Vote { .. } | Message::Doubt { .. } | Message::Opening { .. }) {
            return step.fault(from, Violation::Refused { what: "Vote or opening before the promotion" });
        }
        let slot = (message.view(), from, message.slot());
        match self.later.get(&slot) {
            None => {
                self.later.insert(slot, message);
            }
            Some(before) if *before == message => {}
            Some(_) => step.fault(from, Violation::Contradiction { what: "message of a later view" }),
        }
    }

    /// Starts the next view, and handles the messages that were kept for it.
    fn enter_next_view(&mut self, step: &mut Step<Self>) {
        self.view += 1;
        self.phase = Phase::Promoting;
        self.acceptances.clear();
        self.promotion = None;
        self.completion = Completion::new(&self.context, self.view);
        match Election::new(&self.context, self.view) {
            Ok(election) => self.election = election,
            Err(error) => return self.fail(error, step),
        }
        self.valid.clear();
        self.promote(step);
        let rest = self.later.split_off(&(self.view + 1, 0, 0));
        for ((_, from, _), message) in std::mem::replace(&mut self.later, rest) {
            self.on_message(from, message, step);
        }
    }
}

impl<S: ThresholdScheme> Machine for Agreement<S> {
    type Message = Message<S>;
    type Command = Command;
    type Timer = Never;
    type Record = Never;
    type Output = Output;
    type Fault = Violation;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Message<S>> {
        Message::decode(bytes, &self.limits)
    }

    fn handle(&mut self, _: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => {}
            Input::Timer(never) => match never {},
            Input::Command(Command::Propose(value)) => self.propose(value, &mut step),
            Input::Command(Command::FallBack) => self.fall_back(&mut step),
            Input::Message { from, message } => self.on_message(from, message, &mut step),
        }
        step
    }
}
