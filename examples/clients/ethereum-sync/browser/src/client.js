// The light client: a trusted committee, and the verification of updates against it. It follows the consensus
// specification as the Rust program does; see ../../src/client.rs and the README for the checks that are left out.

import { ChainId, Committee, PublicKey, QuorateError, Suite } from 'quorate-wasm/certificate';
import { Failure } from './failure.js';
import { committeeRoot, emptyHeader, headerRoot, isValidBranch, payloadRoot } from './ssz.js';
import { same, toHex } from './text.js';

const LAST_SLOT = (1n << 64n) - 1n;

/** Runs a function and adds the context to its refusal. */
function attempt(what, work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof QuorateError) throw new Failure(error.code, `${what}: ${error.message}`);
    throw error;
  }
}

/** A committee with decoded, verified and aggregated keys. Possession was proven at the deposit. */
class Members {
  constructor(network, period, ssz) {
    checkSize(network, ssz);
    const began = performance.now();
    const keys = ssz.pubkeys.map((key, i) =>
      attempt(`key ${i} of the committee`, () => [PublicKey.decode(Suite.MinPk, key), 1n]),
    );
    const chain = ChainId.fromBytes(network.genesisRoot);
    const make = () => Committee.fromAttested(chain, period, keys, { allowRepeats: true });
    this.committee = attempt('the committee', make);
    for (const [key] of keys) key.free();
    this.milliseconds = performance.now() - began;
    this.root = committeeRoot(ssz);
  }
}

export class LightClient {
  #network;
  #now;
  #current;
  #next;

  constructor(network, now, header, members) {
    this.#network = network;
    this.#now = now;
    this.#current = members;
    this.finalized = header;
    this.optimistic = header;
  }

  /** Creates a client from a block with a trusted root. */
  static fromBootstrap(network, now, trustedRoot, bootstrap) {
    const { header, current_sync_committee: ssz, current_sync_committee_branch: branch } = bootstrap;
    const { beacon } = header;
    const found = headerRoot(beacon);
    if (!same(found, trustedRoot)) {
      const text = `the bootstrap is of block ${toHex(found)}, not of the trusted ${toHex(trustedRoot)}`;
      throw new Failure('TRUSTED_ROOT', `${text}; ask for the bootstrap of the block you trust`);
    }
    checkHeader(network, header, 'header');
    checkSize(network, ssz);
    if (!isValidBranch(committeeRoot(ssz), branch, network.places(beacon.slot).currentCommittee, beacon.state_root)) {
      throw new Failure('CURRENT_COMMITTEE_BRANCH', "the bootstrap's committee is not the one in its block's state");
    }
    return new LightClient(network, now, beacon, new Members(network, network.period(beacon.slot), ssz));
  }

  /** Creates a client from a trusted committee of a period. */
  static fromCommittee(network, now, period, ssz) {
    const slot = period * network.slotsPerPeriod;
    const header = { ...emptyHeader(), slot: slot < LAST_SLOT ? slot : LAST_SLOT };
    return new LightClient(network, now, header, new Members(network, period, ssz));
  }

  /** Time to decode, verify and add the keys of the first committee. */
  get committeeMilliseconds() {
    return this.#current.milliseconds;
  }

  /** Verifies an update and applies it if two thirds signed it. */
  process(update) {
    const [proven, next] = this.#validate(update);
    if (!proven.supermajority) return proven;
    const attested = update.attested_header.beacon;
    if (attested.slot > this.optimistic.slot) this.optimistic = attested;
    const finality = finalityOf(update);
    if (finality) {
      const { beacon } = finality.header;
      const samePeriod = this.#period(beacon) === this.#period(attested);
      const bringsNext = !this.#next && next && samePeriod;
      if (beacon.slot > this.finalized.slot || bringsNext) this.#apply(beacon, next);
    }
    return proven;
  }

  #period(header) {
    return this.#network.period(header.slot);
  }

  #apply(finalized, next) {
    // Without the next committee, only headers of the same period were accepted.
    if (!this.#next) this.#next = next;
    else if (this.#period(finalized) === this.#period(this.finalized) + 1n) {
      [this.#current, this.#next] = [this.#next, next];
    }
    if (finalized.slot > this.finalized.slot) this.finalized = finalized;
  }

  #validate(update) {
    const network = this.#network;
    const attested = update.attested_header.beacon;
    const signed = update.signature_slot;
    const finalizedSlot = finalityOf(update)?.header.beacon.slot ?? 0n;
    if (!(this.#now >= signed && signed > attested.slot && attested.slot >= finalizedSlot)) {
      const text =
        `slots out of order: now ${this.#now}, signature ${signed}, attested ${attested.slot}, ` +
        `finalized ${finalizedSlot}; expected now >= signature > attested >= finalized; check the clock`;
      throw new Failure('SLOTS', text);
    }
    const signers = this.#signersOf(signed);
    const period = this.#period(this.finalized);
    const bringsNext = !this.#next && nextCommitteeOf(update) && this.#period(attested) === period;
    if (attested.slot <= this.finalized.slot && !bringsNext) {
      const slots = `the attested slot ${attested.slot} is not newer than the finalized slot ${this.finalized.slot}`;
      const text = `${slots}, and no new committee is included`;
      throw new Failure('IRRELEVANT', text);
    }
    checkHeader(network, update.attested_header, 'attested header');
    this.#checkFinality(update);
    const next = this.#checkNextCommittee(update, period);
    return [this.#checkSignature(update, signers), next];
  }

  /** Returns the committee that signs in a slot. */
  #signersOf(slot) {
    const [ours, theirs] = [this.#period(this.finalized), this.#network.period(slot)];
    if (theirs === ours) return this.#current;
    if (theirs === ours + 1n && this.#next) return this.#next;
    const known = `period ${ours}${this.#next ? ' and the next one' : ''}`;
    const text = `signed by the unknown committee of period ${theirs}; known: ${known}`;
    throw new Failure('UNKNOWN_COMMITTEE', `${text}; verify the updates in between first, in order`);
  }

  #checkFinality(update) {
    const finality = finalityOf(update);
    if (!finality) return;
    const { header, branch } = finality;
    // The state contains no root of the genesis block yet.
    const genesis = same(headerRoot(header.beacon), headerRoot(emptyHeader()));
    if (!genesis) checkHeader(this.#network, header, 'finalized header');
    const leaf = genesis ? new Uint8Array(32) : headerRoot(header.beacon);
    const attested = update.attested_header.beacon;
    if (!isValidBranch(leaf, branch, this.#network.places(attested.slot).finalizedRoot, attested.state_root)) {
      throw new Failure('FINALITY_BRANCH', "the finalized header is not the one in the attested block's state");
    }
  }

  #checkNextCommittee(update, period) {
    const next = nextCommitteeOf(update);
    if (!next) return undefined;
    checkSize(this.#network, next.committee);
    const attested = update.attested_header.beacon;
    const [root, attestedPeriod] = [committeeRoot(next.committee), this.#period(attested)];
    if (this.#next && attestedPeriod === period && !same(this.#next.root, root)) {
      const text = `the committee of period ${period + 1n} differs from that of an earlier update`;
      throw new Failure('NEXT_COMMITTEE', text);
    }
    if (!isValidBranch(root, next.branch, this.#network.places(attested.slot).nextCommittee, attested.state_root)) {
      throw new Failure('NEXT_COMMITTEE_BRANCH', "the next committee is not the one in the attested block's state");
    }
    return new Members(this.#network, attestedPeriod + 1n, next.committee);
  }

  #checkSignature(update, { committee }) {
    const network = this.#network;
    const attested = update.attested_header.beacon;
    const { sync_committee_bits: lsbFirst, sync_committee_signature: proof } = update.sync_aggregate;
    const root = network.signingRoot(attested, update.signature_slot);
    if (!root) {
      const text = `slot ${update.signature_slot} is before the first fork of this network`;
      throw new Failure('UNKNOWN_FORK', text);
    }
    const signers = attempt('participation bits', () => committee.signerSet({ lsbFirst }));
    const began = performance.now();
    const participants = Number(attempt('signature', () => committee.verifyRaw(root, signers, proof)));
    const milliseconds = performance.now() - began;
    const finality = finalityOf(update);
    const size = network.committeeSize;
    return {
      kind: kindOf(update),
      signature_slot: Number(update.signature_slot),
      period: Number(network.period(update.signature_slot)),
      participants,
      committee_size: size,
      supermajority: participants * 3 >= size * 2,
      signing_root: toHex(root),
      attested: block(update.attested_header),
      finalized: finality ? block(finality.header) : null,
      next_committee_of: nextCommitteeOf(update) ? Number(this.#period(attested) + 1n) : null,
      signers: [...signers],
      milliseconds,
    };
  }
}

const present = (branch) => branch?.some((node) => node.some(Boolean));

/** The next committee and its branch, if present: zeros stand for none. */
function nextCommitteeOf({ next_sync_committee: committee, next_sync_committee_branch: branch }) {
  return committee && present(branch) ? { committee, branch } : undefined;
}

/** The finalized header and its branch, if present: zeros stand for none. */
function finalityOf({ finalized_header: header, finality_branch: branch }) {
  return header && present(branch) ? { header, branch } : undefined;
}

function kindOf(update) {
  if (update.next_sync_committee) return 'update';
  return update.finality_branch ? 'finality update' : 'optimistic update';
}

export function block({ beacon, execution }) {
  return {
    slot: Number(beacon.slot),
    root: toHex(headerRoot(beacon)),
    state_root: toHex(beacon.state_root),
    execution: execution ? [Number(execution.block_number), toHex(execution.block_hash)] : null,
  };
}

function checkSize(network, { pubkeys }) {
  if (pubkeys.length === network.committeeSize) return;
  const text = `the committee has ${pubkeys.length} keys; this network's have ${network.committeeSize}`;
  throw new Failure('COMMITTEE_SIZE', text);
}

/** From Capella on, a header includes its execution payload header, which the body root must contain. */
function checkHeader(network, { beacon, execution, execution_branch: branch }, what) {
  const { slot } = beacon;
  const wrong = (text) => {
    throw new Failure('EXECUTION_BRANCH', `${what}: ${text}`);
  };
  const capella = network.hasReached('capella', slot);
  if (!execution && !branch && !capella) return;
  if (!execution || !branch) wrong(`slot ${slot} needs an execution header with its branch`);
  if (!capella) wrong(`slot ${slot} is before Capella and cannot prove an execution header`);
  const deneb = network.hasReached('deneb', slot);
  if (!deneb && (execution.blob_gas_used || execution.excess_blob_gas)) wrong(`slot ${slot} is before Deneb and has no blob gas`);
  const root = payloadRoot(execution, deneb);
  if (!root) wrong('extra_data has more than 32 bytes');
  if (!isValidBranch(root, branch, network.places(slot).executionPayload, beacon.body_root)) {
    wrong("the execution header is not the one in the block's body");
  }
}
