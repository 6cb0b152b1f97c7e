// Runs the cases of spec/vectors through the public API of a package with the interface of index.d.ts. The schema is in
// spec/vectors/README.md. The operations are generated from bindings/interface/operations; so are the behaviours, which are
// tests without an input.
import { readFileSync, readdirSync } from 'node:fs';
import { tests } from '../../../javascript/dist/vector-operations.mjs';
import { hex } from './hex.mjs';
import { Refused, support } from './vector-support.mjs';

/** The folder of the vectors. */
export const VECTORS = new URL('../../../../spec/vectors/', import.meta.url);

/** Files that are not run: Jolteon, Gosig and ABFT are protocols of the examples, and not every build has Jerasure. */
const OTHERS = ['jerasure', 'jolteon', 'gosig', 'abft'];
/** The names of the files that are run. */
export const FILES = readdirSync(VECTORS)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length))
  .filter((name) => !OTHERS.includes(name));

/**
 * Operations that no package offers: raw secret scalars, and spending a presignature without signing. Rust runs these
 * cases.
 */
const isUnbound = ({ operation, input }) =>
  operation === 'sharing.decode' || (operation === 'spending.session' && input.steps.some((step) => step.do === 'spend'));

/** Runs one file and returns the number of its cases, as {@link runCases}. */
export const runFile = (q, name, only) => runCases(q, name, JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8')), only);

/**
 * Runs one parsed file and returns the number of its cases; throws an error that lists the failures. With `only`, a
 * list of operations, it runs only their cases: for a package with a part of the interface.
 */
export function runCases(q, name, file, only) {
  const run = runner(q, !only);
  const failures = [];
  // A part of the interface has no ciphersuites.
  const isPart = ({ operation, input }) => only.includes(operation) && !('ciphersuite' in input);
  const cases = file.cases.filter((one) => (only ? isPart(one) : !isUnbound(one)));
  for (const { name: title, operation, input, expect, output } of cases) {
    const given = { ...input, made: output };
    for (const field of ['committee', 'voters', 'identities']) {
      if (typeof given[field] === 'string') given[field] = file.committees[given[field]];
    }
    if (given.committee) given.committee = repeated(given.committee);
    let found = 'ok';
    let result;
    try {
      result = run(operation, given);
    } catch (error) {
      const isExpected = error instanceof q.QuorateError || error instanceof Refused;
      if (!isExpected) throw new Error(`${name}: ${title} (${operation})`, { cause: error });
      found = error.code;
    }
    const [got, wanted] = [JSON.stringify(sorted(result ?? null)), JSON.stringify(sorted(output ?? null))];
    if (found !== expect || got !== wanted) failures.push(`${title}: expected ${expect} ${wanted}, got ${found} ${got}`);
  }
  if (file.cases.length <= 20) failures.push('the file has lost its cases');
  if (failures.length > 0) throw new Error(`${name}: ${failures.length} of ${cases.length}\n${failures.join('\n')}`);
  return cases.length;
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

/** The committee with its members as often as they stand in it. */
function repeated(committee) {
  return { ...committee, members: committee.members.flatMap((one) => Array(one.times ?? 1).fill(one)) };
}

/** Keys of committees by suite and bytes. The thousand members of a committee have six keys, and decoding is slow. */
function withCachedKeys(q) {
  const keys = new Map();
  const PublicKey = Object.create(q.PublicKey);
  PublicKey.decode = (suite, data) => {
    const name = suite + hex(data);
    if (!keys.has(name)) keys.set(name, q.PublicKey.decode(suite, data));
    return keys.get(name);
  };
  return { ...q, PublicKey };
}

/**
 * The behaviours of a package, by their names; one without files has no journals. Light clients and sums outside committees
 * have only vectors.
 */
export function behaviours(q) {
  const vectors = ['bls', 'light'].map((name) => [`${name}.vectors`, () => runFile(q, name)]);
  const all = [...Object.entries(tests(q, support(q, true)).behaviours), ...vectors];
  return Object.fromEntries(all.filter(([name]) => 'JournaledGuard' in q || !/^(journal|slashing_protection)\./.test(name)));
}

function runner(q, isWhole) {
  const table = tests(withCachedKeys(q), support(q, isWhole)).operations;
  return (operation, input) => {
    if (!(operation in table)) throw new Error(`no operation ${operation}`);
    return table[operation](input);
  };
}
