//! Checks of the other members, and of the running validator.

use std::time::Duration;

use quorate_node::config::NodeConfig;
use quorate_node::genesis::Genesis;
use quorate_node::handle::Digest;
use quorate_node::links::identify;
use quorate_node::runtime::MAX_CLOCK_DIFFERENCE_MS;
use serde_json::Value;
use tokio::task::JoinSet;

use super::finding::Finding;
use super::setup::Setup;
use crate::api::Api;

/// Maximum number of members that are asked at once.
const AT_ONCE: usize = 64;

/// Checks that each other member of the genesis answers at its address with its identity key.
pub(super) async fn check(
    config: &NodeConfig,
    genesis: &Genesis,
    setup: &Setup,
    findings: &mut Vec<Finding>,
) {
    let Setup { identities, me, total_weight, quorum_weight, .. } = setup;
    let limit = Duration::from_millis(config.links.handshake_timeout_ms);
    let peers = genesis.members.iter().zip(identities).enumerate().filter(|(i, _)| Some(*i) != *me);
    let peers = peers.map(|(i, (member, key))| {
        let address = config.links.addresses.get(&member.name).unwrap_or(&member.address);
        (i, address.clone(), key.clone())
    });
    let (mut asked, mut results) = (JoinSet::new(), Vec::new());
    for (i, address, key) in peers {
        if asked.len() >= AT_ONCE {
            results.extend(asked.join_next().await.and_then(Result::ok));
        }
        asked.spawn(
            async move { (i, identify(&address, &key, limit).await.map_err(|e| e.to_string()), address) },
        );
    }
    results.extend(asked.join_all().await);
    results.sort_by_key(|(i, ..)| *i);
    let weight = |i: usize| genesis.members.get(i).map_or(0, |member| member.weight);
    let mut reached = me.map_or(0, weight);
    for (i, result, address) in results {
        let name = genesis.members.get(i).map_or("?", |member| member.name.as_str());
        findings.push(match result {
            Ok(()) => {
                reached = reached.saturating_add(weight(i));
                Finding::ok(format!("peer {name}"), format!("{address} proves its identity"))
            }
            Err(error) => Finding::warning(
                format!("peer {name}"),
                format!("{address}: {error}"),
                "check firewalls and the address (`[links.addresses]` overrides that of the genesis file), or call its \
                 operator",
            ),
        });
    }
    let detail = format!("weight {reached} of {total_weight} reachable, with this validator's own");
    findings.push(if reached >= *quorum_weight {
        Finding::ok("quorum", detail)
    } else {
        let remedy = format!("nothing commits until a weight of {quorum_weight} is reachable");
        Finding::failed("quorum", detail, remedy)
    });
}

/// Asks the running validator for its status.
pub(super) async fn running(config: &NodeConfig, genesis: &Genesis, findings: &mut Vec<Finding>) {
    if config.clients.http.is_empty() {
        return;
    }
    let status = match Api::new(&config.clients.http) {
        Ok(api) => api.raw_status().await,
        Err(failure) => Err(failure),
    };
    match status {
        Ok(status) => findings.extend(judge(&status, &Digest(genesis.chain_id().0).to_string())),
        Err(failure) => findings.push(Finding::failed(
            "running validator",
            failure.to_string(),
            "look at its log; it may still be starting or stopping",
        )),
    }
}

fn judge(status: &Value, chain: &str) -> Vec<Finding> {
    const CHECK: &str = "running validator";
    let mut findings = Vec::new();
    let text = |name: &str| status.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("chain_id") != chain {
        let detail = format!("it runs the chain {}, and the genesis file is of {chain}", text("chain_id"));
        return vec![Finding::failed(
            CHECK,
            detail,
            "another process answers there, or the file has changed",
        )];
    }
    let version = text("version");
    findings.push(if version == env!("CARGO_PKG_VERSION") {
        Finding::ok("running version", version)
    } else {
        let detail = format!("{version}, and this program is {}", env!("CARGO_PKG_VERSION"));
        Finding::warning("running version", detail, "restart it to complete an upgrade")
    });
    if let Some(code) = status.get("failure").and_then(Value::as_str) {
        let place = crate::handbook::place(code);
        findings.push(Finding::failed(CHECK, format!("it has failed: {code}"), format!("see {place}")));
    } else if status.get("syncing") == Some(&Value::Bool(true)) {
        findings.push(Finding::warning(CHECK, "it is catching up with the chain", "wait"));
    } else if status.get("abstention").is_some_and(|abstention| !abstention.is_null()) {
        let remedy = "wait for two views; `quorate status` shows the reason";
        findings.push(Finding::warning(CHECK, "it abstains from votes", remedy));
    } else {
        let height = status.get("height").and_then(Value::as_u64).unwrap_or(0);
        findings.push(Finding::ok(CHECK, format!("height {height}")));
    }
    let remedy = "synchronize the clock of this machine, then restart the validator";
    findings.push(match status.get("clock_difference_ms").and_then(Value::as_i64) {
        Some(ms) if ms.unsigned_abs() >= MAX_CLOCK_DIFFERENCE_MS => {
            Finding::failed("clock of peers", format!("they differ by {ms} ms"), remedy)
        }
        Some(ms) => Finding::ok("clock of peers", format!("they differ by {ms} ms")),
        None => {
            Finding::warning("clock of peers", "no peer has been compared yet", "wait for links to peers")
        }
    });
    findings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::finding::State;
    use super::*;

    fn states(change: Value) -> Vec<State> {
        let mut status = json!({
            "chain_id": "c", "version": env!("CARGO_PKG_VERSION"), "failure": null, "syncing": false,
            "abstention": null, "height": 7, "clock_difference_ms": -3
        });
        for (name, value) in change.as_object().unwrap() {
            status[name] = value.clone();
        }
        judge(&status, "c").into_iter().map(|finding| finding.state).collect()
    }

    #[test]
    fn the_status_of_a_running_validator_is_judged() {
        use State::{Failed, Ok, Warning};
        assert_eq!(states(json!({})), [Ok, Ok, Ok]);
        assert_eq!(states(json!({ "chain_id": "d" })), [Failed]);
        assert_eq!(states(json!({ "version": "0.0.1" })), [Warning, Ok, Ok]);
        assert_eq!(states(json!({ "failure": "STORE" })), [Ok, Failed, Ok]);
        assert_eq!(states(json!({ "syncing": true })), [Ok, Warning, Ok]);
        assert_eq!(states(json!({ "abstention": {} })), [Ok, Warning, Ok]);
        assert_eq!(states(json!({ "clock_difference_ms": -500 })), [Ok, Ok, Failed]);
        assert_eq!(states(json!({ "clock_difference_ms": null })), [Ok, Ok, Warning]);
    }
}
