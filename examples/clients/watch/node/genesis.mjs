// A chain's genesis file, which lists the validators. Its hash is the chain id, to which every signature is bound.

const SCHEMES = { bls: 'MinSig', ed25519: 'Ed25519' };
const PARAMETERS = {
  max_transaction_bytes: 128n << 10n,
  batch_bytes: 500_000n,
  batch_delay_ms: 100n,
  view_timeout_ms: 1_000n,
  max_view_timeout_ms: 30_000n,
};
const KEYS = ['identity_key', 'identity_possession', 'voting_key', 'voting_possession'];

/** The reason why a genesis file is invalid. */
export class InvalidGenesis extends Error {}

/** The committees of a genesis file, with verified proofs of possession. */
export function readGenesis(quorate, { Committees }, text) {
  const { Committee, PublicKey, Signature, Suite, UnverifiedKey } = quorate;
  const file = parse(text);
  const suite = Suite[SCHEMES[string(file, 'scheme')]];
  if (!suite) throw new InvalidGenesis('unknown scheme: expected bls or ed25519');
  const [chain, epoch] = [chainId(quorate, file), number(file.epoch ?? 0n, 64)];
  const committee = (suite, kind) => {
    const members = file.member.map((member) => {
      const key = PublicKey.decode(suite, unhex(member, `${kind}_key`));
      const possession = Signature.decode(suite, unhex(member, `${kind}_possession`));
      return [new UnverifiedKey(key, possession).verify(), number(member.weight, 128)];
    });
    return new Committee(chain, epoch, members);
  };
  const identities = committee(Suite.Ed25519, 'identity');
  return new Committees(committee(suite, 'voting'), identities);
}

/** The hash of the file's content in the encoding of examples/node/src/genesis. */
function chainId({ ChainId, wire }, file) {
  const w = new wire.Writer();
  w.u8(1);
  w.bytes(Buffer.from(string(file, 'chain')));
  w.bytes(Buffer.from(string(file, 'scheme')));
  w.u64(number(file.epoch ?? 0n, 64));
  for (const [name, standard] of Object.entries(PARAMETERS)) {
    w.u32(Number(number(file.parameters[name] ?? standard, 32)));
  }
  w.count(file.member.length);
  for (const member of file.member) {
    w.bytes(Buffer.from(string(member, 'name')));
    w.bytes(Buffer.from(string(member, 'address')));
    w.u128(number(member.weight, 128));
    for (const key of KEYS) w.bytes(unhex(member, key));
  }
  return ChainId.fromBytes(wire.hash('quorate-v1-genesis', w.intoBytes()));
}

/**
 * Parser for the subset of TOML that `quorate genesis` writes: numbers, strings, one table and one list of tables. Refuses
 * unknown fields, because they may change the meaning of the file.
 */
export function parse(text) {
  const file = table();
  let [place, known] = [file, ['chain', 'scheme', 'epoch']];
  Object.assign(file, { parameters: undefined, member: [] });
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const wrong = (what) => new InvalidGenesis(`line ${index + 1}: ${what}`);
    const content = line.trim();
    const field = /^([a-z_]+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[0-9]+)\s*(?:#.*)?$/.exec(content);
    if (content === '' || content.startsWith('#')) continue;
    if (/^\[\[member\]\]\s*(#.*)?$/.test(content)) {
      [place, known] = [table(), ['name', 'address', 'weight', ...KEYS]];
      file.member.push(place);
    } else if (/^\[parameters\]\s*(#.*)?$/.test(content) && !file.parameters) {
      [place, known] = [(file.parameters = table()), Object.keys(PARAMETERS)];
    } else if (!field) {
      throw wrong('expected a field, [parameters] or [[member]]');
    } else if (!known.includes(field[1]) || field[1] in place) {
      throw wrong(`unknown or repeated field ${field[1]}`);
    } else {
      place[field[1]] = value(field[2], wrong);
    }
  }
  file.parameters ??= table();
  if (file.member.length === 0) throw new InvalidGenesis('expected at least one member');
  return file;
}

const table = () => Object.create(null);

function value(text, wrong) {
  if (text.startsWith("'")) return text.slice(1, -1);
  if (!text.startsWith('"')) return BigInt(text);
  try {
    return JSON.parse(text);
  } catch {
    throw wrong('malformed string');
  }
}

function string(found, name) {
  if (typeof found[name] !== 'string') throw new InvalidGenesis(`missing string ${name}`);
  return found[name];
}

/** An integer; numbers beyond TOML's range are strings. */
function number(found, bits) {
  const value = typeof found === 'string' && /^[0-9]{1,39}$/.test(found) ? BigInt(found) : found;
  if (typeof value !== 'bigint' || value >> BigInt(bits) !== 0n) {
    throw new InvalidGenesis(`expected an integer of at most ${bits} bits`);
  }
  return value;
}

function unhex(found, name) {
  const digits = string(found, name);
  if (!/^([0-9a-fA-F]{2})*$/.test(digits)) throw new InvalidGenesis(`${name} is not hexadecimal`);
  return new Uint8Array(Buffer.from(digits, 'hex'));
}
