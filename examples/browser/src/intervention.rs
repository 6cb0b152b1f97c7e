//! Interventions as text.

use quorate_simulator::{CrashPoint, Fault};

use crate::link_quality::LinkQuality;
use crate::number::number;
use crate::protocol::{Protocol, behaviour, behaviour_name};

/// Parses an intervention.
///
/// | text | effect |
/// |---|---|
/// | `crash.N`, `crash.N.persist`, `crash.N.sending`, `crash.N.sent` | member N crashes: immediately, during its next write, between write and send, or while sending |
/// | `restart.N` | member N restarts from its disk |
/// | `rollback.N.R` | member N restarts from its disk without the last R records; not with ABFT, whose members may then contradict what they said |
/// | `split.A-B-C` | partitions these members from the others |
/// | `heal` | ends the partition |
/// | `links.L.J.P` | sets latency L, jitter J and loss P of all links |
/// | `slow.N.L`, `recover.N` | sets latency L of N's links, or restores them |
/// | `turn.N.BEHAVIOUR` | makes N Byzantine |
///
/// # Errors
/// The invalid part.
pub fn action(text: &str, protocol: Protocol, nodes: usize) -> Result<Fault, String> {
    let words: Vec<&str> = text.split('.').collect();
    let member = |text: &str| {
        let node: usize = number(text)?;
        if node < nodes { Ok(node) } else { Err(format!("validator {node} is out of range")) }
    };
    Ok(match words.as_slice() {
        ["crash", node] => Fault::Crash { node: member(node)?, point: CrashPoint::Now, after: 0 },
        ["crash", node, point] => {
            let (_, point) = POINTS
                .iter()
                .find(|(name, _)| name == point)
                .ok_or("unknown crash point; expected persist, sending or sent")?;
            Fault::Crash { node: member(node)?, point: *point, after: 0 }
        }
        ["rollback", ..] if protocol == Protocol::Abft => {
            return Err("validators of ABFT must not lose records of their disk".to_owned());
        }
        ["rollback", node, lost] => {
            Fault::Rollback { node: member(node)?, lost: number::<u32>(lost)? as usize }
        }
        ["restart", node] => Fault::Restart { node: member(node)? },
        ["split", group] => {
            let mut group = group.split('-').map(member).collect::<Result<Vec<_>, _>>()?;
            group.sort_unstable();
            group.dedup();
            Fault::Split { groups: vec![group], holds: false, one_way: false }
        }
        ["heal"] => Fault::Heal,
        ["links", latency, jitter, loss] => {
            let quality =
                LinkQuality { latency: number(latency)?, jitter: number(jitter)?, loss: number(loss)? }
                    .check()?;
            Fault::Relink { link: quality.link() }
        }
        ["slow", node, latency] => {
            let latency = number(latency)?;
            let quality = LinkQuality { latency, jitter: latency / 4, loss: 0 }.check()?;
            Fault::Degrade { node: member(node)?, link: quality.link() }
        }
        ["recover", node] => Fault::Recover { node: member(node)? },
        ["turn", node, name] => Fault::Turn { node: member(node)?, behaviour: behaviour(name, protocol)? },
        _ => return Err(format!("unknown intervention {text:?}")),
    })
}

const POINTS: &[(&str, CrashPoint)] = &[
    ("persist", CrashPoint::DuringPersist),
    ("sending", CrashPoint::BeforeSend),
    ("sent", CrashPoint::DuringSend),
];

/// Returns the text that [`action`] parses.
pub fn action_name(fault: &Fault) -> String {
    match fault {
        Fault::Crash { node, point, .. } => match POINTS.iter().find(|(_, known)| known == point) {
            Some((name, _)) => format!("crash.{node}.{name}"),
            None => format!("crash.{node}"),
        },
        Fault::Restart { node } => format!("restart.{node}"),
        Fault::Rollback { node, lost } => format!("rollback.{node}.{lost}"),
        Fault::Split { groups, .. } => {
            let group = groups.first().map(Vec::as_slice).unwrap_or_default();
            format!("split.{}", group.iter().map(usize::to_string).collect::<Vec<_>>().join("-"))
        }
        Fault::Heal => "heal".to_owned(),
        Fault::Relink { link } => {
            let LinkQuality { latency, jitter, loss } =
                LinkQuality::from_link(link).unwrap_or(LinkQuality { latency: 0, jitter: 0, loss: 0 });
            format!("links.{latency}.{jitter}.{loss}")
        }
        Fault::Degrade { node, link } => {
            format!("slow.{node}.{}", LinkQuality::from_link(link).map_or(0, |quality| quality.latency))
        }
        Fault::Recover { node } => format!("recover.{node}"),
        Fault::Turn { node, behaviour } => format!("turn.{node}.{}", behaviour_name(behaviour)),
    }
}
