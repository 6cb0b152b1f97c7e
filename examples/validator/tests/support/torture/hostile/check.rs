//! Checks after attacks: agreement, nothing lost, and only the hostile member accused.

use quorate_node::evidence::EvidenceFile;

use super::{HONEST, HOSTILE, HostileTorture};
use crate::support::get;
use crate::torture::network::{VIOLATIONS, find_on_all};

impl HostileTorture {
    /// Ends the load, finds every acknowledged transaction on all honest validators, and compares their states.
    pub fn finish(&mut self) -> String {
        self.load.stop();
        let acknowledged = self.load.acknowledged_since(0);
        assert!(!acknowledged.is_empty(), "no transaction was acknowledged");
        find_on_all(&self.chain, &HONEST, &acknowledged);
        self.chain.compare_states();
        let evidence: usize = HONEST.iter().map(|name| self.check_accusations(name)).sum();
        let (protocol, height, count) = (self.protocol, self.height(HONEST[0]), acknowledged.len());
        format!(
            "{protocol}: height {height}, {count} transactions acknowledged and found on the three honest validators, 0 lost, \
             states equal, {evidence} files of evidence, all against {HOSTILE}"
        )
    }

    /// Checks that an honest validator accuses only the hostile one. Returns the number of files of evidence.
    fn check_accusations(&self, name: &str) -> usize {
        let names_another = |line: &str| HONEST.iter().any(|honest| line.contains(&format!("peer={honest}")));
        let log = self.chain.sandbox.read(&format!("{name}/log.txt"));
        let accused = log.lines().find(|line| {
            VIOLATIONS.iter().any(|text| line.contains(text))
                && (names_another(line) || !line.contains(HOSTILE))
        });
        assert_eq!(accused, None, "in the log of {name}");
        let metrics = get(&self.chain.node(name), "/metrics");
        assert!(metrics.contains("quorate_height"), "{metrics}");
        let mut faults =
            metrics.lines().filter(|line| line.starts_with("quorate_faults") && line.contains("peer="));
        let accused = faults.find(|line| !line.contains(&format!("peer=\"{HOSTILE}\"")));
        assert_eq!(accused, None, "in the metrics of {name}");
        let folder = self.chain.sandbox.path(&format!("{name}/data/evidence"));
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.map(|file| assert_eq!(EvidenceFile::load(&file.path()).unwrap().name, HOSTILE)).count()
    }
}
