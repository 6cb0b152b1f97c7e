//! Runs delivered blocks through the application, off the consensus thread.
