// A light client's configuration of a chain: genesis, forks and preset.

import { Failure } from './failure.js';
import { forkDataRoot, headerRoot, signingDataRoot } from './ssz.js';
import { InvalidValue, bytes, bytes32, listOf, number, object, string } from './text.js';

const FORKS = ['altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu'];
const PRESETS = {
  mainnet: { committeeSize: 512, slotsPerEpoch: 32n, epochsPerPeriod: 256n, secondsPerSlot: 12n },
  minimal: { committeeSize: 32, slotsPerEpoch: 8n, epochsPerPeriod: 8n, secondsPerSlot: 6n },
};

const oneOf = (names) => (value) => {
  if (!names.includes(string(value))) throw new InvalidValue(`\`${value}\` is none of ${names.join(', ')}`);
  return value;
};
const readNetwork = object({
  name: string,
  preset: oneOf(Object.keys(PRESETS)),
  genesis_time: number,
  genesis_validators_root: bytes32,
  forks: listOf(object({ name: oneOf(FORKS), version: bytes(4), epoch: number })),
});

export class Network {
  constructor(value) {
    const { name, preset, genesis_time: genesisTime, genesis_validators_root: genesisRoot, forks } = readNetwork(value);
    Object.assign(this, PRESETS[preset], { name, genesisTime, genesisRoot, forks });
    this.slotsPerPeriod = this.slotsPerEpoch * this.epochsPerPeriod;
    const ordered = forks.slice(1).every((fork, i) => {
      return forks[i].epoch <= fork.epoch && FORKS.indexOf(forks[i].name) < FORKS.indexOf(fork.name);
    });
    if (forks.length === 0 || !ordered) throw new Failure('BAD_INPUT', 'forks: expected at least one, in ascending order of epochs');
  }

  /** Returns the period of a slot. Each period has a committee. */
  period(slot) {
    return slot / this.slotsPerPeriod;
  }

  /** Returns the fork of a slot, or none before the first fork. */
  fork(slot) {
    return this.forks.findLast((fork) => fork.epoch <= slot / this.slotsPerEpoch);
  }

  hasReached(name, slot) {
    const fork = this.fork(slot);
    return fork !== undefined && FORKS.indexOf(fork.name) >= FORKS.indexOf(name);
  }

  /** Returns the generalized indices of a slot. Electra's larger state moved them down one level. */
  places(slot) {
    return this.hasReached('electra', slot)
      ? { finalizedRoot: 169, currentCommittee: 86, nextCommittee: 87, executionPayload: 25 }
      : { finalizedRoot: 105, currentCommittee: 54, nextCommittee: 55, executionPayload: 25 };
  }

  /** Returns the message that the members sign: the block of the previous slot, under that slot's fork. */
  signingRoot(header, signatureSlot) {
    const fork = this.fork(signatureSlot === 0n ? 0n : signatureSlot - 1n);
    if (!fork) return undefined;
    const root = forkDataRoot({ current_version: fork.version, genesis_validators_root: this.genesisRoot });
    const domain = Uint8Array.of(7, 0, 0, 0, ...root.subarray(0, 28));
    return signingDataRoot({ object_root: headerRoot(header), domain });
  }

  /** Returns the slot at a time in seconds since 1970. */
  slotAt(time) {
    const since = BigInt(Math.floor(time)) - this.genesisTime;
    return since < 0n ? 0n : since / this.secondsPerSlot;
  }
}
