// Runs the cases of spec/vectors/jolteon.json with this folder's parser, on the given package:
// node vectors.test.mjs [quorate | quorate-wasm | FILE]
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Refused, hex, jolteon } from './jolteon.mjs';

// Cases that a watcher does not need: messages between validators, their records, and leader election.
const SKIPPED = ['jolteon.message', 'jolteon.record', 'jolteon.sequences', 'jolteon.leaders'];
const file = JSON.parse(readFileSync(new URL('../../../../spec/vectors/jolteon.json', import.meta.url), 'utf8'));
const named = process.argv[2] ?? 'quorate';
const quorate = await import(/[/\\]/.test(named) ? pathToFileURL(resolve(named)).href : named);
const { Block, Committees, Finality, Input, decodeBatch } = jolteon(quorate);

const bytes = (digits) => new Uint8Array(Buffer.from(digits, 'hex'));

function committee(name) {
  const { suite: number, chain, epoch, members } = file.committees[name];
  const [suite] = Object.entries(quorate.SUITE_NUMBERS).find(([, known]) => known === number);
  const keys = members.map((m) => [quorate.PublicKey.decode(suite, bytes(m.public_key)), BigInt(m.weight)]);
  return quorate.Committee.fromAttested(quorate.ChainId.fromBytes(bytes(chain)), BigInt(epoch), keys);
}

async function whole(Class, digits, committees) {
  const data = new Input(bytes(digits));
  const found = await Class.read(data, committees);
  data.reader.finish();
  return found;
}

async function run(operation, input) {
  if (operation === 'jolteon.batch') {
    const { header, digest, leaves } = decodeBatch(bytes(input.batch));
    return { header: hex(header), digest: hex(digest), transactions: leaves.map(hex) };
  }
  const committees = new Committees(committee(input.voters), committee(input.identities));
  if (operation === 'jolteon.genesis') return { digest: hex(committees.genesis(bytes(input.state_root))) };
  const block = await whole(Block, input.block, committees);
  if (operation === 'jolteon.finality') {
    return (await whole(Finality, input.proof, committees)).verify(block, committees);
  }
  if (operation !== 'jolteon.block') throw new Error(`no operation ${operation}`);
  block.checkAuthor(committees);
  return {
    digest: hex(block.digest),
    view: String(block.view),
    height: String(block.height),
    author: block.author,
    parent: hex(block.parent),
    batches: block.payload.map((batch) => hex(batch.digest)),
  };
}

const cases = file.cases.filter(({ operation }) => !SKIPPED.includes(operation));
const wrong = [];
for (const { name, operation, input, expect, output } of cases) {
  let [found, result] = ['ok', undefined];
  try {
    result = await run(operation, input);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof quorate.QuorateError)) throw error;
    found = error.code;
  }
  const same = found === expect && JSON.stringify(result) === JSON.stringify(output);
  if (!same) wrong.push(`${name}: ${found} ${JSON.stringify(result)}, not ${expect} ${JSON.stringify(output)}`);
}
if (cases.length < 90) wrong.push(`only ${cases.length} cases: the file has lost some`);
for (const line of wrong) console.log(line);
console.log(`${cases.length - wrong.length} passed, ${wrong.length} failed`);
process.exitCode = wrong.length === 0 ? 0 : 1;
