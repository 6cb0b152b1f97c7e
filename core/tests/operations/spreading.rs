//! Vector operations of gossip: sessions of a pool, of peers, and of one member.

use std::sync::Arc;

use quorate::Result;
use quorate::certificate::Certificate;
use quorate::committee::{Committee, Verified};
use quorate::gossip::{Additive, Aggregate, Checked, Gossip, Parameters, Peers, Pool, Received};
use quorate::machine::{MemberIndex, Time};
use quorate::wire::Encode;
use serde_json::{Value, json};

use super::aggregates::{decoded, verified};
use super::certificates::statement;
use super::committees::{committee, indices};
use super::fields::{number, small};

pub(crate) fn run<S: Additive>(operation: &str, input: &Value) -> Result<Value> {
    let committee = Arc::new(committee::<S>(&input["committee"])?);
    match operation {
        "pool.session" => pool(&committee, input),
        "gossip.session" => gossip(&committee, input),
        _ => panic!("no operation {operation}"),
    }
}

/// Peers have no suite.
pub(crate) fn peers(input: &Value) -> Value {
    let mut peers = Peers::new(small(&input["me"]), small(&input["members"]), parameters(input));
    let outcomes: Vec<Value> = list(input, "steps").iter().map(|step| peers_step(&mut peers, step)).collect();
    json!({ "outcomes": outcomes })
}

fn pool<S: Additive>(committee: &Arc<Committee<S>>, input: &Value) -> Result<Value> {
    let (me, statement) = (small(&input["me"]), statement(&input["statement"]));
    let mut pool = Pool::new(committee.clone(), me, statement, parameters(input));
    let mut outcomes = Vec::new();
    for data in list(input, "aggregates") {
        let aggregate = verified(data, committee)?;
        let wanted = pool.wants(&aggregate);
        let inserted = pool.insert(aggregate);
        assert_eq!(wanted, inserted, "a wanted aggregate is inserted");
        let best = pool.best().map(|best| hex::encode(best.encode()));
        outcomes.push(json!({ "result": shown(inserted), "signers": indices(pool.signers()), "best": best }));
    }
    let kept: Vec<String> = pool.aggregates().map(|one| hex::encode(one.encode())).collect();
    for one in pool.best().into_iter().chain(pool.aggregates()) {
        one.check(committee).expect("sums of what was verified");
    }
    Ok(json!({ "outcomes": outcomes, "aggregates": kept, "certificate": certificate(pool.certificate()) }))
}

fn gossip<S: Additive>(committee: &Arc<Committee<S>>, input: &Value) -> Result<Value> {
    let me = small(&input["me"]);
    let made = |of| Gossip::new(committee.clone(), me, statement(of), parameters(input));
    let mut gossips = list(input, "statements").iter().map(made).collect::<Result<Vec<_>>>()?;
    let mut peers = Peers::new(me, committee.len(), parameters(input));
    let mut outcomes = Vec::new();
    for step in list(input, "steps") {
        let gossip = &mut gossips[step.get("statement").map_or(0, small)];
        let data = step.get("aggregate").map(|place| &list(input, "aggregates")[small::<usize>(place)]);
        let result = match (step["do"].as_str().unwrap(), data) {
            ("adopt", Some(data)) => shown(gossip.adopt(verified(data, committee)?)),
            ("receive", Some(data)) => {
                let aggregate: Aggregate<S> = decoded(data, committee)?;
                received(gossip.receive(small(&step["peer"]), aggregate, time(step), &mut peers))
            }
            ("check", _) => checked(gossip.check(time(step), None, &mut peers)),
            ("next", _) => {
                let draw = step.get("draw").map_or(0, number);
                let sent = |(to, aggregate): (MemberIndex, Aggregate<S>)| json!({ "to": to, "aggregate": hex::encode(aggregate.encode()) });
                json!(gossip.next(time(step), draw, &mut peers).map(sent))
            }
            ("offer", _) => {
                json!(gossip.offer(small(&step["peer"])).map(|aggregate| hex::encode(aggregate.encode())))
            }
            _ => peers_step(&mut peers, step),
        };
        let (signers, waiting) = (indices(gossip.signers()), gossip.waiting());
        outcomes.push(json!({ "result": result, "signers": signers, "waiting": waiting }));
    }
    for certificate in gossips.iter().filter_map(Gossip::certificate) {
        certificate.check(committee).expect("a certificate of verified sums");
    }
    let certificates: Vec<_> = gossips.iter().map(|gossip| certificate(gossip.certificate())).collect();
    Ok(json!({ "outcomes": outcomes, "certificates": certificates }))
}

/// Runs a step that concerns only `Peers`.
fn peers_step(peers: &mut Peers, step: &Value) -> Value {
    let now = time(step);
    let peer: MemberIndex = step.get("peer").map_or(0, small);
    match step["do"].as_str().unwrap() {
        "is_available" => return shown(Ok(peers.is_available(peer, now))),
        "is_refused" => return shown(Ok(peers.is_refused(peer, now))),
        "has_room" => return shown(Ok(peers.has_room(now))),
        "next_free" => return json!(peers.next_free().map(|Time(at)| at.to_string())),
        "begin" => peers.begin(peer, now),
        "left" => peers.left(peer),
        "sent" => peers.sent(peer),
        "heard" => peers.heard(peer),
        "failed" => peers.failed(peer, now),
        "accuse" => peers.accuse(peer, now),
        step => panic!("no step {step}"),
    }
    Value::Null
}

fn shown(found: Result<bool>) -> Value {
    match found {
        Ok(true) => json!("yes"),
        Ok(false) => json!("no"),
        Err(error) => json!(error.code()),
    }
}

fn received(received: Received) -> Value {
    json!(match received {
        Received::Waiting => "waiting",
        Received::NothingNew => "nothing-new",
        Received::Complete => "complete",
        Received::Refused => "refused",
        Received::Invalid(error) => error.code(),
    })
}

fn checked(checked: Checked) -> Value {
    let fault = |fault: &quorate::machine::Fault<quorate::Error>| json!({ "culprit": fault.culprit, "code": fault.evidence.code() });
    json!({
        "aggregates": checked.aggregates,
        "signers": checked.signers,
        "grew": shown(Ok(checked.grew)),
        "faults": checked.faults.iter().map(fault).collect::<Vec<_>>(),
    })
}

fn certificate<S: Additive>(certificate: Option<&Verified<Certificate<S>>>) -> Option<String> {
    certificate.map(|certificate| hex::encode(certificate.encode()))
}

fn parameters(input: &Value) -> Parameters {
    let (given, usual) = (&input["parameters"], Parameters::default());
    Parameters {
        limit: given.get("limit").map_or(usual.limit, small),
        preferred: given.get("preferred").map_or(usual.preferred, small),
        batch: given.get("batch").map_or(usual.batch, small),
        fan_out: given.get("fan_out").map_or(usual.fan_out, small),
        ..usual
    }
}

fn time(step: &Value) -> Time {
    Time(step.get("now").map_or(0, number))
}

fn list<'a>(input: &'a Value, name: &str) -> &'a [Value] {
    input[name].as_array().unwrap()
}
