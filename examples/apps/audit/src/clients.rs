//! The clients that a server or an auditor accepts: the tables `[[client]]` of a configuration file. The times of a client's
//! refused commands.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use quorate::ed25519::PublicKey;
use quorate::machine::Time;
use serde::Deserialize;

use crate::failure::{Exit, Failure, OrFail};
use crate::keys::public_key;

/// Name and key of a client that a server or an auditor accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownClient {
    /// Name.
    pub name: String,
    /// Public key of the client's signatures.
    pub key: PublicKey,
}

/// Times of a client's commands that were refused with a valid signature. The client relies on the refusal, so an
/// eavesdropper must not be able to replay the command later: a server refuses commands with these times.
///
/// The command that is refused must have a valid signature, so that an attacker cannot lock the client out with a forged time.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefusedTimes {
    /// All times up to this one.
    latest: Time,
    /// First and last time that was too far ahead of the server's clock. This is an interval, so that a client that corrects
    /// its clock is served again.
    ahead: Option<(Time, Time)>,
}

impl RefusedTimes {
    /// Adds the time of a command that is refused now, where `max_age` is the maximum difference to the server's clock.
    pub fn add(&mut self, time: Time, now: Time, max_age: Duration) {
        if let Some((_, last)) = self.ahead.filter(|(_, last)| *last <= now) {
            (self.latest, self.ahead) = (self.latest.max(last), None);
        }
        if u128::from(time.0.saturating_sub(now.0)) <= max_age.as_micros() {
            self.latest = self.latest.max(time);
        } else {
            let (first, last) = self.ahead.unwrap_or((time, time));
            self.ahead = Some((first.min(time), last.max(time)));
        }
    }

    /// Returns true if a command with this time may have been refused.
    pub fn contains(&self, time: Time) -> bool {
        time <= self.latest || self.ahead.is_some_and(|(first, last)| (first..=last).contains(&time))
    }
}

/// A client as it is written in a configuration file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfiguredClient {
    /// Name.
    name: String,
    /// Public key, 64 hexadecimal digits.
    key: String,
}

/// Reads only the clients of a configuration file, for an auditor.
///
/// # Errors
/// [`Failure`] that names the wrong value.
pub fn load_clients(path: &Path) -> Result<Vec<KnownClient>, Failure> {
    #[derive(Deserialize)]
    struct Clients {
        client: Vec<ConfiguredClient>,
    }
    let text = std::fs::read_to_string(path).or_fail(Exit::Input, path.display())?;
    let clients: Clients = toml::from_str(&text).or_fail(Exit::Input, path.display())?;
    known_clients(clients.client).or_fail(Exit::Input, path.display())
}

/// Parses the clients of a configuration file. Names and keys must be distinct.
///
/// # Errors
/// A message that names the client.
pub fn known_clients(clients: Vec<ConfiguredClient>) -> Result<Vec<KnownClient>, String> {
    let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
    let mut known = Vec::with_capacity(clients.len());
    for ConfiguredClient { name, key } in clients {
        let key = public_key(&key).map_err(|reason| format!("client {name:?}: {reason}"))?;
        if !names.insert(name.clone()) || !keys.insert(key.clone()) {
            return Err(format!("client {name:?}: its name or its key appears twice"));
        }
        known.push(KnownClient { name, key });
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_times_are_kept_without_locking_the_client_out() {
        let (mut refused, hour) = (RefusedTimes::default(), 3_600_000_000);
        let add = |refused: &mut RefusedTimes, time, now| {
            refused.add(Time(time), Time(now), Duration::from_micros(2));
        };
        assert!(!refused.contains(Time(1)));
        add(&mut refused, 10, 20);
        assert!(refused.contains(Time(9)) && refused.contains(Time(10)) && !refused.contains(Time(11)));
        add(&mut refused, 22, 20);
        assert!(refused.contains(Time(22)) && !refused.contains(Time(23)));
        // The client's clock was ahead by an hour, and is correct again.
        for time in [hour + 21, hour + 25, hour + 22] {
            add(&mut refused, time, 21);
        }
        assert!(!refused.contains(Time(30)) && !refused.contains(Time(hour + 20)));
        assert!((21..=25).all(|later| refused.contains(Time(hour + later))));
        assert!(!refused.contains(Time(hour + 26)));
        // An hour later the interval is past and does not grow into the future.
        add(&mut refused, 3 * hour, 2 * hour);
        assert!(refused.contains(Time(hour + 25)) && refused.contains(Time(3 * hour)));
        assert!(!refused.contains(Time(2 * hour)));
        // A time that is refused once stays refused.
        add(&mut refused, 5, 2 * hour);
        assert!(refused.contains(Time(hour + 25)));
    }
}
