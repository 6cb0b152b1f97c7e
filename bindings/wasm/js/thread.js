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

  const shownStatement = ({ kind, epoch, view, digest }) => ({ kind, epoch, view, digest });
  /** A verified object as plain data, converted by `show`. */
  const shown = (keep, verified, show) => ({ ...show(keep(verified.value), keep), committee: verified.committee.bytes });
  const shownCertificate = (value, keep) => ({
    suite: value.suite,
    statement: shownStatement(keep(value.statement)),
    signers: [...keep(value.signers)],
  });
  const shownVote = (value, keep) => ({
    suite: value.suite,
    statement: shownStatement(keep(value.statement)),
    signer: value.signer,
  });
  const shownTimeoutVote = ({ suite, kind, epoch, view, value, signer }) => ({ suite, kind, epoch, view, value, signer });
  const shownTimeout = (value, keep) => ({
    suite: value.suite,
    kind: value.kind,
    epoch: value.epoch,
    view: value.view,
    highestValue: value.highestValue,
    signers: [...keep(value.signers)],
  });

  /** Decodes, verifies and converts. */
  const checked = (id, decode, show) =>
    scoped((keep) => shown(keep, keep(keep(decode(at(id), keep)).verify(at(id))), show));
  const bySuite = (Class, data) => (committee) => Class.decode(committee.suite, data);
  const byCommittee = (Class, data) => (committee) => Class.decode(data, committee);

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
    certificate: (id, data) => checked(id, byCommittee(q.Certificate, data), shownCertificate),
    detached: (id, data, statement) =>
      checked(
        id,
        (committee, keep) => q.Certificate.decodeDetached(data, keep(q.Statement.decode(statement)), committee),
        shownCertificate,
      ),
    batch: (id, all) =>
      scoped((keep) => {
        const decode = (data) => keep(q.Certificate.decode(data, at(id)));
        // The small build has no batches; its verdicts are the same.
        const verify = (good) =>
          q.Certificate.verifyBatch
            ? q.Certificate.verifyBatch(at(id), good).map(result)
            : each(good, (certificate) => certificate.verify(at(id)));
        const show = ({ value, error }) => (error ? { error } : { value: shown(keep, keep(value), shownCertificate) });
        return together(all, decode, (good) => verify(good).map(show));
      }),
    timeoutCertificate: (id, data) => checked(id, byCommittee(q.TimeoutCertificate, data), shownTimeout),
    vote: (id, data) => checked(id, bySuite(q.Vote, data), shownVote),
    timeoutVote: (id, data) => checked(id, bySuite(q.TimeoutVote, data), shownTimeoutVote),
    equivocation: (id, data) =>
      checked(id, bySuite(q.Equivocation, data), (value) => ({ suite: value.suite, culprits: [...value.culprits()] })),
    conflict: (id, data) =>
      checked(id, byCommittee(q.Conflict, data), (value, keep) => ({
        suite: value.suite,
        culprits: [...keep(value.culprits())],
      })),
  };
}
