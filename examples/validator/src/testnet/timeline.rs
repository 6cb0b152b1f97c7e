use std::str::FromStr;
use std::time::Duration;

/// A validator and a time: `NODE@SECONDS` on the command line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeAt {
    /// Index of the validator.
    pub node: usize,
    /// Time since the start of the load.
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

/// An action on a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Kill the process with SIGKILL.
    Kill,
    /// Restart the process on the same data.
    Restart,
    /// Start a new validator with an empty directory, and make it a member.
    Join,
    /// Remove the validator from the members.
    Leave,
}

/// Requested actions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plans<'a> {
    pub kills: &'a [NodeAt],
    pub restarts: &'a [NodeAt],
    /// Times at which validators join. They get the next indices, in the order of their times.
    pub joins: &'a [f64],
    pub leaves: &'a [NodeAt],
}

/// Planned actions in order of time.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// In reverse order: the next action is last.
    events: Vec<(Duration, Action, usize)>,
}

/// Planned state of a validator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Down,
    Left,
}

impl Timeline {
    /// Builds the timeline. Refuses unknown validators, restarts of running ones, and actions after a validator left.
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
            return Err("all validators would have left".into());
        }
        events.reverse();
        Ok(Self { events })
    }

    /// Returns the time of the next action.
    pub(crate) fn next_at(&self) -> Option<Duration> {
        self.events.last().map(|(at, ..)| *at)
    }

    /// Returns and removes the next action that is due at `now`.
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
    fn node_and_time_are_parsed() {
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
    fn impossible_plans_are_refused() {
        let refused = |kills: &[&str], restarts: &[&str], leaves: &[&str], expected: &str| {
            let read = |list: &[&str]| list.iter().map(|text| at(text)).collect::<Vec<_>>();
            let (kills, restarts, leaves) = (read(kills), read(restarts), read(leaves));
            let plans = Plans { kills: &kills, restarts: &restarts, joins: &[3.0], leaves: &leaves };
            let problem = Timeline::new(plans, 4).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        };
        refused(&["5@4"], &[], &[], "there is no validator 5");
        refused(&["4@1"], &[], &[], "there is no validator 4");
        refused(&["1@1", "1@2"], &[], &[], "is down already");
        refused(&[], &["1@1"], &[], "is running already");
        refused(&["1@5"], &[], &["1@4"], "has left already");
        refused(&[], &[], &["0@4", "1@4", "2@4", "3@4", "4@4"], "all validators would have left");
    }
}
