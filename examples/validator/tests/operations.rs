//! The files of `operations/` name metrics that validators export, and the handbook explains each alert.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::collections::BTreeSet;

use quorate_node::metrics::{CodeLabel, Metrics, PeerCodeLabel, PeerLabel};
use quorate_support::ports::free_addresses;
use serde_json::Value;
use support::{Sandbox, eventually, get};

const DASHBOARD: &str = include_str!("../operations/dashboard.json");
const ALERTS: &str = include_str!("../operations/alerts.yml");
const HANDBOOK: &str = include_str!("../OPERATING.md");

/// Metrics of Prometheus itself and of node_exporter.
const FOREIGN: [&str; 2] = ["up", "node_filesystem_avail_bytes"];
/// Labels of validators' metrics and of Prometheus.
const LABELS: [&str; 6] = ["job", "instance", "le", "peer", "code", "mountpoint"];

/// Series in an OpenMetrics text, also those without a sample.
fn series(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let suffixes: &[&str] = match kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        names.extend(suffixes.iter().map(|suffix| format!("{name}{suffix}")));
    }
    names
}

/// Metrics that appear with their first event, such as a fault of a peer.
fn series_of_events() -> BTreeSet<String> {
    let metrics = Metrics::new();
    let peer = PeerLabel { peer: "a".into() };
    let coded = PeerCodeLabel { peer: "a".into(), code: "CODE" };
    let code = CodeLabel { code: "CODE" };
    let links = &metrics.links;
    for family in [
        &links.frames_sent,
        &links.bytes_sent,
        &links.frames_received,
        &links.bytes_received,
        &links.frames_dropped,
        &links.links_lost,
    ] {
        family.get_or_create(&peer).inc();
    }
    for family in [&links.frames_refused, &links.connections_refused, &metrics.chain.faults] {
        family.get_or_create(&coded).inc();
    }
    for family in [&metrics.mempool.refused, &metrics.clients.requests, &metrics.clients.errors] {
        family.get_or_create(&code).inc();
    }
    let without: BTreeSet<String> = series(&Metrics::new().render());
    series(&metrics.render()).difference(&without).cloned().collect()
}

/// Names of metrics in an expression of PromQL: the words that are neither functions, labels, values nor variables.
fn metrics_in(expression: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // Every second piece is a text in quotation marks.
    let bare: String = expression.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let mut rest = bare.as_str();
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let word = &rest[start..];
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        if word.contains('_') && !word.starts_with("group_") && !word.starts_with("histogram_")
            || word == "up"
        {
            names.insert(word.to_owned());
        }
        rest = after;
    }
    names
}

/// Labels that an expression selects by.
fn labels_in(expression: &str) -> Vec<&str> {
    let selectors =
        expression.split(['{', ',']).filter_map(|part| part.split_once("=")).map(|(label, _)| label);
    let selectors = selectors.map(|label| label.trim_end_matches(['!', '~']).trim());
    let lists = expression.split("by (").skip(1).chain(expression.split("on (").skip(1));
    let lists = lists.filter_map(|rest| rest.split(')').next()).flat_map(|list| list.split(", "));
    selectors.filter(|label| label.chars().all(|c| c.is_ascii_lowercase())).chain(lists).collect()
}

/// Expressions of all panels and variables of the dashboard.
fn dashboard_expressions() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut expressions = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty(), "{panel}");
        expressions.extend(targets.iter().map(|target| target["expr"].as_str().unwrap().to_owned()));
    }
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let queries = variables.iter().filter(|variable| variable["type"] == "query");
    let query = |variable: &Value| {
        variable["query"].as_str().unwrap().strip_prefix("label_values(").unwrap().to_owned()
    };
    expressions.extend(queries.map(|variable| query(variable).split_once(", ").unwrap().0.to_owned()));
    expressions
}

/// Names and expressions of the alerts.
fn alerts() -> Vec<(&'static str, &'static str)> {
    let mut alerts = Vec::new();
    let mut name = None;
    for line in ALERTS.lines().map(str::trim) {
        if let Some(alert) = line.strip_prefix("- alert: ") {
            assert_eq!(name.replace(alert), None, "{alert}: the one before has no expression");
        } else if let Some(expression) = line.strip_prefix("expr: ") {
            alerts.push((name.take().expect("an alert before its expression"), expression));
        }
    }
    assert_eq!(name, None);
    alerts
}

/// Metrics of a chain with one validator, after a commit.
fn metrics_of_a_validator(protocol: &str) -> String {
    let sandbox = Sandbox::new();
    let addresses = free_addresses(3).unwrap();
    let [link, http, stream] = [0, 1, 2].map(|i| addresses[i].to_string());
    sandbox.ok(&["keygen", "--name", "alice", "--address", &link, "--out", "alice"]);
    let shares: &[&str] = if protocol == "abft" { &["--shares", "shares"] } else { &[] };
    let genesis = ["genesis", "--chain", "test", "--protocol", protocol, "alice/public.toml"];
    sandbox.ok(&[&genesis[..], shares].concat());
    let shares = if protocol == "abft" { "shares = 'shares/alice.shares'\n" } else { "" };
    let config = format!(
        "[node]\ngenesis = 'genesis.toml'\nkeys = 'alice/keys'\ndata = 'data'\n{shares}\
         [links]\nlisten = '{link}'\n[clients]\nhttp = '{http}'\nstream = '{stream}'\n"
    );
    sandbox.write("config.toml", config);
    let _running = sandbox.start(&["run", "--config", "config.toml", "--new-validator"]);
    let node = format!("http://{http}");
    let target = ["--node", &node, "--genesis", "genesis.toml"];
    eventually("the validator answers", || sandbox.run(&["status", "--node", &node]).code == 0);
    sandbox.ok(&[&["submit", "--wait=60", "put a b"][..], &target].concat());
    get(&node, "/metrics")
}

#[test]
fn validators_export_the_metrics_of_dashboard_and_alerts() {
    let mut named: BTreeSet<String> = BTreeSet::new();
    for expression in
        dashboard_expressions().iter().map(String::as_str).chain(alerts().iter().map(|alert| alert.1))
    {
        let names = metrics_in(expression);
        assert!(!names.is_empty(), "{expression}");
        named.extend(names);
        for label in labels_in(expression) {
            assert!(LABELS.contains(&label), "{label} in {expression}");
        }
    }
    assert!(named.len() > 15, "{named:?}");
    let events = series_of_events();
    for protocol in ["jolteon", "gosig", "abft"] {
        let exported = series(&metrics_of_a_validator(protocol));
        for name in &named {
            let is_known =
                exported.contains(name) || events.contains(name) || FOREIGN.contains(&name.as_str());
            assert!(is_known, "{protocol} does not export {name}");
        }
    }
}

#[test]
fn panels_do_not_overlap_and_use_the_variables() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut cells = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().unwrap());
        assert!(x + w <= 24, "{panel}");
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(cells.insert(cell), "{} overlaps another panel", panel["title"]);
        }
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
        for target in panel["targets"].as_array().unwrap() {
            assert!(target["expr"].as_str().unwrap().contains("job=\"$job\""), "{target}");
        }
    }
}

#[test]
fn the_handbook_has_a_first_step_for_each_alert() {
    let alerts = alerts();
    let rows: Vec<&str> =
        HANDBOOK.lines().filter_map(|line| line.strip_prefix("| `Quorate")?.split('`').next()).collect();
    let names: Vec<&str> = alerts.iter().map(|(name, _)| name.strip_prefix("Quorate").unwrap()).collect();
    assert!(names.len() >= 10);
    assert_eq!(names.iter().collect::<BTreeSet<_>>(), rows.iter().collect::<BTreeSet<_>>());
}
