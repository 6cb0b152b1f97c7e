// The vector operations of spec/vectors/{tdh2,coin,threshold}.json. Randomness cannot be passed in: the expected output
// is verified instead, and a value made here has the same form.
import { bytes, hex } from './hex.mjs';

const GROUPS = { 1: 'ristretto255', 2: 'secp256k1' };

/**
 * Operations that no package offers: raw secret scalars, and spending a presignature without signing. Rust runs these
 * cases.
 */
export const isUnbound = ({ operation, input }) =>
  operation === 'sharing.decode' || (operation === 'spending.session' && input.steps.some((step) => step.do === 'spend'));

/**
 * By operation: a function of the input of a case, the suite's name and the expected output. `below` returns an error.
 */
export function thresholdOperations(q, check, below) {
  const { bls, coin, ecdsa, seal, tdh2, Cache } = q.threshold;
  const same = (value, data) => {
    check(hex(value.encode()) === hex(data), 'decoded, but encodes to something else');
    return value;
  };
  const read = (Class, text, ...context) => same(Class.decode(...context, bytes(text)), bytes(text));
  const code = (error) => {
    if (!(error instanceof q.QuorateError)) throw error;
    return error.code;
  };

  /** Common parts of encryption and the coin. `of` creates the instance of the shares. */
  function common(name, module, share, makes, of) {
    const keysOf = (input) => read(module.PublicKeys, input.keys);
    const sharesOf = (input) => input.shares.map((text) => read(module[share], text));
    const keyShareOf = (input) => {
      const secret = module.KeyShare.fromBytes(bytes(input.key_share));
      check(hex(secret.toBytes()) === input.key_share, 'another secret comes out');
      return secret;
    };

    /** All shares together, which must give the results of single verification, with and without tables. */
    function verified(keys, instance, shares) {
      const checked = keys.verifyShares(instance, shares);
      const again = keys.precomputed().verifyShares(instance, shares);
      const members = (list) => list.map(({ member }) => member).join();
      check(members(again.verified) === members(checked.verified), 'tables decide otherwise');
      check(members(again.faults) === members(checked.faults), 'tables decide otherwise');
      const good = checked.verified.values();
      for (const one of shares) {
        try {
          check(keys.verifyShare(instance, one).member === good.next().value.member, 'another order');
        } catch (error) {
          check(code(error) === 'BAD_SHARE' && error.culprits.join() === String(one.member), 'another error');
        }
      }
      check(good.next().done, 'alone they are wrong');
      return checked;
    }

    function session(collector, shares) {
      const outcomes = shares.map((one) => {
        try {
          const { output, error, faults } = collector.add(one);
          const shown = output instanceof Uint8Array ? hex(output) : output?.toString();
          return { output: shown ?? error?.code ?? null, faults: faults.map(({ member }) => member) };
        } catch (error) {
          return { output: code(error), faults: [] };
        }
      });
      return { outcomes };
    }

    const table = {
      keys: (input) => {
        const { committee, key, threshold } = keysOf(input);
        return { committee: String(committee), key: hex(key), needed: threshold.needed, parties: threshold.parties };
      },
      key_share: (input) => {
        const secret = keyShareOf(input);
        secret.check(keysOf(input));
        return { member: secret.member, verification_key: hex(secret.verificationKey) };
      },
      share: (input, _, output) => {
        const keys = keysOf(input);
        const instance = of(input, keys);
        const ours = keyShareOf(input)[makes](instance);
        keys.verifyShare(instance, ours);
        const theirs = read(module[share], output.share);
        check(theirs.member === ours.member, 'of another member');
        // The element is the same; the proof differs.
        check(hex(ours.encode().subarray(0, 34)) === output.share.slice(0, 68), 'another element');
        check(!ours.equals(theirs), 'a proof without randomness');
        keys.verifyShare(instance, theirs);
        return output;
      },
      verify_shares: (input) => {
        const keys = keysOf(input);
        const checked = verified(keys, of(input, keys), sharesOf(input));
        return {
          verified: checked.verified.map(({ member }) => member),
          faults: checked.faults.map(({ member, evidence }) => ({ member, evidence: evidence ? hex(evidence.encode()) : null })),
        };
      },
      wrong_share: (input) => {
        const keys = keysOf(input);
        return { culprit: read(module.WrongShare, input.evidence).verify(keys) };
      },
    };
    const named = Object.entries(table).map(([operation, run]) => [`${name}.${operation}`, run]);
    return { keysOf, sharesOf, verified, session, operations: Object.fromEntries(named) };
  }

  const place = (input) => [BigInt(input.epoch), input.proposer];
  function validOf(input, keys) {
    const key = tdh2.EncryptionKey.fromPublicKeys(keys);
    const ciphertext = read(tdh2.Ciphertext, input.ciphertext);
    const attempt = (one) => {
      try {
        return hex(ciphertext.check(one, ...place(input)).id);
      } catch (error) {
        return code(error);
      }
    };
    check(attempt(key) === attempt(key.precomputed()), 'tables decide otherwise');
    return ciphertext.check(key, ...place(input));
  }
  const nameOf = ({ protocol, epoch, instance, round }) => ({
    protocol,
    epoch: BigInt(epoch),
    instance: BigInt(instance),
    round: BigInt(round),
  });
  const coinOf = (input, keys) => coin.Coin.fromName(keys, nameOf(input.name));

  const encryption = common('tdh2', tdh2, 'DecryptionShare', 'decryptionShare', validOf);
  const tossing = common('coin', coin, 'CoinShare', 'coinShare', coinOf);

  const groupKey = (input) => read(ecdsa.GroupKey, input.key, GROUPS[input.suite]);
  const dealOf = (input) => read(ecdsa.Deal, input.deal);
  const shareOf = (input, text = input.share) => read(ecdsa.SignatureShare, text, GROUPS[input.suite]);
  const openingOf = (input) => read(ecdsa.Opening, input.opening, GROUPS[input.suite]);
  function fileOf(input) {
    const file = ecdsa.Presignatures.fromBytes(GROUPS[input.suite], bytes(input.file));
    check(hex(file.toBytes()) === input.file, 'another file comes out');
    return file;
  }
  /** The tag of an index in any plan. */
  function tagOf(plan, epoch, index) {
    const agreement = plan.agreement(index);
    const [kind, low, high] = plan.encode();
    const [parties, number] = [low + 256 * high, () => (agreement === 'unagreed' ? plan.unagreed(epoch, index) : plan.agreed(epoch, index))];
    if (kind !== 1) return number();
    const [round, within] = [Math.floor((index - parties) / (4 * parties + 1)), (index - parties) % (4 * parties + 1)];
    // Past the end is past the last round.
    if (index < parties) return plan.prbc(epoch, index);
    if (within === 4 * parties || agreement === undefined) return plan.completion(epoch, round);
    return plan.promotion(epoch, round, Math.floor(within / 4), (within % 4) + 1);
  }
  function signingOf(input) {
    const [key, deal] = [groupKey(input), dealOf(input)];
    const tag = tagOf(deal.plan, deal.epoch, input.index);
    return new ecdsa.Signing(key, deal, bytes(input.nonce), tag, bytes(input.message));
  }
  function combined(combiner, shares, needed) {
    for (const one of shares) combiner.add(one.member, one);
    if (combiner.signature !== undefined) return combiner.signature;
    check(shares.length < needed, 'enough shares, and no signature');
    throw below();
  }

  const suites = new Map(Object.entries(q.SUITE_NUMBERS).map(([name, number]) => [number, name]));
  const u32 = (value) => hex(new Uint8Array(new Uint32Array([value]).buffer));
  const good = () => true;

  function step(guard, { do: what, key, epoch, index }) {
    const [name, at] = [bytes(key), BigInt(epoch)];
    if (what === 'close') return guard.closeEpoch(name, at);
    const record = guard.reserve(name, at, index);
    if (what === 'reserve-and-confirm') guard.confirm(record);
    return record;
  }

  return {
    ...encryption.operations,
    ...tossing.operations,
    'tdh2.encryption_key': (input) => {
      const key = read(tdh2.EncryptionKey, input.encryption_key);
      return { committee: String(key.committee), key: hex(key.key) };
    },
    'tdh2.encrypt': (input, _, output) => {
      const keys = encryption.keysOf(input);
      const key = tdh2.EncryptionKey.fromPublicKeys(keys);
      const theirs = validOf({ ...input, ciphertext: output.ciphertext }, keys);
      for (const one of [key, key.precomputed()]) {
        const ours = one.encrypt(...place(input), bytes(input.plaintext));
        check(ours.encode().length === theirs.ciphertext.encode().length, 'of another length');
        check(!ours.equals(theirs.ciphertext), 'encrypted without randomness');
        ours.check(key, ...place(input));
      }
      return output;
    },
    'tdh2.check': (input) => ({ id: hex(validOf(input, encryption.keysOf(input)).id) }),
    'tdh2.decrypt': (input) => {
      const keys = encryption.keysOf(input);
      const valid = validOf(input, keys);
      const { verified } = encryption.verified(keys, valid, encryption.sharesOf(input));
      return { plaintext: hex(valid.combine(keys, verified, new Cache(2))) };
    },
    'tdh2.session': (input) => {
      const keys = encryption.keysOf(input);
      const decryption = new tdh2.Decryption(keys, validOf(input, keys));
      return encryption.session(decryption, encryption.sharesOf(input));
    },
    'coin.toss': (input) => {
      const { base, id, name } = coinOf(input, tossing.keysOf(input));
      check(name.epoch === BigInt(input.name.epoch) && name.round === BigInt(input.name.round), 'another name');
      return { base: hex(base), id: hex(id) };
    },
    'coin.value': (input) => {
      const keys = tossing.keysOf(input);
      const of = coinOf(input, keys);
      const { verified } = tossing.verified(keys, of, tossing.sharesOf(input));
      const value = of.combine(keys, verified, new Cache());
      return { value: String(value), bit: Number(value.bit()), below: input.below.map((n) => value.below(n)) };
    },
    'coin.session': (input) => {
      const keys = tossing.keysOf(input);
      return tossing.session(new coin.Toss(keys, coinOf(input, keys)), tossing.sharesOf(input));
    },
    'ecdsa.plan': (input) => {
      const plan = read(ecdsa.Plan, input.plan);
      // A plan is decoded as part of a deal.
      const roots = '00'.repeat(32 * Math.min(input.parties, 1024));
      const deal = read(ecdsa.Deal, '00'.repeat(40) + hex(plan.encode()) + u32(input.parties) + roots);
      return { count: deal.plan.count };
    },
    'ecdsa.tag': (input) => {
      const plan = read(ecdsa.Plan, input.plan);
      const uses = {
        prbc: () => plan.prbc(0n, input.member),
        promotion: () => plan.promotion(0n, input.round, input.member, input.step),
        completion: () => plan.completion(0n, input.round),
      };
      const numbered = () => (plan.encode()[0] === 3 ? plan.unagreed(0n, input.number) : plan.agreed(0n, input.number));
      const { index, agreement } = (uses[input.use] ?? numbered)();
      return { index, agreed: agreement === 'agreed' };
    },
    'ecdsa.key': (input) => {
      const { id, tolerance } = groupKey(input);
      const needed = (agreement) => tolerance.threshold(agreement).needed;
      const { parties, faulty } = tolerance;
      return { id: hex(id), parties, faulty, needed: { agreed: needed('agreed'), unagreed: needed('unagreed') } };
    },
    'ecdsa.deal': (input) => {
      const { id, key, epoch, plan } = dealOf(input);
      return { id: hex(id), key: hex(key), epoch: String(epoch), count: plan.count };
    },
    'ecdsa.file': (input) => {
      const { member, key, deal, left } = fileOf(input);
      return { member, key: hex(key.id), deal: hex(deal.id), count: left };
    },
    'ecdsa.share': (input) => {
      const { member, epoch, index, digest } = shareOf(input);
      return { member, epoch: String(epoch), index, digest: hex(digest) };
    },
    'ecdsa.opening': (input) => {
      const { member, index } = openingOf(input);
      return { member, index };
    },
    'ecdsa.sign': (input) => {
      const file = fileOf(input);
      const tag = tagOf(file.deal.plan, file.deal.epoch, input.index);
      const guard = new q.Guard(q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(1)), q.ChainId.fromBytes(new Uint8Array(32)));
      const { record, share, opener } = file.take(tag).sign(guard, bytes(input.message));
      check(record instanceof q.GuardRecord, 'no record');
      return { share: hex(share.encode()), attested: hex(share.attestedBytes()), opening: hex(opener.open().encode()) };
    },
    'ecdsa.combine': (input) => {
      const signing = signingOf(input);
      const shares = input.shares.map((text) => shareOf(input, text));
      const needed = groupKey(input).tolerance.threshold(signing.tag.agreement).needed;
      const combiner = new ecdsa.Combiner(signing, new Cache());
      return { signature: hex(combined(combiner, shares, needed).encode()) };
    },
    // A combiner checks a share against its opening only if the signature does not verify. So the other shares are
    // wrong here.
    'ecdsa.check': (input) => {
      const [signing, share, opening] = [signingOf(input), shareOf(input), openingOf(input)];
      const { tolerance } = groupKey(input);
      const combiner = new ecdsa.Combiner(signing);
      const members = Array.from({ length: tolerance.parties }, (_, member) => member).filter((one) => one !== share.member);
      const wrong = members.slice(1 - tolerance.threshold(signing.tag.agreement).needed).map((member) => {
        const data = share.encode();
        data.set([member & 255, member >> 8], 1);
        return ecdsa.SignatureShare.decode(share.group, data);
      });
      const outcomes = [share, ...wrong].map((one) => combiner.add(one.member, one));
      check(outcomes.at(-1).wanted.includes(share.member), 'the opening was not requested');
      const { faults } = combiner.open(share.member, opening);
      for (const { culprit, evidence } of faults) {
        check(culprit === share.member, 'another culprit');
        check(evidence.verify(groupKey(input), dealOf(input), good) === culprit, 'evidence against another member');
      }
      return { right: faults.length === 0 };
    },
    'ecdsa.verify': (input) => {
      const key = groupKey(input);
      const plan = read(ecdsa.Plan, input.plan);
      const signature = read(ecdsa.Signature, input.signature, GROUPS[input.suite]);
      key.verify(tagOf(plan, BigInt(input.epoch), input.index), bytes(input.message), signature);
    },
    'ecdsa.evidence': (input) => {
      const evidence = read(ecdsa.ShareFault, input.evidence, GROUPS[input.suite]);
      const culprit = evidence.verify(groupKey(input), dealOf(input), good);
      check(culprit === evidence.share.member, 'another culprit');
      return { culprit };
    },
    // Presignatures are spent by signing; no package spends them separately.
    'spending.session': (input) => {
      const records = input.records.map((text) => read(q.GuardRecord, text));
      const secret = q.SecretKey.fromBytes(suites.get(input.suite), bytes(input.secret));
      const guard = q.Guard.restore(secret, q.ChainId.fromBytes(bytes(input.chain)), records);
      const outcomes = input.steps.map((one) => {
        try {
          return hex(step(guard, one).encode());
        } catch (error) {
          return code(error);
        }
      });
      return { outcomes, records: guard.records().map((record) => hex(record.encode())) };
    },
    'seal.open': (input) => {
      const key = seal.SealingKey.fromBytes(bytes(input.secret));
      return { content: hex(key.open(bytes(input.context), bytes(input.sealed))) };
    },
    'shared_bls.file': (input) => {
      const share = bls.KeyShare.fromBytes(suites.get(input.suite), bytes(input.file));
      check(hex(share.toBytes()) === input.file, 'another file comes out');
      return { id: hex(share.key.id), member: share.member, needed: share.key.threshold.needed };
    },
    'shared_bls.sign': (input) => {
      const share = bls.KeyShare.fromBytes(suites.get(input.suite), bytes(input.file));
      return { share: hex(share.sign(bytes(input.message)).encode()) };
    },
    'shared_bls.combine': (input) => {
      const suite = suites.get(input.suite);
      const key = read(bls.GroupKey, input.key, suite);
      const shares = input.shares.map((text) => read(bls.SignatureShare, text, suite));
      const combiner = new bls.Combiner(key, bytes(input.message));
      const signature = combined(combiner, shares, key.threshold.needed);
      key.public.verify(bytes(input.message), signature);
      return { signature: String(signature), beacon: hex(bls.beacon(signature)) };
    },
    'shared_bls.evidence': (input) => {
      const suite = suites.get(input.suite);
      const evidence = read(bls.ShareFault, input.evidence, suite);
      return { culprit: evidence.verify(read(bls.GroupKey, input.key, suite), good) };
    },
  };
}
