//! The keys of a setup, and the operations of one member.

use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::committee::CommitteeId;
use quorate::ed25519::Ed25519;
use quorate::erasure::{Coding, Shape};
use quorate::machine::{Input, Machine, MemberIndex, Recipient, Time};
use quorate::scheme::Scheme;
use quorate::threshold::coin::{Coin, CoinName, CoinShare};
use quorate::threshold::lagrange::Cache;
use quorate::threshold::{Agreement, Tolerance, bls, coin, tdh2};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use quorate_abft::epoch::{self, Encryption, Epoch};
use quorate_abft::mvba::{self, Stage};
use quorate_abft::signatures::{Bls, Ed25519List, ListKey, ListKeyShare, ShareCollector, ThresholdScheme};
use quorate_abft::{Context, Secrets, Setup, acs, prbc};
use serde_json::{Value, json};

use crate::messages;
use crate::vectors::{array, bytes, decode, number};

/// A signature scheme whose keys the file has.
pub(crate) trait FileScheme: ThresholdScheme {
    fn public_keys(setup: &Value, kind: Agreement) -> Arc<Self::GroupKey>;
    fn key_share(key: &Arc<Self::GroupKey>, setup: &Value, member: usize, kind: Agreement) -> Self::KeyShare;
}

pub(crate) fn name_of(kind: Agreement) -> &'static str {
    match kind {
        Agreement::Agreed => "agreed",
        Agreement::Unagreed => "unagreed",
    }
}

impl FileScheme for Ed25519List {
    fn public_keys(setup: &Value, kind: Agreement) -> Arc<ListKey> {
        let keys = setup[name_of(kind)].as_array().unwrap().iter();
        let keys = keys.map(|key| Decode::decode(&bytes(key), &()).unwrap()).collect();
        Arc::new(ListKey::new(CommitteeId(array(&setup["committee"])), tolerance(setup), kind, keys).unwrap())
    }

    fn key_share(key: &Arc<ListKey>, setup: &Value, member: usize, kind: Agreement) -> ListKeyShare {
        let secret = Ed25519::secret_from_bytes(&bytes(&setup["secrets"][member][name_of(kind)])).unwrap();
        ListKeyShare::new(key.clone(), member as MemberIndex, secret).unwrap()
    }
}

impl FileScheme for Bls {
    fn public_keys(setup: &Value, kind: Agreement) -> Arc<Self::GroupKey> {
        Arc::new(decode(&bytes(&setup[name_of(kind)]), &()).unwrap())
    }

    fn key_share(_: &Arc<Self::GroupKey>, setup: &Value, member: usize, kind: Agreement) -> Self::KeyShare {
        bls::KeyShare::<MinSig>::from_bytes(&bytes(&setup["secrets"][member][name_of(kind)])).unwrap()
    }
}

pub(crate) fn tolerance(setup: &Value) -> Tolerance {
    Tolerance::new(small(&setup["members"]), small(&setup["faulty"])).unwrap()
}

pub(crate) fn small<T: TryFrom<u64, Error: std::fmt::Debug>>(value: &Value) -> T {
    value.as_u64().expect("a number").try_into().unwrap()
}

pub(crate) fn list(value: &Value) -> Vec<Vec<u8>> {
    value.as_array().expect("a list").iter().map(bytes).collect()
}

/// A setup of the file.
pub(crate) struct World<'a, S: FileScheme> {
    entry: &'a Value,
    setup: Arc<Setup<S>>,
}

impl<'a, S: FileScheme> World<'a, S> {
    pub(crate) fn new(entry: &'a Value) -> Self {
        let tolerance = tolerance(entry);
        let shape = Shape::for_committee(tolerance.parties(), tolerance.faulty()).unwrap();
        let code = decode(&bytes(&entry["code"]), &()).unwrap();
        let setup = Setup {
            committee: CommitteeId(array(&entry["committee"])),
            tolerance,
            coding: Coding::new(code, shape, small(&entry["max_message"])).unwrap(),
            agreed: S::public_keys(entry, Agreement::Agreed),
            unagreed: S::public_keys(entry, Agreement::Unagreed),
            coin: Arc::new(decode::<(), coin::PublicKeys>(&bytes(&entry["coin"]), &()).unwrap()),
        };
        Self { entry, setup: Arc::new(setup) }
    }

    fn key(&self, input: &Value) -> (Agreement, &Arc<S::GroupKey>) {
        match input["key"].as_str().unwrap() {
            "agreed" => (Agreement::Agreed, &self.setup.agreed),
            _ => (Agreement::Unagreed, &self.setup.unagreed),
        }
    }

    fn context(&self, member: usize, epoch: u64) -> Context<S> {
        let share = |key, kind| S::key_share(key, self.entry, member, kind);
        let secrets = Secrets {
            agreed: share(&self.setup.agreed, Agreement::Agreed),
            unagreed: share(&self.setup.unagreed, Agreement::Unagreed),
            coin: coin::KeyShare::from_bytes(&bytes(&self.entry["secrets"][member]["coin"])).unwrap(),
        };
        Context { setup: self.setup.clone(), secrets: Arc::new(secrets), epoch }
    }

    fn encryption(&self, member: usize) -> Encryption {
        let public: tdh2::PublicKeys = decode(&bytes(&self.entry["encryption"]), &()).unwrap();
        let share = &self.entry["secrets"][member]["encryption"];
        Encryption {
            key: Arc::new(tdh2::EncryptionKey::from_public_keys(&public)),
            public: Arc::new(public),
            share: Arc::new(tdh2::KeyShare::from_bytes(&bytes(share)).unwrap()),
        }
    }

    pub(crate) fn limits(&self) -> acs::Limits {
        let coin_shares = usize::from(self.setup.tolerance.faulty()) + 1;
        acs::Limits {
            members: self.setup.members(),
            coding: self.setup.coding,
            agreement: mvba::Limits { value: small(&self.entry["max_value"]), coin_shares },
        }
    }

    pub(crate) fn run(&self, operation: &str, input: &Value) -> Result<Value> {
        Ok(match operation {
            "abft.sign" => {
                let (kind, key) = self.key(input);
                let share = S::key_share(key, self.entry, small(&input["member"]), kind);
                json!({ "share": hex::encode(S::sign(&share, &bytes(&input["statement"])).encode()) })
            }
            "abft.verify" => {
                let (_, key) = self.key(input);
                let signature: S::Signature = decode(&bytes(&input["signature"]), &())?;
                S::verify(key, &bytes(&input["statement"]), &signature)?;
                Value::Null
            }
            "abft.collect" => self.collect(input),
            "abft.leader" => json!({ "leader": self.leader(input)? }),
            "abft.message" => json!({ "message": self.message(input)? }),
            "abft.proof" => {
                let proof: prbc::Proof<S> = decode(&bytes(&input["proof"]), &())?;
                proof.verify(&self.setup, number(&input["epoch"]))?;
                json!({ "sender": proof.sender, "id": hex::encode(proof.id) })
            }
            "abft.vote" => json!({ "vote": self.vote(input) }),
            "abft.epoch" => self.epoch(input),
            _ => panic!("no operation {operation}"),
        })
    }

    /// Collects shares as the machines do, until there is a signature.
    fn collect(&self, input: &Value) -> Value {
        let (_, key) = self.key(input);
        let mut collector = S::collector(key, &bytes(&input["statement"]));
        let mut outcomes = Vec::new();
        for one in input["shares"].as_array().unwrap() {
            let from = small(&one["from"]);
            let collected = match one.get("opening") {
                None => collector.add(from, decode::<_, S::Share>(&bytes(&one["share"]), &()).unwrap()),
                Some(opening) => {
                    collector.open(from, &decode::<_, S::Opening>(&bytes(opening), &()).unwrap())
                }
            };
            let (signature, wrong) = match collected {
                Ok(outcome) => {
                    let wrong = outcome.faults.iter().map(|fault| fault.culprit).collect();
                    (outcome.signature.map(|signature| hex::encode(signature.encode())), wrong)
                }
                Err(Error::DuplicateSigner { .. } | Error::BadShare { .. }) => (None, Vec::new()),
                Err(error) => panic!("{error}"),
            };
            outcomes.push(json!({ "signature": signature, "wrong": wrong }));
        }
        json!({ "outcomes": outcomes })
    }

    fn leader(&self, input: &Value) -> Result<MemberIndex> {
        let (epoch, round) = (number(&input["epoch"]), small(&input["view"]));
        let name = CoinName { protocol: mvba::COIN_PROTOCOL, epoch, instance: 0, round };
        let coin = Coin::from_name(&self.setup.coin, name)?;
        let shares: Vec<CoinShare> =
            list(&input["shares"]).iter().map(|share| decode(share, &())).collect::<Result<_>>()?;
        let verified = self.setup.coin.verify_shares(coin.instance(), &shares)?.verified;
        let value = coin.combine(&self.setup.coin, &verified, &mut Cache::default())?;
        Ok(value.below(self.setup.members()).unwrap())
    }

    fn message(&self, input: &Value) -> Result<Value> {
        let (data, limits) = (bytes(&input["message"]), self.limits());
        Ok(match input["protocol"].as_str().unwrap() {
            "rbc" => messages::rbc(&decode(&data, &limits.coding)?),
            "prbc" => messages::prbc(&decode::<_, prbc::Message<S>>(&data, &limits.coding)?),
            "mvba" => messages::mvba(&decode::<_, mvba::Message<S>>(&data, &limits.agreement)?),
            "acs" => messages::acs(&decode::<_, acs::Message<S>>(&data, &limits)?),
            _ => messages::epoch(&decode::<_, epoch::Message<S>>(&data, &limits)?),
        })
    }

    /// Returns the share of member 0's vote for a promoted value, if it votes.
    fn vote(&self, input: &Value) -> Option<String> {
        let (proposer, view) = (small(&input["proposer"]), 1);
        let mut machine = acs::CommonSubset::new(self.context(0, number(&input["epoch"])), [0; 32]).unwrap();
        let promote = mvba::Message::Promote { view, value: bytes(&input["value"]), key: None };
        let message = acs::Message::Agree(promote);
        let step = machine.handle(Time(0), Input::Message { from: proposer, message });
        let votes = step.messages.iter().filter(|sent| sent.to == Recipient::One(proposer));
        let mut votes = votes.map(|sent| match &sent.message {
            acs::Message::Agree(mvba::Message::Vote { view: 1, stage: Stage::KEY, share }) => {
                hex::encode(share.encode())
            }
            other => panic!("no vote: {other:?}"),
        });
        let vote = votes.next();
        assert_eq!((step.faults.len(), votes.next()), (usize::from(vote.is_none()), None));
        vote
    }

    /// Passes the messages to member 0, and returns its output with the members that it names.
    fn epoch(&self, input: &Value) -> Value {
        let encryption = (input["encrypted"] == true).then(|| self.encryption(0));
        let mut machine = Epoch::new(self.context(0, number(&input["epoch"])), encryption, [0; 32]).unwrap();
        let mut step = machine.handle(Time(0), Input::Start);
        for one in input["messages"].as_array().unwrap() {
            let from = small(&one["from"]);
            let message = machine.decode(from, &bytes(&one["message"])).unwrap();
            assert_eq!(message.encode(), bytes(&one["message"]));
            step.append(machine.handle(Time(0), Input::Message { from, message }));
        }
        let [epoch::Output::Decided(ordered)] = step.outputs.as_slice() else { panic!("{:?}", step.outputs) };
        let ordered = ordered.iter().map(|(proposer, transaction)| {
            json!({ "proposer": proposer, "transaction": hex::encode(transaction) })
        });
        let faults: Vec<_> = step.faults.iter().map(|fault| fault.culprit).collect();
        json!({ "ordered": ordered.collect::<Vec<_>>(), "faults": faults })
    }
}
