"""An Ethereum light client's checks on files, with quorate's committees: the Rust example in Python."""
