// The Worker's side: handles requests one after another, and answers with copies.

import { pack, unpack } from './packing.js';

/** Frees the objects that `work` creates when it is done, instead of at a later garbage collection. */
function scoped(work) {
  const kept = [];
  const keep = (object) => {
    kept.push(object);
    return object;
  };
  try {
    return work(keep);
  } finally {
    for (const object of kept) object.free();
  }
}

/** Describes an error in data that can be copied. */
function described(error) {
  if (error?.code !== undefined && error.culprits) {
    const { code, message, culprits, details } = error;
    return { code, message, culprits, details };
  }
  return { name: error?.name, message: String(error?.message ?? error) };
}

/** Answers messages through `answer`, the environment's `postMessage`; `api` is a build of this package. */
export function serve(api, answer) {
  const work = operations(api);
  answer({ id: 0, value: pack() });
  return async ({ id, operation, given }) => {
    try {
      const done = operation === 'init' ? await api.init(given) : work[operation](...unpack(given));
      const value = pack(done);
      answer({ id, value }, [value.bytes.buffer]);
    } catch (error) {
      // After a trap the module's memory may be inconsistent.
      answer({ id, error: described(error), fatal: error instanceof WebAssembly.RuntimeError });
    }
  };
}

function operations(q) {
  const committees = new Map();
  let next = 1;
  const at = (id) => committees.get(id);

  const chainOf = (chain) => (typeof chain === 'string' ? q.ChainId.fromName(chain) : q.ChainId.fromBytes(chain));
  const remember = (committee) => {
    const id = next++;
    committees.set(id, committee);
    const { suite, epoch, size, totalWeight, quorumWeight, honestWeight } = committee;
    return { id, suite, committee: committee.id.bytes, epoch, size, totalWeight, quorumWeight, honestWeight };
  };
  /** The result for each item of a list. */
  const each = (items, check) =>
    items.map((item) => {
      try {
        return { value: check(item) };
      } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) throw error;
        return { error: described(error) };
      }
    });

  /** The result for each item of a list: the error of `read`, or what `decide` finds for all that were read. */
  const together = (items, read, decide) => {
    const all = each(items, read);
    const results = decide(all.filter(({ error }) => !error).map(({ value }) => value)).values();
    return all.map((one) => (one.error ? one : results.next().value));
  };
  const result = (one) => (one instanceof Error ? { error: described(one) } : { value: one });

  /** These properties of an object as plain data. */
  const shown = (object, names, keep) =>
    Object.fromEntries(names.map((name) => [name, plain(typeof object[name] === 'function' ? object[name]() : object[name], keep)]));
  const plain = (value, keep) => {
    if (value instanceof q.Statement) return shown(keep(value), ['kind', 'epoch', 'view', 'digest'], keep);
    return value instanceof q.SignerSet ? [...keep(value)] : value;
  };
  /** These properties of a verified object, and the committee. */
  const verified = ({ value, committee }, names, keep) => ({ ...shown(keep(value), names, keep), committee: committee.bytes });
  const certificate = ['suite', 'statement', 'signers'];
  const timeout = ['suite', 'kind', 'epoch', 'view'];

  /** Decodes, verifies and converts. */
  const checked = (id, decode, names) =>
    scoped((keep) => verified(keep(keep(decode(at(id), keep)).verify(at(id))), names, keep));
  const bySuite = (Class, names) => (id, data) => checked(id, ({ suite }) => Class.decode(suite, data), names);
  const byCommittee = (Class, names) => (id, data) => checked(id, (committee) => Class.decode(data, committee), names);

  return {
    attested: (suite, chain, epoch, members, allowRepeats) =>
      scoped((keep) => {
        const keys = members.map(([key, weight]) => [keep(q.PublicKey.decode(suite, key)), weight]);
        return remember(q.Committee.fromAttested(chainOf(chain), epoch, keys, { allowRepeats }));
      }),
    committee: (suite, chain, epoch, members) =>
      scoped((keep) => {
        const verified = (key) => keep(keep(q.UnverifiedKey.decode(suite, key)).verify());
        return remember(new q.Committee(chainOf(chain), epoch, members.map(([key, weight]) => [verified(key), weight])));
      }),
    release: (id) => {
      at(id)?.free();
      committees.delete(id);
    },
    keys: (suite, keys) =>
      each(keys, (data) =>
        scoped((keep) => keep(keep(keep(q.UnverifiedKey.decode(suite, data)).verify()).public).encode()),
      ),
    raw: (id, message, signers, proof) =>
      scoped((keep) => at(id).verifyRaw(message, keep(at(id).signerSet(signers)), proof)),
    rawEach: (id, signed, proof) => at(id).verifyRawEach(signed, proof),
    rawBatch: (id, items) =>
      scoped((keep) => {
        const read = ([message, signers, proof]) => [message, keep(at(id).signerSet(signers)), proof];
        return together(items, read, (good) => at(id).verifyRawBatch(good).map(result));
      }),
    ciphersuite: (id, encoded) =>
      scoped((keep) => remember(at(id).withCiphersuite(keep(q.Ciphersuite.decode(encoded))))),
    certificate: byCommittee(q.Certificate, certificate),
    detached: (id, data, statement) => {
      const decode = (committee, keep) => q.Certificate.decodeDetached(data, keep(q.Statement.decode(statement)), committee);
      return checked(id, decode, certificate);
    },
    batch: (id, all) =>
      scoped((keep) => {
        const decode = (data) => keep(q.Certificate.decode(data, at(id)));
        // The small build has no batches; its verdicts are the same.
        const verify = (good) =>
          q.Certificate.verifyBatch
            ? q.Certificate.verifyBatch(at(id), good).map(result)
            : each(good, (one) => one.verify(at(id)));
        const show = ({ value, error }) => (error ? { error } : { value: verified(keep(value), certificate, keep) });
        return together(all, decode, (good) => verify(good).map(show));
      }),
    timeoutCertificate: byCommittee(q.TimeoutCertificate, [...timeout, 'highestValue', 'signers']),
    vote: bySuite(q.Vote, ['suite', 'statement', 'signer']),
    timeoutVote: bySuite(q.TimeoutVote, [...timeout, 'value', 'signer']),
    equivocation: bySuite(q.Equivocation, ['suite', 'culprits']),
    conflict: byCommittee(q.Conflict, ['suite', 'culprits']),
  };
}
