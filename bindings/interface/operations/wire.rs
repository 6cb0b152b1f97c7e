//! The wire format. What was read is written again, and must result in the same bytes.

/// The bytes with another integer of two bytes.
fn with_u16(data: Bytes, at: usize, value: u16) -> Bytes {
    joined([slice(data, 0, at), filled(value % 256, 1), filled(value / 256, 1), slice(data, at + 2, data.len())])
}

pub mod wire {
    /// Fails unless all bytes were read, and what was written equals them.
    fn finish(input: Json, reader: Reader, writer: Writer) {
        reader.finish();
        check!(writer.into_bytes() == input.bytes("bytes"));
    }

    pub fn uint(input: Json) -> Json {
        let reader = Reader::new(input.bytes("bytes"));
        let writer = Writer::new();
        let value = integer(reader, writer, input.u8("width"));
        finish(input, reader, writer);
        json! { value: value }
    }

    fn integer(reader: Reader, writer: Writer, width: u8) -> Json {
        match width {
            1 => {
                let value = reader.u8();
                writer.u8(value);
                shown(value.to_string())
            }
            2 => {
                let value = reader.u16();
                writer.u16(value);
                shown(value.to_string())
            }
            4 => {
                let value = reader.u32();
                writer.u32(value);
                shown(value.to_string())
            }
            8 => {
                let value = reader.u64();
                writer.u64(value);
                shown(value)
            }
            16 => {
                let value = reader.u128();
                writer.u128(value);
                shown(value)
            }
            _ => unknown("width"),
        }
    }

    pub fn varint(input: Json) -> Json {
        let reader = Reader::new(input.bytes("bytes"));
        let writer = Writer::new();
        let value = reader.varint();
        writer.varint(value);
        finish(input, reader, writer);
        json! { value: value.to_string() }
    }

    pub fn bytes(input: Json) -> Json {
        let reader = Reader::new(input.bytes("bytes"));
        let writer = Writer::new();
        let value = reader.bytes(input.usize("cap"));
        writer.bytes(value);
        finish(input, reader, writer);
        json! { value: value }
    }

    pub fn list(input: Json) -> Json {
        let reader = Reader::new(input.bytes("bytes"));
        let writer = Writer::new();
        let count = reader.count(input.usize("cap"));
        let items = range(count).map(|_| reader.u64());
        writer.count(count as u32);
        for item in items {
            writer.u64(item);
        }
        finish(input, reader, writer);
        json! { value: items }
    }

    pub fn option(input: Json) -> Json {
        let reader = Reader::new(input.bytes("bytes"));
        let writer = Writer::new();
        let is_some = reader.option();
        writer.option(is_some);
        if is_some {
            let value = reader.u64();
            writer.u64(value);
            finish(input, reader, writer);
            return json! { value: value };
        }
        finish(input, reader, writer);
        json! { value: None }
    }

    pub fn hash(input: Json) -> Json {
        check!(wire::domains().contains(input.text("domain")));
        json! { hash: wire::hash(input.text("domain"), input.bytes("bytes")) }
    }
}
