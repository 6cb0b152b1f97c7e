//! Records, blocks and batches on disk.
