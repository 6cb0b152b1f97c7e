// Behaviour of a Worker in every environment: in a page, in Node, and in the output of bundlers. `m` is the module
// `quorate-wasm/worker`, `samples` are encodings as in worker-sample.mjs.

const text = (value) =>
  JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return `${part}n`;
    return part instanceof Uint8Array ? `bytes ${[...part]}` : part;
  });

function same(found, expected, what) {
  if (text(found) !== text(expected)) throw new Error(`${what}: ${text(found)} instead of ${text(expected)}`);
}

async function refused(promise, what) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`${what} was not refused`);
}

const fail = (message) => {
  throw new Error(message);
};
const weighted = (keys) => keys.map((key) => [key, 1n]);
const begun = (m, build) => m.startWorker({ build });

async function withWorker(m, build, use) {
  const worker = await begun(m, build);
  try {
    await use(worker);
  } finally {
    worker.terminate();
  }
}

async function verifies(committee, s, full) {
  const { suite, id } = s;
  const statement = { kind: 1, epoch: 5n, view: 9n, digest: new Uint8Array(32).fill(7) };
  const certificate = { suite, statement, signers: s.signers, committee: id };
  same([committee.suite, committee.id, committee.epoch, committee.size], [suite, id, 5n, s.keys.length], 'the committee');
  same(committee.totalWeight, BigInt(s.keys.length), 'its weight');
  if (committee.quorumWeight <= committee.honestWeight) fail('a quorum is more than the honest');
  same(await committee.verifyCertificate(s.certificate), certificate, 'the certificate');
  same(await committee.verifyDetached(s.detached, s.statement), certificate, 'the detached certificate');
  same(await committee.verifyRaw(s.message, { indices: s.signers }, s.proof), BigInt(s.signers.length), 'raw weight');
  const bad = await refused(committee.verifyDetached(s.swapped, s.statement), 'a certificate of something else');
  same([bad.code, bad.name], ['BAD_SIGNATURE', 'BadSignatureError'], 'its error');
  const short = s.certificate.slice(1);
  const [good, malformed, again] = await committee.verifyCertificates([s.certificate, short, s.certificate]);
  same([good, again], [certificate, certificate], 'a batch');
  if (malformed.code === undefined || !(malformed instanceof Error)) fail('a batch says what is wrong');
  if (!full) return;
  const items = [[s.message, { indices: s.signers }, s.proof], [s.statement, { indices: s.signers }, s.proof], [s.message, { indices: [9] }, s.proof]];
  const [heavy, forged, unknown] = await committee.verifyRawBatch(items);
  same([heavy, forged.code, unknown.code], [BigInt(s.signers.length), 'BAD_SIGNATURE', 'UNKNOWN_SIGNER'], 'a batch of raw proofs');
  const foreign = await committee.withCiphersuite(s.ciphersuite);
  same([foreign.constructor, foreign.id], [committee.constructor, id], 'the same committee under another ciphersuite');
  if (s.eachProof) same(await foreign.verifyRawEach(s.each, s.eachProof), BigInt(s.each.length), 'a message per member');
  foreign.free();
  const vote = { suite, statement, signer: 1, committee: id };
  same(await committee.verifyVote(s.vote), vote, 'the vote');
  const timeout = { suite, kind: 2, epoch: 5n, view: 9n };
  same(await committee.verifyTimeoutVote(s.timeoutVote), { ...timeout, value: 1n, signer: 1, committee: id }, 'the timeout vote');
  const { highestValue, signers, ...rest } = await committee.verifyTimeoutCertificate(s.timeoutCertificate);
  same(rest, { ...timeout, committee: id }, 'the timeout certificate');
  if (highestValue > 3n || signers.length < s.signers.length) fail('the timeout certificate');
  same(await committee.verifyEquivocation(s.equivocation), { suite, culprits: [2], committee: id }, 'the equivocation');
  const { culprits } = await committee.verifyConflict(s.conflict);
  if (culprits.length === 0) fail('a conflict has culprits');
}

export const cases = {
  async 'everything that it verifies'(m, samples) {
    await withWorker(m, 'full', async (worker) => {
      for (const s of samples) {
        await verifies(await worker.committee(s.suite, 'worker', 5n, weighted(s.keys)), s, true);
        await verifies(await worker.committeeFromAttested(s.suite, 'worker', 5n, weighted(s.publicKeys)), s, true);
        const [good, bad, short] = await worker.verifyKeys(s.suite, [s.keys[0], s.badKey, new Uint8Array(3)]);
        same(good, s.publicKeys[0], 'a key');
        same([bad.code, short.code], ['BAD_POSSESSION', 'MALFORMED'], 'bad keys');
        if (!(bad instanceof m.BadPossessionError)) fail('errors have their classes');
      }
    });
  },

  async 'the small build does its part'(m, samples) {
    await withWorker(m, 'certificate', async (worker) => {
      for (const s of samples) {
        const committee = await worker.committeeFromAttested(s.suite, 'worker', 5n, weighted(s.publicKeys));
        await verifies(committee, s, false);
        if ('verifyVote' in committee || 'withCiphersuite' in committee || 'committee' in worker) fail('the small build offers what it has not');
      }
    });
  },

  async 'errors are those of the package'(m, [s]) {
    await withWorker(m, 'certificate', async (worker) => {
      const make = (keys, ...more) => worker.committeeFromAttested(s.suite, 'worker', 5n, keys, ...more);
      const twice = await refused(make(weighted([s.publicKeys[0], s.publicKeys[0]])), 'a key that stands twice');
      if (!(twice instanceof m.RelatedKeysError)) fail(`RelatedKeysError: ${twice}`);
      same(twice.details, { first: 0, second: 1 }, 'its details');
      same((await make(weighted([s.publicKeys[0], s.publicKeys[0]]), { allowRepeats: true })).size, 2, 'repeats');
      const committee = await make(weighted(s.publicKeys));
      const unknown = await refused(committee.verifyRaw(s.message, { indices: [4] }, s.proof), 'member 4');
      same([unknown.code, unknown.name, unknown.details], ['UNKNOWN_SIGNER', 'UnknownSignerError', { index: 4 }], 'details');
      const name = await refused(worker.committeeFromAttested('rsa', 'worker', 5n, weighted(s.publicKeys)), 'a suite that there is not');
      same(name.code, 'WRONG_CONTEXT', 'its code');
      same((await refused(worker.committeeFromAttested(s.suite, new Uint8Array(31), 5n, []), '31 bytes')).code, 'MALFORMED', 'a chain');
      const endless = { *[Symbol.iterator]() { for (;;) yield [s.publicKeys[0], 1n]; } };
      same((await refused(make(endless), 'an endless list')).code, 'TOO_LARGE', 'an endless list');
      const angry = { *[Symbol.iterator]() { yield [s.publicKeys[0], 1n]; throw new Error('mine'); } };
      same((await refused(make(angry), 'an angry list')).message, 'mine', 'the own error');
    });
  },

  async 'wrong types and ranges reject before anything is sent'(m, [s]) {
    await withWorker(m, 'full', async (worker) => {
      const committee = await worker.committeeFromAttested(s.suite, 'worker', 5n, weighted(s.publicKeys));
      const is = async (promise, Class, what) => {
        const error = await refused(promise, what);
        if (!(error instanceof Class) || 'code' in error) fail(`${what}: ${error.name}: ${error.message}`);
      };
      const wrong = [undefined, null, 7, 7n, 'ff', true, {}, [1], () => {}, Symbol('x'), new ArrayBuffer(4), new DataView(new ArrayBuffer(4)), new Uint16Array(4)];
      for (const bad of wrong) {
        const what = String(bad);
        for (const method of ['verifyCertificate', 'verifyVote', 'verifyTimeoutVote', 'verifyTimeoutCertificate', 'verifyEquivocation', 'verifyConflict']) {
          await is(committee[method](bad), TypeError, `${method} of ${what}`);
        }
        await is(committee.verifyDetached(s.detached, bad), TypeError, `a statement ${what}`);
        await is(committee.verifyCertificates([bad]), TypeError, `a batch of ${what}`);
        await is(committee.verifyRaw(bad, { indices: [] }, s.proof), TypeError, `a message ${what}`);
        await is(committee.verifyRaw(s.message, bad, s.proof), TypeError, `signers ${what}`);
        await is(committee.verifyRawEach([[0, bad]], s.proof), TypeError, `a member's message ${what}`);
        await is(committee.verifyRawBatch([[s.message, bad, s.proof]]), TypeError, `an item's signers ${what}`);
        await is(committee.withCiphersuite(bad), TypeError, `a ciphersuite ${what}`);
        await is(worker.verifyKeys(s.suite, [bad]), TypeError, `a key ${what}`);
        if (typeof bad !== 'string') await is(worker.committee(bad, 'x', 1n, []), TypeError, `a suite ${what}`);
        if (typeof bad !== 'string') await is(worker.committee(s.suite, bad, 1n, []), TypeError, `a chain ${what}`);
        if (typeof bad !== 'bigint') await is(worker.committee(s.suite, 'x', bad, []), TypeError, `an epoch ${what}`);
        if (bad !== undefined) {
          await is(committee.verifyCertificate(s.certificate, { signal: bad }), TypeError, `a signal ${what}`);
          await is(m.startWorker({ build: bad }), TypeError, `a build ${what}`);
        }
      }
      for (const bad of [7, {}, [[s.publicKeys[0]]], [[s.publicKeys[0], 1]], undefined, 'abc']) {
        await is(worker.committee(s.suite, 'x', 1n, bad), TypeError, `members ${String(bad)}`);
      }
      for (const bad of [-1n, 1n << 64n]) await is(worker.committee(s.suite, 'x', bad, []), RangeError, `epoch ${bad}`);
      await is(worker.committee(s.suite, 'x', 1n, [[s.keys[0], 1n << 128n]]), RangeError, 'a weight');
      class Liar extends Uint8Array { get length() { return 4; } }
      same((await committee.verifyCertificate(new Liar(s.certificate))).signers, s.signers, 'bytes that lie');
      const { verifyCertificate } = committee;
      await is(verifyCertificate.call({}, s.certificate), TypeError, 'a wrong this');
      await is(worker.committee.call({}, s.suite, 'x', 1n, []), TypeError, 'a wrong this');
      // It still works.
      same((await committee.verifyCertificate(s.certificate)).signers, s.signers, 'afterwards');
    });
  },

  async 'detached bytes are refused, the caller keeps its own'(m, [s]) {
    await withWorker(m, 'certificate', async (worker) => {
      const committee = await worker.committeeFromAttested(s.suite, 'worker', 5n, weighted(s.publicKeys));
      const gone = s.certificate.slice();
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      const error = await refused(committee.verifyCertificate(gone), 'a detached array');
      if (!(error instanceof TypeError) || !/detached/.test(error.message)) fail(String(error));
      // Changed, and even transferred, after the call was made.
      const own = s.certificate.slice();
      const changed = committee.verifyCertificate(own);
      own.fill(0);
      const mine = s.certificate.slice();
      const transferred = committee.verifyCertificate(mine);
      same(mine.length, s.certificate.length, 'it is still there');
      structuredClone(mine.buffer, { transfer: [mine.buffer] });
      same((await changed).signers, s.signers, 'changed afterwards');
      same((await transferred).signers, s.signers, 'transferred afterwards');
      const part = new Uint8Array(s.certificate.length + 8);
      part.set(s.certificate, 4);
      same((await committee.verifyCertificate(part.subarray(4, -4))).signers, s.signers, 'a view of more');
    });
  },

  async 'calls can be called off'(m, [s]) {
    await withWorker(m, 'full', async (worker) => {
      const committee = await worker.committeeFromAttested(s.suite, 'worker', 5n, weighted(s.publicKeys));
      const before = await refused(committee.verifyCertificate(s.certificate, { signal: AbortSignal.abort() }), 'called off before');
      same(before.name, 'AbortError', 'its name');
      const [running, waiting] = [new AbortController(), new AbortController()];
      const order = [];
      const noted = (name, promise) => promise.then(() => order.push(name), (error) => order.push(`${name}: ${error.message}`));
      const all = [
        noted('under way', committee.verifyCertificates(Array(64).fill(s.certificate), { signal: running.signal })),
        noted('waits', worker.committee(s.suite, 'x', 5n, weighted(s.keys), { signal: waiting.signal })),
        noted('goes on', committee.verifyCertificate(s.certificate)),
      ];
      waiting.abort(new Error('no more'));
      running.abort(new Error('enough'));
      await Promise.all(all);
      same(order.slice(0, 2).sort(), ['under way: enough', 'waits: no more'], 'what was called off');
      same(order[2], 'goes on', 'what was not');
      const starting = await refused(m.startWorker({ signal: AbortSignal.abort(new Error('not today')) }), 'a start');
      same(starting.message, 'not today', 'its reason');
    });
  },

  async 'after the end everything is CLOSED'(m, [s]) {
    const worker = await begun(m, 'full');
    const committee = await worker.committeeFromAttested(s.suite, 'worker', 5n, weighted(s.publicKeys));
    const other = await worker.committeeFromAttested(s.suite, 'worker', 5n, weighted(s.publicKeys));
    other.free();
    other.free();
    const freed = await refused(other.verifyCertificate(s.certificate), 'a freed committee');
    if (!(freed instanceof m.ClosedError)) fail(String(freed));
    const due = [committee.verifyCertificates(Array(64).fill(s.certificate)), committee.verifyVote(s.vote)];
    const outcomes = Promise.all(due.map((promise) => refused(promise, 'what was due')));
    same(worker.terminated, false, 'before the end');
    worker.terminate();
    worker.terminate();
    same(worker.terminated, true, 'after the end');
    const late = [committee.verifyVote(s.vote), worker.verifyKeys(s.suite, []), worker.committee(s.suite, 'x', 1n, [])];
    const errors = [...(await outcomes), ...(await Promise.all(late.map((promise) => refused(promise, 'a late call'))))];
    for (const error of errors) {
      same([error.code, error.name, error instanceof m.ClosedError], ['CLOSED', 'ClosedError', true], 'the error');
    }
    committee.free();
  },

  async 'more calls than may wait are refused'(m, [s]) {
    const worker = await begun(m, 'certificate');
    const calls = Array.from({ length: m.MAX_WAITING + 2 }, () => worker.committeeFromAttested(s.suite, 'x', 1n, []));
    const outcomes = calls.map((promise) => refused(promise, 'an empty committee').then(({ code }) => code));
    same(await outcomes.at(-1), 'TOO_LARGE', 'the last one');
    worker.terminate();
    const codes = new Set(await Promise.all(outcomes));
    for (const code of codes) if (!['TOO_LARGE', 'CLOSED', 'BAD_COMMITTEE'].includes(code)) fail(`code ${code}`);
  },

  async 'nothing can be forged'(m) {
    for (const Class of [m.QuorateWorker, m.CertificateWorker, m.WorkerCommittee, m.CertificateWorkerCommittee]) {
      for (const args of [[], [Symbol('quorate'), {}, {}]]) {
        try {
          new Class(...args);
        } catch (error) {
          if (error instanceof TypeError && error.message.includes('cannot be constructed')) continue;
        }
        fail(`${Class.name} can be constructed`);
      }
    }
  },
};
