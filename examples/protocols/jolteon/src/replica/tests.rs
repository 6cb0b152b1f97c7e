//! Rules that involve the replica as a whole. Four members with test keys; the replica is member 0.

mod certified;

use super::*;
use crate::block::{BlockContent, Executed};
use crate::interface::{Abstention, SigningHistory};
use crate::message::{Advance, Timeout};
use crate::safety::VotingKey;
use crate::testing::{certificate, committees, secret, timeout_certificate};
use core::result::Result;
use quorate::certificate::{Statement, TimeoutVote};
use quorate::committee::Committee;
use quorate::guard::{ExternalKey, Floor, Guard, MonotonicCounter};
use std::sync::atomic::{AtomicBool, Ordering};

type E = Ed25519;

const GENESIS: Executed = Executed { height: 0, state_root: [0; 32] };

fn config() -> Config<E> {
    let Committees { voters, identities } = committees::<E>(4);
    Config {
        voters,
        identities,
        me: 0,
        voting_key: VotingKey::Secret(secret::<E>(0)),
        identity_key: secret::<E>(0),
        genesis_root: GENESIS.state_root,
        executed: GENESIS,
        recent_states: Vec::new(),
        first_sequence: 1,
        history: SigningHistory::Complete,
        parameters: Parameters::default(),
    }
}

fn replica() -> Replica<E> {
    let mut replica = Replica::new(config(), []).unwrap();
    drop(replica.handle(Time(0), Input::Start));
    replica
}

fn give(replica: &mut Replica<E>, from: MemberIndex, message: Message<E>) -> Step<Replica<E>> {
    let now = replica.now;
    replica.handle(now, Input::Message { from, message })
}

/// Returns an empty block of its view's leader.
fn block(view: u64, parent: Option<&Arc<Block<E>>>, tc: Option<TimeoutCertificate<E>>) -> Arc<Block<E>> {
    let c = committees::<E>(4);
    let content = BlockContent {
        epoch: 0,
        view,
        height: parent.map_or(0, |parent| parent.height) + 1,
        author: (view % 4) as u16,
        parent: parent.map_or(c.genesis(&GENESIS.state_root), |parent| parent.digest()),
        justify: parent.map(|parent| certificate(&c, parent.view, parent.digest().0)),
        tc,
        payload: Vec::new(),
        executed: GENESIS,
        timestamp: 0,
    };
    let bytes = c.proposal(view, content.digest()).signed_bytes(&c.identities.id());
    let signature = E::sign(&secret::<E>(content.author), &bytes);
    Arc::new(Block::new(content, signature))
}

fn timeout(member: MemberIndex, view: u64, high: Option<Certificate<E>>) -> Timeout<E> {
    let c = committees::<E>(4);
    let value = high.as_ref().map_or(0, |qc| qc.statement().view);
    let vote = TimeoutVote::sign_unguarded(&secret::<E>(member), &c.voters, crate::TIMEOUT, view, value);
    Timeout { vote: vote.unwrap(), high, tc: None, ballot: None }
}

#[test]
fn a_restart_restores_the_certificate_behind_its_vote() {
    let c = committees::<E>(4);
    let a = block(1, None, None);
    let b = block(2, Some(&a), None);
    let child = block(3, Some(&b), None);
    let (_, vote) =
        Guard::new(secret::<E>(0), c.voters.chain()).sign(&c.voters, c.ballot(3, child.digest())).unwrap();
    let gave_up = timeout(0, 2, Some(certificate(&c, 1, a.digest().0)));
    let records = [Record::Block(child), Record::VoteGuard(vote), Record::Timeout(Box::new(gave_up))];
    let replica = Replica::new(config(), records).unwrap();
    assert_eq!((replica.status().certified_view, replica.status().view), (2, 3), "its parent is missing");
}

#[test]
fn a_vote_persists_the_blocks_below_it() {
    let mut replica = replica();
    // The view timed out before its block arrived, so there is no vote for the block.
    for member in [1, 2] {
        drop(give(&mut replica, member, Message::Timeout(Box::new(timeout(member, 1, None)))));
    }
    assert!(replica.safety.last_timeout_view() == 1 && replica.status().view == 2);
    let below = block(1, None, None);
    let step = give(&mut replica, 1, Message::Proposal(below.clone()));
    assert!(step.persist.is_empty(), "no vote in a view after its timeout");
    let above = block(2, Some(&below), None);
    let step = give(&mut replica, 2, Message::Proposal(above.clone()));
    let durable: Vec<_> = step
        .persist
        .iter()
        .filter_map(|record| if let Record::Block(block) = record { Some(block.digest()) } else { None })
        .collect();
    assert_eq!(durable, [below.digest(), above.digest()]);
}

/// The key of member 0 in a signer, which signs while the switch is on.
struct Remote(<E as Scheme>::SecretKey, <E as Scheme>::PublicKey, Arc<AtomicBool>);

impl ExternalKey<E> for Remote {
    fn public_key(&self) -> &<E as Scheme>::PublicKey {
        &self.1
    }

    fn sign(
        &mut self,
        committee: &Committee<E>,
        statement: &Statement,
    ) -> quorate::Result<<E as Scheme>::Signature> {
        match self.2.load(Ordering::Relaxed) {
            true => Ok(E::sign(&self.0, &statement.signed_bytes(&committee.id()))),
            false => Err(Error::Exhausted),
        }
    }
}

#[test]
fn without_its_signer_a_member_is_silent_and_continues_with_it() {
    let signs = Arc::new(AtomicBool::new(false));
    let key = secret::<E>(0);
    let public = E::public_key(&key);
    let voting_key = VotingKey::External(Box::new(Remote(key, public, signs.clone())));
    let mut replica = Replica::new(Config { voting_key, ..config() }, []).unwrap();
    drop(replica.handle(Time(0), Input::Start));
    let a = block(1, None, None);
    let step = give(&mut replica, 1, Message::Proposal(a.clone()));
    assert!(step.persist.is_empty() && replica.last_vote.is_none());
    // A third of the members timed out, so this member does, too, once it can sign.
    let is_timeout = |step: &Step<Replica<E>>| {
        step.messages.iter().any(|sent| matches!(sent.message, Message::Timeout(_)))
    };
    let time_out = |replica: &mut Replica<E>, member| {
        give(replica, member, Message::Timeout(Box::new(timeout(member, 1, None))))
    };
    drop(time_out(&mut replica, 1));
    let step = time_out(&mut replica, 2);
    assert!(!is_timeout(&step) && step.persist.is_empty());
    signs.store(true, Ordering::Relaxed);
    let step = time_out(&mut replica, 2);
    assert!(is_timeout(&step) && step.persist.iter().any(|record| matches!(record, Record::VoteGuard(_))));
    assert_eq!((replica.safety.last_timeout_view(), replica.safety.last_voted_view()), (1, 0));
    assert_eq!(replica.status().view, 2);
    drop(give(&mut replica, 2, Message::Proposal(block(2, Some(&a), None))));
    assert!(replica.safety.last_voted_view() == 2 && replica.last_vote.is_some());
}

#[test]
fn a_timeout_certificate_with_an_uncertified_value_is_ignored() {
    let c = committees::<E>(4);
    let mut replica = replica();
    // One false value suffices, since the highest value counts.
    let poisoned = Advance { high: None, tc: Some(timeout_certificate(&c, 1, 9)) };
    drop(give(&mut replica, 3, Message::Advance(Box::new(poisoned.clone()))));
    assert_eq!(replica.status().view, 1);
    let honest = Advance { high: None, tc: Some(timeout_certificate(&c, 1, 0)) };
    drop(give(&mut replica, 2, Message::Advance(Box::new(honest.clone()))));
    assert_eq!(replica.status().view, 2);
    let decoded = |advance: Advance<E>| {
        Message::decode(&quorate::wire::Encode::encode(&Message::Advance(Box::new(advance))), &c)
    };
    assert!(decoded(honest).is_ok() && decoded(poisoned).is_err(), "the shape check refuses it");
}

#[test]
fn a_timeout_without_news_is_not_verified() {
    let c = committees::<E>(4);
    let mut replica = replica();
    let advance = Advance { high: Some(certificate(&c, 5, [5; 32])), tc: None };
    drop(give(&mut replica, 1, Message::Advance(Box::new(advance))));
    assert_eq!(replica.status().view, 6);
    // A different certificate of the certified view. Verifying it would reveal that it belongs to another committee.
    let other = Some(certificate(&committees::<E>(3), 5, [6; 32]));
    let step = give(&mut replica, 2, Message::Timeout(Box::new(timeout(2, 6, other))));
    assert!(step.faults.is_empty());
    // The timeout counts nevertheless: with one more, a third of the members timed out, so this member does, too.
    drop(give(&mut replica, 3, Message::Timeout(Box::new(timeout(3, 6, Some(certificate(&c, 5, [5; 32])))))));
    assert_eq!((replica.status().view, replica.status().timeouts), (7, 1));
}

#[test]
fn a_repeated_batch_is_persisted_before_its_acknowledgement() {
    let mut replica = replica();
    let batch = Arc::new(crate::Batch::new(1, 1, [b"x"]).unwrap());
    for _ in 0..2 {
        let step = give(&mut replica, 1, Message::Batch(batch.clone()));
        assert!(matches!(step.messages[..], [ref sent] if matches!(sent.message, Message::Acknowledge(_))));
        assert_eq!(step.persist, [Record::Batch(batch.clone())]);
    }
}

#[test]
fn an_author_cannot_keep_the_disk_busy_with_one_batch() {
    let mut replica = replica();
    let batch = Arc::new(crate::Batch::new(1, 1, [[7; 996]]).unwrap());
    replica.parameters.repeated_bytes_per_second = 10_000;
    let mut written = |now| {
        let give = |_| {
            let message = Message::Batch(batch.clone());
            replica.handle(now, Input::Message { from: 1, message }).persist.len()
        };
        (0..50).map(give).sum::<usize>()
    };
    assert_eq!(written(Time(0)), 11, "once, and ten repetitions of 1000 bytes");
    assert_eq!(written(Time(500_000)), 5);
}

#[test]
fn a_crash_after_a_repeated_batch_does_not_free_its_number() {
    let inputs =
        [(Time(0), Input::Command(Command::Connected(1))), (Time(1_000_000), Input::Timer(Timer::Retry))];
    for (now, input) in inputs {
        let mut replica = replica();
        let batch = Arc::new(crate::Batch::new(0, 1, [b"x"]).unwrap());
        // The disk is slow: the crash comes before this step's record is durable, so its messages are not sent either.
        drop(replica.handle(Time(0), Input::Command(Command::Seal(batch.clone()))));
        let step = replica.handle(now, input);
        assert!(step.messages.iter().any(|sent| sent.message == Message::Batch(batch.clone())));
        let restarted = Replica::new(config(), step.persist).unwrap();
        assert_eq!(restarted.next_sequence(), 2, "a peer may store the batch in slot 1");
    }
}

#[test]
fn delivery_waits_for_execution_by_bytes() {
    let mut replica = replica();
    replica.parameters.max_unexecuted_bytes = 1000;
    assert!(replica.may_deliver(5000), "one is always delivered");
    (replica.delivered, replica.unexecuted) = (2, VecDeque::from([(1, 600), (2, 300)]));
    assert!(replica.may_deliver(100) && !replica.may_deliver(101));
    let executed = Executed { height: 1, state_root: [1; 32] };
    drop(replica.handle(Time(0), Input::Command(Command::Executed(executed))));
    assert!(replica.may_deliver(700) && !replica.may_deliver(701));
}

#[test]
fn the_search_for_a_superseded_block_ends() {
    let c = committees::<E>(4);
    let mut replica = replica();
    let advance = |qc| Message::Advance(Box::new(Advance { high: Some(qc), tc: None }));
    drop(give(&mut replica, 1, advance(certificate(&c, 1, [9; 32]))));
    assert!(replica.status().catching_up);
    let a = block(1, None, None);
    drop(give(&mut replica, 1, Message::Proposal(a.clone())));
    let b = block(2, Some(&a), None);
    drop(give(&mut replica, 2, Message::Proposal(b.clone())));
    assert!(replica.status().catching_up, "the superseded block is still the highest certified one");
    drop(give(&mut replica, 2, advance(certificate(&c, 2, b.digest().0))));
    assert!(!replica.status().catching_up);
}

/// Returns a replica that may have lost records, and the number of its request.
fn restarted(now: Time) -> (Replica<E>, u64) {
    let config = Config { history: SigningHistory::Unconfirmed, ..config() };
    let mut replica = Replica::new(config, []).unwrap();
    let step = replica.handle(now, Input::Start);
    let nonce = step.messages.iter().find_map(|sent| match sent.message {
        Message::ViewRequest { nonce } => Some(nonce),
        _ => None,
    });
    (replica, nonce.expect("a request"))
}

/// Returns the answer of a member in view `view`.
fn answer(nonce: u64, view: u64) -> Message<E> {
    let tc = (view > 1).then(|| timeout_certificate(&committees::<E>(4), view - 1, 0));
    Message::ViewReply { nonce, advance: Box::new(Advance { high: None, tc }) }
}

#[test]
fn a_member_that_may_have_voted_abstains_until_later_views() {
    let (mut replica, nonce) = restarted(Time(5));
    drop(give(&mut replica, 1, answer(nonce, 7)));
    drop(give(&mut replica, 1, answer(nonce, 7)));
    drop(give(&mut replica, 2, answer(nonce + 1, 9)));
    assert_eq!(replica.status().abstention.unwrap().until, None, "one answer, and one to another start");
    drop(give(&mut replica, 2, answer(nonce, 8)));
    assert_eq!(replica.status().abstention, Some(Abstention { until: Some(10), is_stale: false }));
    let advance = |view: u64| {
        let tc = Some(timeout_certificate(&committees::<E>(4), view - 1, 0));
        Message::Advance(Box::new(Advance { high: None, tc }))
    };
    drop(give(&mut replica, 3, advance(10)));
    for member in [1, 2] {
        let mut timeout = timeout(member, 10, None);
        timeout.tc = Some(timeout_certificate(&committees::<E>(4), 9, 0));
        let step = give(&mut replica, member, Message::Timeout(Box::new(timeout)));
        assert!(step.persist.is_empty(), "the other members proceed without it");
    }
    assert!(replica.status().abstention.is_some());
    drop(give(&mut replica, 3, advance(11)));
    assert_eq!(replica.status().abstention, None);
    for member in [1, 2] {
        let mut timeout = timeout(member, 11, None);
        timeout.tc = Some(timeout_certificate(&committees::<E>(4), 10, 0));
        drop(give(&mut replica, member, Message::Timeout(Box::new(timeout))));
    }
    assert_eq!(replica.safety.last_timeout_view(), 11);
}

#[test]
fn members_that_start_together_help_each_other_by_timeouts() {
    let (mut replica, nonce) = restarted(Time(5));
    let answered = give(&mut replica, 1, Message::ViewRequest { nonce: 3 });
    assert!(answered.messages.iter().any(|m| matches!(m.message, Message::ViewReply { nonce: 3, .. })));
    // A timeout before the answers is not signed.
    replica.resume_timeouts();
    assert_eq!(replica.status().abstention.unwrap().until, None);
    drop(give(&mut replica, 1, answer(nonce, 1)));
    drop(give(&mut replica, 2, answer(nonce, 1)));
    drop(give(&mut replica, 1, Message::Proposal(block(1, None, None))));
    assert_eq!((replica.safety.last_voted_view(), replica.safety.last_timeout_view()), (0, 0));
    let mut step = Step::new();
    replica.time_out(&mut step);
    assert_eq!((replica.safety.last_voted_view(), replica.safety.last_timeout_view()), (0, 1));
    assert!(!step.persist.is_empty());
}

#[test]
fn a_counter_ahead_prevents_an_early_end_of_abstention() {
    let c = committees::<E>(4);
    let mut counter = Counter(0);
    let mut guard = Guard::new(secret::<E>(0), c.voters.chain());
    let (_, record) = guard.sign(&c.voters, c.ballot(4, BlockDigest([1; 32]))).unwrap();
    counter.advance(record.mark()).unwrap();
    let floor = Floor::read(&mut counter).unwrap();
    let history = SigningHistory::Counted { votes: floor, proposals: Floor::read(&mut Counter(0)).unwrap() };
    let current = Replica::new(Config { history, ..config() }, [Record::VoteGuard(record)]).unwrap();
    assert_eq!(current.status().abstention, None, "nothing is missing");
    let mut stale = Replica::new(Config { history, ..config() }, []).unwrap();
    drop(stale.handle(Time(5), Input::Start));
    [1, 2].into_iter().for_each(|member| drop(give(&mut stale, member, answer(5, 1))));
    assert_eq!(stale.status().abstention, Some(Abstention { until: Some(4), is_stale: true }));
    stale.time_out(&mut Step::new());
    assert_eq!(stale.safety.last_timeout_view(), 0);
}

struct Counter(u64);

impl MonotonicCounter for Counter {
    type Error = core::convert::Infallible;

    fn read(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0)
    }

    fn advance(&mut self, value: u64) -> Result<(), Self::Error> {
        self.0 = self.0.max(value);
        Ok(())
    }
}

#[test]
fn votes_of_old_views_are_dropped() {
    let c = committees::<E>(4);
    let mut replica = replica();
    for view in 1..=200 {
        let vote = Vote::sign_unguarded(&secret::<E>(1), &c.voters, c.ballot(view, BlockDigest([1; 32])));
        drop(give(&mut replica, 1, Message::Vote(vote.unwrap())));
        let advance = Advance { high: None, tc: Some(timeout_certificate(&c, view, 0)) };
        drop(give(&mut replica, 2, Message::Advance(Box::new(advance))));
    }
    assert_eq!((replica.status().view, replica.votes.len()), (201, VIEW_WINDOW));
}

/// Returns a replica that searches for the certified block `target` and has asked member 1 for it.
fn searching(target: &Arc<Block<E>>) -> Replica<E> {
    let c = committees::<E>(4);
    let mut replica = replica();
    let high = Some(certificate(&c, target.view, target.digest().0));
    let advance = Message::Advance(Box::new(Advance { high, tc: None }));
    let step = give(&mut replica, 1, advance);
    let asks = |m: &quorate::machine::Outgoing<Message<E>>| matches!(m.message, Message::BlockRequest { .. });
    assert_eq!(step.messages.iter().filter(|sent| asks(sent)).count(), 1);
    replica
}

#[test]
fn a_late_response_of_an_asked_peer_is_accepted() {
    let a = block(1, None, None);
    let b = block(2, Some(&a), None);
    let mut replica = searching(&b);
    // Member 1 is slow, so another member is asked.
    drop(replica.handle(Time(1_000_000), Input::Timer(Timer::Retry)));
    drop(give(&mut replica, 3, Message::Blocks(vec![a.clone(), b.clone()])));
    assert!(replica.status().catching_up, "member 3 was not asked");
    drop(give(&mut replica, 1, Message::Blocks(vec![a, b])));
    assert!(!replica.status().catching_up);
}

#[test]
fn a_block_of_a_range_needs_its_authors_signature() {
    let a = block(1, None, None);
    let b = block(2, Some(&a), None);
    let mut replica = searching(&b);
    let stripped = Block::new((**b).clone(), E::sign(&secret::<E>(3), b"another"));
    assert_eq!(stripped.digest(), b.digest());
    let step = give(&mut replica, 1, Message::Blocks(vec![a.clone(), Arc::new(stripped)]));
    assert_eq!(step.faults.iter().map(|fault| fault.culprit).collect::<Vec<_>>(), [1]);
    assert!(replica.status().catching_up);
}
