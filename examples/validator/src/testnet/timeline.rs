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
}

/// All that is to happen, in order.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The next is last.
    events: Vec<(Duration, Action, usize)>,
}

impl Timeline {
    /// Checks that the validators exist and that only what is down is restarted.
    pub(crate) fn new(kills: &[NodeAt], restarts: &[NodeAt], nodes: usize) -> Result<Self, String> {
        let named = |action| move |event: &NodeAt| (event.at, action, event.node);
        let mut events: Vec<(Duration, Action, usize)> = kills.iter().map(named(Action::Kill)).collect();
        events.extend(restarts.iter().map(named(Action::Restart)));
        events.sort_by_key(|(at, ..)| *at);
        let mut up = vec![true; nodes];
        for (at, action, node) in &events {
            let Some(up) = up.get_mut(*node) else {
                return Err(format!(
                    "there is no validator {node}; the last one is {}",
                    nodes.saturating_sub(1)
                ));
            };
            let wanted = *action == Action::Restart;
            if *up == wanted {
                let state = if *up { "running" } else { "down" };
                return Err(format!("validator {node} is {state} already at {} s", at.as_secs_f64()));
            }
            *up = wanted;
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
        let mut timeline = Timeline::new(&[at("1@5"), at("1@9")], &[at("1@7")], 4).unwrap();
        let second = Duration::from_secs(1);
        assert_eq!(timeline.due(4 * second), None);
        assert_eq!(timeline.next_at(), Some(5 * second));
        assert_eq!(timeline.due(8 * second), Some((Action::Kill, 1)));
        assert_eq!(timeline.due(8 * second), Some((Action::Restart, 1)));
        assert_eq!(timeline.due(8 * second), None);
        assert_eq!(timeline.due(9 * second), Some((Action::Kill, 1)));
        assert_eq!(timeline.next_at(), None);
    }

    #[test]
    fn what_cannot_happen_is_refused() {
        for (kills, restarts) in [(vec!["4@1"], vec![]), (vec!["1@1", "1@2"], vec![]), (vec![], vec!["1@1"])]
        {
            let read = |list: Vec<&str>| list.into_iter().map(at).collect::<Vec<_>>();
            assert!(Timeline::new(&read(kills), &read(restarts), 4).is_err());
        }
    }
}
