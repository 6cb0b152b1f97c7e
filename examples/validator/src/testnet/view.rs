use std::time::Duration;

use quorate_node::genesis::{ProtocolName, SchemeName};
use quorate_support::terminal::{AnsiColor, Style, clock, count, millis, styled};

use super::watch::{ObservedNode, Watch};
use crate::load::Latencies;
use crate::protocols::{ABFT, GOSIG, JOLTEON};

/// Snapshot of a testnet for display.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub watch: &'a Watch,
    pub names: &'a [String],
    pub protocol: ProtocolName,
    pub scheme: SchemeName,
    pub directory: &'a str,
    pub elapsed: Duration,
    /// Planned duration, if any.
    pub total: Option<Duration>,
    pub load: Option<LoadView>,
    pub hint: &'a str,
}

/// Snapshot of the load for display.
#[derive(Clone, Debug)]
pub(crate) struct LoadView {
    pub what: String,
    pub submitted: u64,
    pub committed: u64,
    pub refused: u64,
    pub unanswered: u64,
    pub per_second: f64,
    /// Latencies over the last seconds.
    pub latencies: Option<Latencies>,
}

impl Frame<'_> {
    /// Renders a table with lines of at most `columns` characters.
    pub(crate) fn table(&self, columns: usize, rows: usize, colour: bool) -> Vec<String> {
        let paint = Paint { colour };
        let mut lines = vec![self.title(columns, &paint)];
        lines.push(paint.dim(&fit(self.directory, columns)));
        lines.push(String::new());
        let head = format!(
            "{:<10} {:<11} {:>10} {:>10} {:>8} {:>6} {:>9} {:>7}",
            "validator", "state", "height", "view", "timeouts", "peers", "pending", "cert"
        );
        lines.push(paint.dim(&fit(&head, columns)));
        let leader = self.watch.leader();
        // Twelve lines surround the list of validators.
        let room = rows.saturating_sub(13).max(4);
        let hidden = self.names.len().saturating_sub(room);
        for (index, (name, node)) in self.names.iter().zip(&self.watch.nodes).enumerate() {
            if hidden > 0 && index + 1 == room {
                lines.push(paint.dim(&format!("… and {} more: quorate status", hidden + 1)));
                break;
            }
            lines.push(row(name, node, leader == Some(index), columns, &paint));
        }
        lines.push(String::new());
        lines.extend(self.summary().into_iter().map(|line| fit(&line, columns)));
        if let Some(last) = lines.last_mut().filter(|_| !self.watch.agreement.contradictions().is_empty()) {
            *last = paint.red(last);
        }
        lines.push(String::new());
        lines.extend(self.hint.lines().map(|line| paint.dim(&fit(line, columns))));
        lines
    }

    /// Renders one line, for logs.
    pub(crate) fn line(&self) -> String {
        let mut line = format!("{} height {}", clock(self.elapsed), self.watch.height());
        if let Some(status) = self.watch.furthest() {
            let leader =
                self.watch.leader().and_then(|leader| self.names.get(leader)).map_or("?", |name| name);
            line.push_str(&format!(
                " view {} leader {leader} cert {} B",
                status.view, status.certificate_bytes
            ));
        }
        line.push_str(&format!(" {:.1} blocks/s", self.watch.blocks_per_second()));
        if let Some(load) = &self.load {
            line.push_str(&format!(" {} tx/s", count(load.per_second as u64)));
            if let Some(l) = &load.latencies {
                line.push_str(&format!(" median {} 99 % {}", millis(l.median), millis(l.p99)));
            }
        }
        let down: Vec<&str> = self.down().collect();
        if !down.is_empty() {
            line.push_str(&format!(" down: {}", down.join(" ")));
        }
        line
    }

    fn title(&self, columns: usize, paint: &Paint) -> String {
        let certificates = match self.scheme {
            SchemeName::Bls => "BLS certificates",
            SchemeName::Ed25519 => "Ed25519 certificates",
        };
        let protocol = match self.protocol.as_str() {
            JOLTEON => "Jolteon",
            GOSIG => "Gosig",
            ABFT => "ABFT",
            other => other,
        };
        let left = format!("quorate testnet: {} validators, {protocol}, {certificates}", self.names.len());
        let right = match self.total {
            Some(total) => format!("{} of {}", clock(self.elapsed), clock(total)),
            None => clock(self.elapsed),
        };
        let gap = columns.saturating_sub(left.len() + right.len()).max(1);
        paint.bold(&fit(&format!("{left}{}{right}", " ".repeat(gap)), columns))
    }

    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let blocks = format!("{:.1} blocks/s", self.watch.blocks_per_second());
        match &self.load {
            Some(load) => {
                let mut text = format!(
                    "load       {}: {} due, {} committed",
                    load.what,
                    count(load.submitted),
                    count(load.committed)
                );
                if load.refused > 0 {
                    text.push_str(&format!(", {} refused", count(load.refused)));
                }
                if load.unanswered > 0 {
                    text.push_str(&format!(", {} lost", count(load.unanswered)));
                }
                lines.push(text);
                lines.push(format!("commits    {} tx/s, {blocks}", count(load.per_second as u64)));
                lines.push(match &load.latencies {
                    Some(l) => format!(
                        "latency    median {}, 99 % {} (from due to commit, last seconds)",
                        millis(l.median),
                        millis(l.p99)
                    ),
                    None => "latency    nothing committed in the last seconds".into(),
                });
            }
            None => lines.push(format!("commits    {blocks}; no load")),
        }
        lines.push(format!("agreement  {}", self.watch.agreement.verdict()));
        lines
    }

    fn down(&self) -> impl Iterator<Item = &str> {
        self.names
            .iter()
            .zip(&self.watch.nodes)
            .filter(|(_, node)| !node.up && !node.left)
            .map(|(name, _)| name.as_str())
    }
}

fn row(name: &str, node: &ObservedNode, leads: bool, columns: usize, paint: &Paint) -> String {
    let name = format!("{name}{}", if leads { " *" } else { "" });
    match (&node.status, node.up) {
        (Some(s), _) => {
            let up = s.peers.iter().filter(|peer| peer.outgoing && peer.incoming).count();
            let state = match s.me {
                _ if s.syncing => "catching up",
                None => "observer",
                Some(_) if s.abstention.is_some() => "abstains",
                Some(_) => "up",
            };
            let line = format!(
                "{name:<10} {state:<11} {:>10} {:>10} {:>8} {:>6} {:>9} {:>7}",
                count(s.height),
                count(s.view),
                count(node.timeouts),
                format!("{up}/{}", s.peers.len()),
                count(s.pending_transactions),
                format!("{} B", count(s.certificate_bytes.into())),
            );
            let line = fit(&line, columns);
            if s.syncing || s.me.is_none() { paint.yellow(&line) } else { line }
        }
        (None, _) if node.left => paint.dim(&format!("{name:<10} left")),
        (None, true) => paint.yellow(&format!("{name:<10} no answer")),
        (None, false) => paint.red(&format!("{name:<10} DOWN")),
    }
}

/// Truncates a line to `columns` characters.
fn fit(line: &str, columns: usize) -> String {
    line.chars().take(columns).collect()
}

/// Styles of the table; plain without colours.
struct Paint {
    colour: bool,
}

impl Paint {
    fn bold(&self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    fn dim(&self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    fn red(&self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    fn yellow(&self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    fn with(&self, style: Style, text: &str) -> String {
        if self.colour { styled(text, style) } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Api;

    fn frame(watch: &Watch, names: &[String]) -> Vec<Vec<String>> {
        let load = LoadView {
            what: "100,000 tx/s of 512 random bytes".into(),
            submitted: 123_456_789,
            committed: 123_456_700,
            refused: 1234,
            unanswered: 77,
            per_second: 99_999.0,
            latencies: None,
        };
        let frame = Frame {
            watch,
            names,
            protocol: ProtocolName::DEFAULT,
            scheme: SchemeName::Ed25519,
            directory: &"/very/long/path".repeat(10),
            elapsed: Duration::from_secs(3_661),
            total: Some(Duration::from_secs(3_720)),
            load: Some(load),
            hint: &"hint ".repeat(40),
        };
        assert!(frame.line().contains("down: node2"));
        [(80, 24), (80, 60), (40, 24)].map(|(columns, rows)| frame.table(columns, rows, false)).to_vec()
    }

    #[test]
    fn frames_fit_the_terminal_with_many_validators() {
        let names: Vec<String> = (0..40).map(|i| format!("node{i}")).collect();
        let mut watch = Watch::new(names.iter().map(|_| Api::new("127.0.0.1:1").unwrap()).collect());
        watch.is_down(2);
        for (lines, (columns, rows)) in frame(&watch, &names).iter().zip([(80, 24), (80, 60), (40, 24)]) {
            assert!(lines.len() <= rows, "{} lines", lines.len());
            for line in lines {
                assert!(line.chars().count() <= columns, "{line}");
            }
            assert!(lines.iter().any(|line| line.starts_with("node2") && line.contains("DOWN")));
        }
    }
}
