// Wrong arguments of every function: whenever a behaviour calls a function with right arguments, it is called with
// wrong ones before. Each must be refused by an error that names the parameter, and none may have an effect.
import { NOT_BYTES, NOT_OBJECTS, detached } from './refusals.mjs';

/** The calls of one function that are repeated with wrong arguments. */
const REPEATED = 2;
const NOT_ITERABLE = [null, 7, 'text', {}];
/** Functions that set a hook, which later calls with wrong arguments would call. */
const HOOKS = ['detectCopies', 'checkRevocation'];

const isGiven = (value) => value !== undefined;
const isPlain = (value) => Object.getPrototypeOf(value) === Object.prototype;
const isSecret = (value) => typeof value === 'object' && value !== null && 'closed' in value;
const kindOf = (value) => (typeof value === 'object' ? value?.constructor : typeof value);
/** Items of a list are of one kind. */
const isTuple = (value) => value.length > 1 && kindOf(value[0]) !== kindOf(value[1]);

/** What may not stand in place of a value: each with its kind of error, and with the name of the field that has it. */
function* replacements(value, field, others) {
  const wrong = {
    number: [['1', 1n, null, {}], [-1, 0.5, NaN, Infinity]],
    bigint: [[1, '1', null, {}], [-1n, 1n << 200n]],
    string: [[7, null, {}, Symbol('s')]],
    boolean: [[1, 'yes', null]],
    function: [[null, true, {}]],
  };
  if (typeof value !== 'object') {
    const [types, ranges = []] = wrong[typeof value];
    for (const one of types) yield [one, TypeError, field];
    for (const one of ranges) yield [one, RangeError, field];
  } else if (value instanceof Uint8Array) {
    const buffers = [new DataView(new ArrayBuffer(4)), detached()];
    for (const one of [...NOT_BYTES.filter(isGiven), ...buffers]) yield [one, TypeError, field];
  } else if (Array.isArray(value)) {
    const lengths = isTuple(value) ? [value.slice(1), [...value, value[0]]] : [];
    for (const one of [...NOT_ITERABLE, ...lengths]) yield [one, TypeError, field];
    const items = value.length > 0 ? replacements(value[0], field, others) : [];
    for (const [item, ...more] of items) yield [[item, ...value.slice(1)], ...more];
  } else if (isPlain(value)) {
    for (const one of [null, 7, 'text']) yield [one, TypeError, field];
    for (const [name, own] of Object.entries(value).filter(([, own]) => isGiven(own))) {
      for (const [one, ...more] of replacements(own, name, others)) yield [{ ...value, [name]: one }, ...more];
    }
  } else {
    const forged = [Object.create(value), new Proxy(value, {})];
    const foreign = others.filter((one) => kindOf(one) !== kindOf(value));
    for (const one of [...NOT_OBJECTS.filter(isGiven), ...forged, ...foreign]) yield [one, TypeError, field];
  }
}

/** The names of the parameters in the source of a function, or of a class's constructor. */
function parametersOf(source) {
  const [, list] = /(?:^|\n *)(?:constructor|(?:static |function )?\w+)\(([^)]*)/.exec(source) ?? ['', ''];
  return list.split(',').map((one) => /\w*/.exec(one.trim())[0]);
}

/**
 * The tests of a package that `make` returns, with wrong arguments too, and the names of the functions that get them.
 * The functions of the package's classes are replaced in the package itself, but call the original ones between tests.
 */
export function probing(q, assert, make) {
  const probed = new Map();
  const hooked = new WeakSet();
  const others = [new q.Suspects(), q.ChainId.fromName('other')];
  let isRunning = false;
  let ran = 0;

  function probe(label, source, args, call) {
    const count = probed.get(label) ?? 0;
    if (!isRunning || count === REPEATED || args.length === 0) return;
    probed.set(label, count + 1);
    const names = parametersOf(source);
    args.forEach((value, at) => {
      // A secret that a function takes is closed whatever a list contains, since the user's iterator could use it.
      if (!isGiven(value) || (Array.isArray(value) && args.some(isSecret))) return;
      for (const [wrong, Kind, name] of replacements(value, names[at], others)) {
        const refused = (error) => error instanceof Kind && error.message.includes(name);
        assert.throws(() => call(args.map((one, other) => (other === at ? wrong : one))), refused, `${label}: ${name}`);
      }
    });
  }

  function replaced(label, original) {
    return function (...args) {
      if (!hooked.has(this)) probe(label, original.toString(), args, (wrong) => original.apply(this, wrong));
      const result = original.apply(this, args);
      if (HOOKS.includes(original.name)) hooked.add(this);
      return result;
    };
  }

  function replaceFunctions(label, holder) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
      if (typeof value !== 'function' || ['constructor', 'toString', 'toJSON'].includes(name)) continue;
      Object.defineProperty(holder, name, { value: replaced(`${label}.${name}`, value) });
    }
  }

  function copied(value, label) {
    if (typeof value === 'object' && value !== null && Object.values(value).some((one) => typeof one === 'function')) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one, `${label}.${name}`)]));
    }
    if (typeof value !== 'function') return value;
    if (!/^class/.test(value)) return replaced(label, value);
    if (value.prototype instanceof Error) return value;
    replaceFunctions(label, value);
    replaceFunctions(label, value.prototype);
    const source = value.toString();
    const construct = (target, args) => {
      probe(label, /\n *constructor\([^]*/.exec(source)?.[0] ?? '', args, (wrong) => new target(...wrong));
      return new target(...args);
    };
    return new Proxy(value, { construct });
  }

  const tests = Object.entries(make(copied({ ...q }, 'quorate'))).map(([name, run]) => {
    const runWith = () => {
      isRunning = true;
      ran += 1;
      try {
        run();
      } finally {
        isRunning = false;
      }
    };
    return [name, runWith];
  });
  return { tests: Object.fromEntries(tests), probed, haveAllRun: () => ran === tests.length };
}
