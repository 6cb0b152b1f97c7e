// The Worker: reads and verifies files.

import './buffer.js';
import { init } from 'quorate-wasm/certificate';
import mainnet from '../../networks/mainnet.json';
import { LightClient } from './client.js';
import { Failure } from './failure.js';
import { Network } from './network.js';
import { headerRoot, readBootstrap, readCommittee, readUpdate } from './ssz.js';
import { InvalidValue, bytes32, number, toHex } from './text.js';

/** The kind of a file's content, determined by its fields. */
const KINDS = {
  network: 'preset',
  bootstrap: 'current_sync_committee',
  committee: 'pubkeys',
  update: 'attested_header',
};

/** The objects of a file: `{"version": …, "data": {…}}`, the inner object alone, or a list of either. */
function items({ name, text }) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('BAD_INPUT', `${name}: not JSON: ${error.message}`);
  }
  return (Array.isArray(value) ? value : [value]).map((item) => {
    const inner = item?.data ?? item;
    const kind = Object.keys(KINDS).find((known) => Object.hasOwn(Object(inner), KINDS[known]));
    if (!kind) throw new Failure('BAD_INPUT', `${name}: neither a bootstrap, a committee, an update nor a network`);
    return { kind, inner, name };
  });
}

function read(name, work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidValue) throw new Failure('BAD_INPUT', `${name}: ${error.message}`);
    if (error instanceof Failure) throw new Failure(error.code, `${name}: ${error.message}`);
    throw error;
  }
}

/** The single item of a kind, if any. */
function only(found, kind) {
  const [one, more] = found.filter((item) => item.kind === kind);
  if (more) throw new Failure('BAD_INPUT', `${more.name}: one ${kind} is enough`);
  return one;
}

function start(network, now, found, { trustedRoot, period }) {
  const [bootstrap, committee] = [only(found, 'bootstrap'), only(found, 'committee')];
  if (bootstrap) {
    const value = read(bootstrap.name, () => readBootstrap(bootstrap.inner));
    const root = toHex(headerRoot(value.header.beacon));
    if (!trustedRoot) {
      const text = `is ${root} the root of a block that you trust? Compare it with another source, and enter it as trusted root`;
      throw new Failure('TRUSTED_ROOT', `${bootstrap.name}: ${text}`);
    }
    const trusted = read('trusted root', () => bytes32(trustedRoot));
    return read(bootstrap.name, () => LightClient.fromBootstrap(network, now, trusted, value));
  }
  if (!committee) throw new Failure('BAD_INPUT', 'expected a bootstrap or a committee');
  const value = read(committee.name, () => readCommittee(committee.inner));
  if (!period) throw new Failure('BAD_INPUT', `${committee.name}: enter the period that this committee signs: slot / 8192`);
  const signs = read('period', () => number(period));
  return read(committee.name, () => LightClient.fromCommittee(network, now, signs, value));
}

/** The report that `ethereum-sync verify --json` prints, with the signers and the duration. */
export function verify({ files, trustedRoot, period }) {
  const report = { network: null, updates: [], finalized: null, optimistic: null, error: null };
  try {
    const found = files.flatMap(items);
    const given = only(found, 'network');
    const network = given ? read(given.name, () => new Network(given.inner)) : new Network(mainnet);
    report.network = network.name;
    const client = start(network, network.slotAt(Date.now() / 1000), found, { trustedRoot, period });
    report.committee_milliseconds = client.committeeMilliseconds;
    const updates = found.filter(({ kind }) => kind === 'update');
    if (updates.length === 0) throw new Failure('BAD_INPUT', 'expected at least one update');
    const inOrder = updates.map(({ name, inner }) => ({ name, update: read(name, () => readUpdate(inner)) }));
    // Files arrive in the order of selection.
    inOrder.sort((a, b) => Number(a.update.signature_slot - b.update.signature_slot));
    for (const { name, update } of inOrder) report.updates.push(read(name, () => client.process(update)));
    const header = (known) => ({ slot: Number(known.slot), root: toHex(headerRoot(known)) });
    report.finalized = header(client.finalized);
    report.optimistic = header(client.optimistic);
    const weak = report.updates.find(({ supermajority }) => !supermajority);
    if (weak) {
      const text = `${weak.participants} of ${weak.committee_size} signed slot ${weak.attested.slot}: the signatures are valid, but fewer than two thirds signed; wait for another update`;
      report.error = { code: 'BELOW_TWO_THIRDS', message: text };
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report.error = { code: error.code, message: error.message };
  }
  return report;
}

const ready = init();
onmessage = async ({ data: { id, given } }) => {
  try {
    await ready;
    postMessage({ id, report: verify(given) });
  } catch (error) {
    postMessage({ id, failed: String(error) });
  }
};
