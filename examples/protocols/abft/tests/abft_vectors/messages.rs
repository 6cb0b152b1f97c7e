//! Messages as the vectors show them.

use quorate::wire::Encode;
use quorate_abft::signatures::ThresholdScheme;
use quorate_abft::{acs, epoch, mvba, prbc, rbc};
use serde_json::{Value, json};

pub(crate) fn rbc(message: &rbc::Message) -> Value {
    let shard = |tag: u8, shard: &quorate::erasure::CheckedShard| {
        let id = hex::encode(shard.commitment().identity());
        json!({ "tag": tag, "id": id, "index": shard.index() })
    };
    match message {
        rbc::Message::Value(value) => shard(1, value),
        rbc::Message::Echo(value) => shard(2, value),
        rbc::Message::Ready(id) => json!({ "tag": 3, "id": hex::encode(id) }),
    }
}

pub(crate) fn prbc<S: ThresholdScheme>(message: &prbc::Message<S>) -> Value {
    match message {
        prbc::Message::Broadcast(message) => json!({ "tag": 1, "message": rbc(message) }),
        prbc::Message::Share(share) => json!({ "tag": 2, "share": hex::encode(share.encode()) }),
    }
}

pub(crate) fn acs<S: ThresholdScheme>(message: &acs::Message<S>) -> Value {
    match message {
        acs::Message::Broadcast { sender, message } => {
            json!({ "tag": 1, "sender": sender, "message": prbc(message) })
        }
        acs::Message::Agree(message) => json!({ "tag": 2, "message": mvba(message) }),
    }
}

pub(crate) fn epoch<S: ThresholdScheme>(message: &epoch::Message<S>) -> Value {
    match message {
        epoch::Message::Subset(message) => json!({ "tag": 1, "message": acs(message) }),
        epoch::Message::Decrypt { proposer, share } => {
            json!({ "tag": 2, "proposer": proposer, "share": hex::encode(share.encode()) })
        }
    }
}

pub(crate) fn mvba<S: ThresholdScheme>(message: &mvba::Message<S>) -> Value {
    let view = message.view();
    match message {
        mvba::Message::Promote { value, key, .. } => {
            let key = key.as_ref().map(|key| {
                let certificate = hex::encode(key.signature.encode());
                json!({ "view": key.view, "stage": key.stage.number(), "certificate": certificate })
            });
            json!({ "tag": 1, "view": view, "value": hex::encode(value), "key": key })
        }
        mvba::Message::Advance { stage, signature, .. } => {
            let certificate = hex::encode(signature.encode());
            json!({ "tag": 2, "view": view, "stage": stage.number(), "certificate": certificate })
        }
        mvba::Message::Vote { stage, share, .. } => {
            json!({ "tag": 3, "view": view, "stage": stage.number(), "share": hex::encode(share.encode()) })
        }
        mvba::Message::Done { digest, signature, .. } => {
            let certificate = hex::encode(signature.encode());
            json!({ "tag": 4, "view": view, "digest": hex::encode(digest), "certificate": certificate })
        }
        mvba::Message::Skip { share, .. } => {
            json!({ "tag": 5, "view": view, "share": hex::encode(share.encode()) })
        }
        mvba::Message::Elect { skip, share, .. } => {
            let (skip, share) = (hex::encode(skip.encode()), hex::encode(share.encode()));
            json!({ "tag": 6, "view": view, "skip": skip, "share": share })
        }
        mvba::Message::Report { held, .. } => {
            let held = held.as_ref().map(|held| {
                let certificate = hex::encode(held.signature.encode());
                let value = hex::encode(&held.value);
                json!({ "stage": held.stage.number(), "value": value, "certificate": certificate })
            });
            json!({ "tag": 7, "view": view, "held": held })
        }
        mvba::Message::Decide { value, signature, shares, .. } => {
            let shares: Vec<_> = shares.iter().map(|share| hex::encode(share.encode())).collect();
            let certificate = hex::encode(signature.encode());
            let value = hex::encode(value);
            json!({ "tag": 8, "view": view, "value": value, "certificate": certificate, "shares": shares })
        }
        mvba::Message::Doubt { stage, .. } => json!({ "tag": 9, "view": view, "stage": stage.number() }),
        mvba::Message::Opening { stage, opening, .. } => {
            let opening = hex::encode(opening.encode());
            json!({ "tag": 10, "view": view, "stage": stage.number(), "opening": opening })
        }
    }
}
