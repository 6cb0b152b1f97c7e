//! Torture of a chain: faults in random order, under load, without the loss of an acknowledged transaction.

#![allow(unreachable_pub, reason = "the modules of a test are not reached from outside")]

mod client;
mod control;
mod faults;
pub mod hostile;
mod load;
mod network;

use super::support::chain::FOUNDERS;
pub use faults::Fault;
pub use network::Torture;

impl Torture {
    /// All faults of the protocol once, in random order.
    pub fn each_fault(&mut self) {
        let mut faults = Fault::of_protocol(self.protocol);
        while !faults.is_empty() {
            let fault = faults.swap_remove(self.below(faults.len()));
            self.cycle(fault);
        }
    }

    /// A random one of these faults. Returns a description of the cycle.
    pub fn random_cycle(&mut self, faults: &[Fault]) -> String {
        let fault = faults[self.below(faults.len())];
        self.cycle(fault)
    }

    /// Applies a fault, and waits until all validators participate and commit.
    fn cycle(&mut self, fault: Fault) -> String {
        self.cycles += 1;
        let what = self.apply(fault);
        FOUNDERS.iter().for_each(|name| self.wait_for(name));
        self.grow_all();
        self.check_safety();
        let heights = FOUNDERS.map(|name| self.height_of(name).unwrap_or_default().to_string()).join(" ");
        format!("{what:<44} heights {heights}, {} acknowledged", self.load.acknowledged())
    }
}
