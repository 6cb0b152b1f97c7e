use std::str::FromStr;
use std::time::Duration;

/// What happens to a validator at some time of a testnet: `I@T` on the command line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeAt {
    /// Which validator.
    pub node: usize,
    /// When, since the load began.
    pub at: Duration,
}

impl FromStr for NodeAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not of the form NODE@SECONDS, such as 2@10");
        let (node, at) = text.split_once('@').ok_or_else(wrong)?;
        let seconds: f64 = at.trim_end_matches('s').parse().map_err(|_| wrong())?;
        if !(0.0..1e8).contains(&seconds) {
            return Err(wrong());
        }
        Ok(NodeAt { node: node.parse().map_err(|_| wrong())?, at: Duration::from_secs_f64(seconds) })
    }
}

/// What is done to a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// SIGKILL: no warning, no last write.
    Kill,
    /// Start it again on the same data.
    Restart,
    /// A new one begins with an empty directory and becomes a member.
    Join,
    /// It stops being a member.
    Leave,
}

/// What was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plans<'a> {
    pub kills: &'a [NodeAt],
    pub restarts: &'a [NodeAt],
    /// When validators join, numbered on from those that are there, in the order of their times.
    pub joins: &'a [f64],
    pub leaves: &'a [NodeAt],
}

/// All that is to happen, in order.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The next is last.
    events: Vec<(Duration, Action, usize)>,
}

/// What a validator is, as far as the timeline knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Down,
    Left,
}

impl Timeline {
    /// Checks that the validators exist, that only what is down is restarted, and that nobody does anything who left.
    pub(crate) fn new(plans: Plans<'_>, nodes: usize) -> Result<Self, String> {
        let named = |action| move |event: &NodeAt| (event.at, action, event.node);
        let mut events: Vec<(Duration, Action, usize)> = Vec::new();
        events.extend(plans.kills.iter().map(named(Action::Kill)));
        events.extend(plans.restarts.iter().map(named(Action::Restart)));
        events.extend(plans.leaves.iter().map(named(Action::Leave)));
        let joins = plans.joins.iter().map(|seconds| Duration::from_secs_f64(*seconds));
        events.extend(joins.map(|at| (at, Action::Join, usize::MAX)));
        events.sort_by_key(|(at, ..)| *at);
        let mut states = vec![State::Running; nodes];
        for (at, action, node) in &mut events {
            if *action == Action::Join {
                *node = states.len();
                states.push(State::Running);
                continue;
            }
            let last = states.len().saturating_sub(1);
            let Some(state) = states.get_mut(*node) else {
                return Err(format!("there is no validator {node}; the last one is {last}"));
            };
            let (from, to) = match action {
                Action::Kill => (State::Running, State::Down),
                Action::Restart => (State::Down, State::Running),
                Action::Leave | Action::Join => (State::Running, State::Left),
            };
            if *state != from {
                let state = match state {
                    State::Running => "is running",
                    State::Down => "is down",
                    State::Left => "has left",
                };
                return Err(format!("validator {node} {state} already at {} s", at.as_secs_f64()));
            }
            *state = to;
        }
        if !states.contains(&State::Running) {
            return Err("no validator would be left".into());
        }
        events.reverse();
        Ok(Self { events })
    }

    /// When the next thing happens.
    pub(crate) fn next_at(&self) -> Option<Duration> {
        self.events.last().map(|(at, ..)| *at)
    }

    /// The next thing that is due by `now`.
    pub(crate) fn due(&mut self, now: Duration) -> Option<(Action, usize)> {
        let (_, action, node) = self.events.pop_if(|(at, ..)| *at <= now)?;
        Some((action, node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NodeAt {
        text.parse().unwrap()
    }

    #[test]
    fn times_are_read() {
        assert_eq!(at("3@1.5"), NodeAt { node: 3, at: Duration::from_millis(1500) });
        assert_eq!(at("0@7s"), NodeAt { node: 0, at: Duration::from_secs(7) });
        for wrong in ["", "3", "3@", "@3", "x@3", "3@x", "3@-1", "3@inf", "-1@3"] {
            assert!(wrong.parse::<NodeAt>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn events_come_in_order() {
        let (kills, restarts) = ([at("1@5"), at("1@9"), at("4@8.5")], [at("1@7")]);
        let plans = Plans { kills: &kills, restarts: &restarts, joins: &[8.2], leaves: &[at("2@8.4")] };
        let mut timeline = Timeline::new(plans, 4).unwrap();
        let second = Duration::from_secs(1);
        assert_eq!(timeline.due(4 * second), None);
        assert_eq!(timeline.next_at(), Some(5 * second));
        assert_eq!(timeline.due(8 * second), Some((Action::Kill, 1)));
        assert_eq!(timeline.due(8 * second), Some((Action::Restart, 1)));
        assert_eq!(timeline.due(8 * second), None);
        for expected in [(Action::Join, 4), (Action::Leave, 2), (Action::Kill, 4), (Action::Kill, 1)] {
            assert_eq!(timeline.due(9 * second), Some(expected));
        }
        assert_eq!(timeline.next_at(), None);
    }

    #[test]
    fn what_cannot_happen_is_refused() {
        let refused = |kills: &[&str], restarts: &[&str], leaves: &[&str], says: &str| {
            let read = |list: &[&str]| list.iter().map(|text| at(text)).collect::<Vec<_>>();
            let (kills, restarts, leaves) = (read(kills), read(restarts), read(leaves));
            let plans = Plans { kills: &kills, restarts: &restarts, joins: &[3.0], leaves: &leaves };
            let problem = Timeline::new(plans, 4).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        };
        refused(&["5@4"], &[], &[], "there is no validator 5");
        refused(&["4@1"], &[], &[], "there is no validator 4");
        refused(&["1@1", "1@2"], &[], &[], "is down already");
        refused(&[], &["1@1"], &[], "is running already");
        refused(&["1@5"], &[], &["1@4"], "has left already");
        refused(&[], &[], &["0@4", "1@4", "2@4", "3@4", "4@4"], "no validator would be left");
    }
}
