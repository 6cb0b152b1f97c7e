//! Members that forge, contradict themselves, keep back, and send wrong shares.

use quorate::bls::MinSig;
use quorate::scheme::Scheme;

use super::*;

/// Member 3 proposes two values to all members.
fn two_faced(keys: &Keys<Ed25519List>, seed: u64, checks: Checks) -> Verdict {
    let brains = [Checks::default(); 2];
    let mut network = network(keys, seed, (seed, schedules(seed, 4)), checks, &brains);
    propose(&mut network);
    network.command(3, 0, Command::Propose(value(3)));
    network.command(3, 1, Command::Propose(value(30)));
    run(&mut network).map(drop)
}

#[test]
fn two_two_faced_members_do_not_divide_the_other_five() {
    let keys = Keys::<Ed25519List>::deal(7, 2);
    for seed in seeds(4) {
        let brains = [Checks::default(); 2];
        let mut network = network(&keys, seed, (seed, schedules(seed, 7)), Checks::default(), &brains);
        propose(&mut network);
        for member in [5, 6] {
            network.command(member, 0, Command::Propose(value(member)));
            network.command(member, 1, Command::Propose(value(10 * member)));
        }
        run(&mut network).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// Member 3 proposes a value that is not valid.
fn invalid_value(keys: &Keys<Ed25519List>, seed: u64, checks: Checks) -> Verdict {
    let brains = [Checks::without(Check::MvbaValidity)];
    let mut network = network(keys, seed, (seed, schedules(seed, 4)), checks, &brains);
    propose(&mut network);
    network.command(3, 0, Command::Propose(b"not valid".to_vec()));
    run(&mut network).map(drop)
}

/// Member 3 sends forged certificates, reports and decisions. Returns whether it was named.
fn forgery(keys: &Keys<Ed25519List>, seed: u64, checks: Checks, forge: Forge) -> Result<bool, String> {
    let mut network = network(keys, seed, (seed, schedules(seed, 4)), checks, &[]);
    propose(&mut network);
    let view = 1;
    for to in 0..3 {
        let messages = match forge {
            Forge::Stage => {
                let promote = Message::Promote { view, value: value(3), key: None };
                let advance = |stage| Message::Advance { view, stage, signature: forged() };
                vec![promote, advance(Stage::LAST), advance(Stage::LOCK)]
            }
            Forge::Report => {
                let held = Held { value: b"forged".to_vec(), stage: Stage::COMMIT, signature: forged() };
                vec![Message::Report { view, held: Some(held) }]
            }
            Forge::Decide => {
                let coin = Coin::from_name(
                    &keys.setup.coin,
                    CoinName { protocol: COIN_PROTOCOL, epoch: seed, instance: 0, round: 1 },
                );
                let share = |member: usize| {
                    let (coin, mut rng) = (coin.as_ref().unwrap(), StdRng::seed_from_u64(0));
                    keys.secrets[member].coin.coin_share(coin, &mut rng).unwrap()
                };
                let shares = vec![share(2), share(3)];
                vec![Message::Decide { view, value: b"forged".to_vec(), signature: forged(), shares }]
            }
            Forge::Done => {
                vec![Message::Done { view, digest: digest(&value(3)), signature: forged() }]
            }
        };
        messages.iter().for_each(|message| network.inject(3, to, message));
    }
    run(&mut network)?;
    // Member 3 completes no promotion, so a correct member sends Skip when it knows those of the three others.
    let log = network.log.iter().filter(|(from, _, _)| *from != 3);
    let before = log.take_while(|(_, _, bytes)| header(bytes) != (SKIP, 1));
    let done = before.filter(|(_, _, bytes)| header(bytes) == (DONE, 1)).map(|(from, _, _)| *from);
    let completed = done.collect::<BTreeSet<_>>().len();
    ensure(completed == 3, || format!("Skip after {completed} complete promotions"))?;
    Ok(network.is_named(3, |what| matches!(what, Violation::Invalid { .. })))
}

#[derive(Clone, Copy)]
enum Forge {
    Stage,
    Report,
    Decide,
    Done,
}

#[test]
fn byzantine_proposers_do_not_stop_or_divide_the_others() {
    let keys = Keys::deal(4, 1);
    let forgeries = [Forge::Stage, Forge::Report, Forge::Decide, Forge::Done];
    let mut named = [false; 4];
    for seed in seeds(60) {
        two_faced(&keys, seed, Checks::default()).unwrap();
        invalid_value(&keys, seed, Checks::default()).unwrap();
        for (named, forge) in named.iter_mut().zip(forgeries) {
            // Forged messages of a view that the others have left are not examined.
            *named |= forgery(&keys, seed, Checks::default(), forge).unwrap();
        }
    }
    assert_eq!(named, [true; 4]);
}

/// One member decides in view 1, whose leader is member 0, and the others do not learn it: member 0 alone has its
/// commit, member 1 its lock, and member 2 only its value. In view 2, whose leader is member 3, that member promotes
/// another value as `second` says. Returns whether the schedule made member 0 decide alone.
fn decided_by_one(
    keys: &Keys<Ed25519List>,
    seed: u64,
    checks: Checks,
    second: Second,
) -> Result<bool, String> {
    let epoch = epoch_with_leaders(keys, &[0, 3]);
    let hold = |from: MemberIndex, to: MemberIndex, bytes: &[u8]| {
        let (tag, view) = header(bytes);
        let stage = bytes[5];
        let hidden = from == 0 && tag == ADVANCE && (stage == 4 || to == 2);
        (hidden && view == 1)
            || (from == 0 && [REPORT, DECIDE].contains(&tag))
            || (from == 0 && view > 1)
            || (from == 1 && to == 2 && tag == REPORT && view == 1)
    };
    // Nearly equal delays, so that all promotions progress together.
    let schedule = Schedule::new(move |from, to, bytes, sequence, rng| {
        (u64::from(hold(from, to, bytes)), sequence + rng.random_range(0..8))
    });
    // Member 3 keeps its own value in view 2.
    let byzantine = [Checks::without(Check::MvbaAdopt)];
    let mut network =
        network(keys, epoch, (seed, schedule), checks, &byzantine).with_tamper(move |_, _, _, message| {
            match message {
                Message::Promote { view: 2, value, .. } => {
                    let certificate = Certificate { view: 1, stage: Stage::LOCK, signature: forged() };
                    let key = (second == Second::ForgedKey).then_some(certificate);
                    vec![Message::Promote { view: 2, value, key }]
                }
                // It denies what it knows of the leader's promotion.
                Message::Report { view: 1, .. } => vec![Message::Report { view: 1, held: None }],
                message => vec![message],
            }
        });
    propose(&mut network);
    network.command(3, 0, Command::Propose(value(3)));
    run(&mut network)?;
    let views: Vec<View> = network
        .correct()
        .map(|(_, node)| match node.outputs[0] {
            Output::Decided { view, .. } => view,
            _ => 0,
        })
        .collect();
    Ok(views[0] == 1 && network.nodes[1].depths[0] > network.nodes[0].depths[0])
}

#[derive(Clone, Copy, PartialEq)]
enum Second {
    ForgedKey,
    NoKey,
}

#[test]
fn later_views_keep_a_decision_that_one_member_made() {
    let keys = Keys::deal(4, 1);
    let mut alone = 0;
    for seed in seeds(40) {
        for second in [Second::ForgedKey, Second::NoKey] {
            let decided = decided_by_one(&keys, seed, Checks::default(), second);
            alone += usize::from(decided.unwrap_or_else(|error| panic!("seed {seed}: {error}")));
        }
    }
    assert!(alone >= 8, "the schedule made member 0 decide alone in {alone} runs");
}

/// Member 3, the leader of view 1, promotes its value only when the others have reported that they have nothing of it.
/// Its promotion must not complete any more, because the others go on to decide another value.
fn late_promotion(keys: &Keys<Ed25519List>, seed: u64, checks: Checks) -> Verdict {
    let epoch = epoch_with_leaders(keys, &[3]);
    let held = |_, _: MemberIndex, bytes: &[u8]| header(bytes).0 == REPORT;
    let mut network = network(keys, epoch, (seed, Schedule::hold(held)), checks, &[]);
    propose(&mut network);
    let reports = |network: &Network<Machine4>| {
        network.log.iter().filter(|(_, _, bytes)| header(bytes) == (REPORT, 1)).count()
    };
    network.run_until(|network| reports(network) == 9);
    let (mut stage, mut signature) = (Stage::KEY, None);
    let promoted = value(3);
    let signature = loop {
        let message = match signature.take() {
            None => Message::Promote { view: 1, value: promoted.clone(), key: None },
            Some(signature) => Message::Advance { view: 1, stage, signature },
        };
        (0..3).for_each(|to| network.inject(3, to, &message));
        // The three messages, and nothing else, are in flight before the reports.
        (0..3).for_each(|_| assert!(network.deliver_one()));
        let committee = &keys.setup.committee;
        let statement = promotion_statement(committee, epoch, 1, 3, stage, &digest(&promoted));
        let votes = network.log.iter().filter(|(_, to, _)| *to == 3).filter_map(|(from, _, bytes)| {
            match Message::<Ed25519List>::decode(bytes, &Limits { value: MAX_VALUE, coin_shares: 2 }) {
                Ok(Message::Vote { stage: voted, share, .. }) if voted == stage => Some((*from, share)),
                _ => None,
            }
        });
        let mut combiner =
            quorate::threshold::Combiner::new(Ed25519List::signing(&keys.setup.unagreed, &statement));
        let mut cache = Cache::default();
        for (from, share) in votes.chain([(3, sign(keys, 3, &statement))]) {
            let _ = combiner.add(&mut cache, from, share).unwrap();
        }
        match (combiner.signature(), stage) {
            (None, _) => break None,
            (Some(commit), Stage::COMMIT) => break Some(commit.clone()),
            (Some(certificate), _) => signature = Some(certificate.clone()),
        }
        stage = stage.next().unwrap();
    };
    if let Some(signature) = signature {
        let name = CoinName { protocol: COIN_PROTOCOL, epoch, instance: 0, round: 1 };
        let coin = Coin::from_name(&keys.setup.coin, name).unwrap();
        let mut rng = StdRng::seed_from_u64(0);
        let shares = [2, 3].map(|i: usize| keys.secrets[i].coin.coin_share(&coin, &mut rng).unwrap());
        let decide = Message::Decide { view: 1, value: promoted.clone(), signature, shares: shares.to_vec() };
        // The others have decided when it arrives at the last member.
        network.inject(3, 0, &decide);
    }
    run(&mut network).map(drop)?;
    let before = matches!(&network.nodes[1].outputs[0], Output::Decided { view, .. } if *view > 1);
    ensure(before, || "a promotion was completed after the reports".into())
}

#[test]
fn a_promotion_does_not_complete_after_the_reports() {
    let keys = Keys::deal(4, 1);
    for seed in seeds(40) {
        late_promotion(&keys, seed, Checks::default()).unwrap();
    }
}

/// Member 3 sends a coin share with a forged skip certificate: its own share, too early, or a wrong share that names
/// member 0.
fn early_coin(keys: &Keys<Ed25519List>, seed: u64, checks: Checks, names_other: bool) -> Verdict {
    let mut network = network(keys, seed, (seed, schedules(seed, 4)), checks, &[]);
    let round = if names_other { 2 } else { 1 };
    let name = CoinName { protocol: COIN_PROTOCOL, epoch: seed, instance: 0, round };
    let coin = Coin::from_name(&keys.setup.coin, name).unwrap();
    let mut rng = StdRng::seed_from_u64(0);
    let mut bytes = keys.secrets[3].coin.coin_share(&coin, &mut rng).unwrap().encode();
    if names_other {
        bytes[..2].fill(0);
    }
    let share = Box::new(Decode::decode(&bytes, &()).unwrap());
    let elect = Message::Elect { view: 1, skip: forged(), share };
    propose(&mut network);
    if names_other {
        // The others examine it only while they wait for shares.
        network.run_until(|network| network.log.iter().any(|(_, _, bytes)| header(bytes) == (ELECT, 1)));
    }
    (0..3).for_each(|to| network.inject(3, to, &elect));
    run(&mut network)?;
    // No correct member releases its share before one knows N − f complete promotions.
    let first = |tag| network.log.iter().position(|(from, _, bytes)| *from != 3 && header(bytes) == (tag, 1));
    ensure(first(SKIP).is_some_and(|skip| Some(skip) < first(ELECT)), || {
        "a coin share precedes the completion".into()
    })
}

/// Member 3 takes part, but its coin shares arrive after all other messages, or never.
fn withheld_coin(keys: &Keys<Ed25519List>, seed: u64, checks: Checks, arrives: bool) -> Verdict {
    let schedule = match arrives {
        true => Schedule::hold(|from, _, bytes| from == 3 && header(bytes).0 == ELECT),
        false => schedules(seed, 4),
    };
    let is_sent = move |message: &Message<Ed25519List>| arrives || !matches!(message, Message::Elect { .. });
    let mut network = network(keys, seed, (seed, schedule), checks, &[Checks::default()])
        .with_tamper(move |_, _, _, message| Some(message).into_iter().filter(is_sent).collect());
    propose(&mut network);
    network.command(3, 0, Command::Propose(value(3)));
    run(&mut network).map(drop)
}

#[test]
fn late_and_missing_coin_shares_do_not_stop_the_others() {
    let keys = Keys::deal(4, 1);
    for seed in seeds(35) {
        withheld_coin(&keys, seed, Checks::default(), true).unwrap();
        withheld_coin(&keys, seed, Checks::default(), false).unwrap();
    }
}

/// Member 3 takes part with a wrong share of each kind.
fn wrong_shares(keys: &Keys<Ed25519List>, seed: u64) -> [bool; 3] {
    let mut network =
        network(keys, seed, (seed, schedules(seed, 4)), Checks::default(), &[Checks::default()]);
    let wrong_vote = sign(keys, 3, b"another statement");
    let name = CoinName { protocol: COIN_PROTOCOL, epoch: seed, instance: 0, round: 99 };
    let coin = Coin::from_name(&keys.setup.coin, name).unwrap();
    let wrong_coin = keys.secrets[3].coin.coin_share(&coin, &mut StdRng::seed_from_u64(0)).unwrap();
    network = network.with_tamper(move |_, _, _, message| {
        let share = wrong_vote.clone();
        vec![match message {
            Message::Vote { view, stage, .. } => Message::Vote { view, stage, share },
            Message::Skip { view, .. } => Message::Skip { view, share },
            Message::Elect { view, skip, .. } => Message::Elect { view, skip, share: Box::new(wrong_coin) },
            message => message,
        }]
    });
    propose(&mut network);
    run(&mut network).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    ["vote", "skip certificate", "coin"].map(|kind| {
        network.is_named(3, |what| matches!(what, Violation::WrongShare { what, .. } if *what == kind))
    })
}

#[test]
fn a_forged_certificate_among_those_of_bls_is_named() {
    let keys = Keys::<Bls>::deal(4, 1);
    let secret = MinSig::generate(&mut StdRng::seed_from_u64(0)).unwrap();
    let done = Message::Done { view: 1, digest: digest(&value(3)), signature: MinSig::sign(&secret, b"") };
    let mut is_named = false;
    for seed in 0..3 {
        let mut network = network(&keys, seed, (seed, schedules(seed, 4)), Checks::default(), &[]);
        propose(&mut network);
        (0..3).for_each(|to| network.inject(3, to, &done));
        run(&mut network).unwrap();
        is_named |= network.is_named(3, |what| matches!(what, Violation::Invalid { what: "Done", .. }));
    }
    assert!(is_named);
}

#[test]
fn early_and_wrong_shares_are_named_and_do_not_stop_the_others() {
    let keys = Keys::deal(4, 1);
    let mut named = [false; 3];
    for seed in seeds(50) {
        early_coin(&keys, seed, Checks::default(), false).unwrap();
        early_coin(&keys, seed, Checks::default(), true).unwrap();
        let now = wrong_shares(&keys, seed);
        named.iter_mut().zip(now).for_each(|(named, now)| *named |= now);
    }
    assert_eq!(named, [true; 3], "votes, skip shares, coin shares");
}

#[test]
fn each_omitted_check_is_noticed() {
    let keys = Keys::deal(4, 1);
    assert_noticed(Check::MvbaOneValue, |seed, checks| two_faced(&keys, seed, checks));
    assert_noticed(Check::MvbaValidity, |seed, checks| invalid_value(&keys, seed, checks));
    assert_noticed(Check::MvbaStep, |seed, checks| forgery(&keys, seed, checks, Forge::Stage));
    assert_noticed(Check::MvbaReport, |seed, checks| forgery(&keys, seed, checks, Forge::Report));
    assert_noticed(Check::MvbaDecision, |seed, checks| forgery(&keys, seed, checks, Forge::Decide));
    assert_noticed(Check::MvbaDone, |seed, checks| forgery(&keys, seed, checks, Forge::Done));
    assert_noticed(Check::MvbaCoinSender, |seed, checks| early_coin(&keys, seed, checks, true));
    assert_noticed(Check::MvbaCoinShares, |seed, checks| withheld_coin(&keys, seed, checks, false));
    assert_noticed(Check::MvbaSkip, |seed, checks| early_coin(&keys, seed, checks, false));
    assert_noticed(Check::MvbaKey, |seed, checks| decided_by_one(&keys, seed, checks, Second::ForgedKey));
    assert_noticed(Check::MvbaLock, |seed, checks| decided_by_one(&keys, seed, checks, Second::NoKey));
    assert_noticed(Check::MvbaAdopt, |seed, checks| decided_by_one(&keys, seed, checks, Second::NoKey));
    assert_noticed(Check::MvbaReports, |seed, checks| decided_by_one(&keys, seed, checks, Second::NoKey));
    assert_noticed(Check::MvbaAbandon, |seed, checks| late_promotion(&keys, seed, checks));
}
