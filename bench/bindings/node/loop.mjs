// What every contender in Node does: it says what it can do, and then runs what it is told to, under its own clock.
// The protocol is that of `bench/src/bindings/contender.rs`: one line in, one line out.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The keys and signatures that all contenders get. */
export const world = JSON.parse(readFileSync(process.argv.at(-1), 'utf8'));

export const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** The version of a package that is installed beside this file; few let themselves be asked. */
export function version(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
}

/** Whether a library says no: by an exception, or by an answer that is no. */
export function refuses(work) {
  try {
    return work() === false;
  } catch {
    return true;
  }
}

/** Ends the contender, for a figure of something that is wrong is worse than none. */
export function required(holds, what) {
  if (!holds) throw new Error(`${what}: wrong verdict`);
}

/** Answers each line `OPERATION RUNS WARM-UPS` with the nanoseconds that the runs took on the processor. */
export function serve(about, operations) {
  console.log(JSON.stringify({ about, operations: Object.keys(operations) }));
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [name, runs, warmUps] = line.split(' ');
    const work = operations[name];
    for (let i = 0; i < Number(warmUps); i++) work();
    // Of the whole process: the garbage collector's threads are part of the price.
    const began = process.cpuUsage();
    for (let i = 0; i < Number(runs); i++) work();
    const { user, system } = process.cpuUsage(began);
    console.log((user + system) * 1000);
  });
}
