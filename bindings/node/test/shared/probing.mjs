// Wrong arguments of every function: whenever a behaviour calls a function with right arguments, it is called with
// wrong ones before. Each must be refused by an error that names the parameter, and none may have an effect. A function with
// an asynchronous form is called so too, and must have the same outcome.
import { NOT_BYTES, NOT_OBJECTS, detached } from './refusals.mjs';

/** The calls of one function that are repeated with wrong arguments. */
const REPEATED = 2;
const NOT_ITERABLE = [null, 7, 'text', {}];
/** True if two calls with the same arguments may differ, because of the answers of a hook. */
const hasHooks = (holder) => Object.values(Object.getOwnPropertyDescriptors(holder)).some(({ value }) => isHook(value));
/** True for a function that sets a hook, which later calls with wrong arguments would call. */
const isHook = (value) => typeof value === 'function' && /setHook\b/.test(value);

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

/** The result of a call, or its error. */
function outcomeOf(call) {
  try {
    return { value: call() };
  } catch (error) {
    return { error };
  }
}

/**
 * The tests of a package that `make` returns, with wrong arguments too; with the number of calls, the names of the functions
 * that get them, and of those that have an asynchronous form; and the objects of each class that they made. The functions of the package's classes are replaced in the package itself, but call
 * the original ones between tests.
 */
export function probing(q, assert, make) {
  const probed = new Map();
  const awaited = new Map();
  const objects = new Map();
  const hooked = new WeakSet();
  const others = [new q.Suspects(), q.ChainId.fromName('other')];
  const pending = [];
  let isRunning = false;
  let ran = 0;

  /** Calls a function with wrong arguments; `call` and its asynchronous form `later` must refuse them. */
  function probe(label, source, args, call, later) {
    const count = probed.get(label) ?? 0;
    if (!isRunning || count === REPEATED || args.length === 0) return;
    probed.set(label, count + 1);
    const names = parametersOf(source);
    args.forEach((value, at) => {
      // A secret that a function takes is closed whatever a list contains, since the user's iterator could use it.
      if (!isGiven(value) || (Array.isArray(value) && args.some(isSecret))) return;
      for (const [wrong, Kind, name] of replacements(value, names[at], others)) {
        const refused = (error) => error instanceof Kind && error.message.includes(name);
        const replaced = args.map((one, other) => (other === at ? wrong : one));
        assert.throws(() => call(replaced), refused, `${label}: ${name}`);
        if (later) pending.push(assert.rejects(later(replaced), refused, `${label}Async: ${name}`));
      }
    });
  }

  /** The asynchronous form of a call must have its outcome. Two calls may have different random results. */
  async function repeat(label, form, { error, value }, args, later) {
    const between = Array(parametersOf(form.toString()).length - args.length - 1);
    const refused = (options, expected) => assert.rejects(later([...args, ...between, options]), expected, label);
    const [found] = await Promise.all([
      later(args).then((result) => ({ value: result }), (reason) => ({ error: reason })),
      refused({ signal: AbortSignal.abort() }, { name: 'AbortError' }),
      refused({ signal: 1 }, /^TypeError: options.signal/),
    ]);
    assert.deepEqual([kindOf(found.error), kindOf(found.value)], [kindOf(error), kindOf(value)], label);
    if (/^verif/.test(form.name)) assert.equal(found.value?.equals?.(value) ?? true, true, label);
  }

  function collect(value) {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value) || isPlain(value)) Object.values(value).forEach(collect);
    else if ('free' in value) objects.set(value.constructor, [value, ...(objects.get(value.constructor) ?? [])]);
  }

  function replaced(label, original, form, isRepeated) {
    if (form && isRepeated) awaited.set(label, 0);
    return function (...args) {
      const later = form && (async (given) => form.apply(this, given));
      if (!hooked.has(this)) probe(label, original.toString(), args, (wrong) => original.apply(this, wrong), later);
      const outcome = outcomeOf(() => original.apply(this, args));
      if (isRunning && later && awaited.get(label) < REPEATED) {
        awaited.set(label, awaited.get(label) + 1);
        pending.push(repeat(label, form, outcome, args, later));
      }
      if (isHook(original)) hooked.add(this);
      if (outcome.error) throw outcome.error;
      collect(outcome.value);
      return outcome.value;
    };
  }

  function replaceFunctions(label, holder) {
    const all = Object.getOwnPropertyDescriptors(holder);
    const isRepeated = !hasHooks(holder);
    for (const [name, { value }] of Object.entries(all)) {
      const isOwn = ['constructor', 'toString', 'toJSON'].includes(name) || name.endsWith('Async');
      if (typeof value !== 'function' || isOwn) continue;
      const form = all[`${name}Async`]?.value;
      Object.defineProperty(holder, name, { value: replaced(`${label}.${name}`, value, form, isRepeated) });
    }
  }

  function copied(value, label, form) {
    if (typeof value === 'object' && value !== null && Object.values(value).some((one) => typeof one === 'function')) {
      const copy = ([name, one]) => [name, copied(one, `${label}.${name}`, value[`${name}Async`])];
      return Object.fromEntries(Object.entries(value).map(copy));
    }
    if (typeof value !== 'function') return value;
    if (!/^class/.test(value)) return replaced(label, value, form, true);
    if (value.prototype instanceof Error) return value;
    replaceFunctions(label, value);
    replaceFunctions(label, value.prototype);
    const source = value.toString();
    const construct = (target, args) => {
      probe(label, /\n *constructor\([^]*/.exec(source)?.[0] ?? '', args, (wrong) => new target(...wrong));
      const made = new target(...args);
      collect(made);
      return made;
    };
    return new Proxy(value, { construct });
  }

  const tests = Object.entries(make(copied({ ...q }, 'quorate'))).map(([name, run]) => {
    const runWith = async () => {
      isRunning = true;
      ran += 1;
      try {
        run();
      } finally {
        isRunning = false;
      }
      await Promise.all(pending.splice(0));
    };
    return [name, runWith];
  });
  return { tests: Object.fromEntries(tests), probed, awaited, objects, haveAllRun: () => ran === tests.length };
}
