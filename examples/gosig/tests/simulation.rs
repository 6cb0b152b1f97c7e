//! Gosig in the simulator.
