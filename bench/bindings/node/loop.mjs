// The main loop of a contender in Node: it lists its operations, and then runs and times the requested ones.
// The protocol is that of `bench/src/bindings/contender.rs`: one line in, one line out.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The inputs of all contenders. */
export const world = JSON.parse(readFileSync(process.argv.at(-1), 'utf8'));

export const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Returns the version of an installed package, which few packages export. */
export function version(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
}

/** Returns whether a library refuses, with an exception or with `false`. */
export function refuses(work) {
  try {
    return work() === false;
  } catch {
    return true;
  }
}

/** Ends the contender if a check fails: a figure of wrong code is worse than none. */
export function required(holds, what) {
  if (!holds) throw new Error(`${what}: wrong verdict`);
}

/** Answers each line `OPERATION RUNS WARM-UPS` with the processor time of the runs in nanoseconds. */
export function serve(about, operations) {
  console.log(JSON.stringify({ about, operations: Object.keys(operations) }));
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [name, runs, warmUps] = line.split(' ');
    const work = operations[name];
    for (let i = 0; i < Number(warmUps); i++) work();
    // The time of the whole process includes the garbage collector's threads.
    const began = process.cpuUsage();
    for (let i = 0; i < Number(runs); i++) work();
    const { user, system } = process.cpuUsage(began);
    console.log((user + system) * 1000);
  });
}
