// A guard with a journal, and Ethereum's slashing protection, on the disk.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as q from 'quorate';

const CHAIN = q.ChainId.fromName('journal');
const filled = (byte, length = 32) => new Uint8Array(length).fill(byte);
const secret = (suite = 'ed25519', byte = 7) => q.SecretKey.fromBytes(suite, filled(byte));
const committee = new q.Committee(CHAIN, 0n, [[q.VerifiedKey.fromSecret(secret()), 1n]]);
const statement = (view, value) => committee.statement(1, view, filled(value));

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'quorate-journal-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test('a journal survives restarts', (t) => {
  const path = join(folder(t), 'key');
  assert.throws(() => q.JournaledGuard.open(path, secret(), CHAIN), q.JournalMissingError);
  const guard = q.JournaledGuard.create(path, secret(), CHAIN);
  const vote = guard.sign(committee, statement(5n, 1));
  assert.ok(guard.sign(committee, statement(5n, 1)).equals(vote));
  assert.equal(guard.signTimeout(committee, 2, 5n, 4n).value, 4n);
  assert.deepEqual(guard.last(1), { epoch: 0n, view: 5n });
  assert.throws(() => q.JournaledGuard.open(path, secret(), CHAIN), q.JournalInUseError);
  guard.close();
  assert.throws(() => guard.sign(committee, statement(6n, 1)), q.ClosedError);
  assert.throws(() => q.JournaledGuard.create(path, secret(), CHAIN), q.JournalExistsError);
  assert.throws(() => q.JournaledGuard.open(path, secret('ed25519', 8), CHAIN), q.WrongContextError);
  const again = q.JournaledGuard.open(path, secret(), CHAIN);
  assert.throws(() => again.sign(committee, statement(5n, 2)), q.ContradictionError);
  assert.ok(again.sign(committee, statement(5n, 1)).equals(vote));
  again.close();
});

test('a damaged journal names its offset and is recovered', (t) => {
  const path = folder(t);
  const guard = q.JournaledGuard.create(path, secret(), CHAIN);
  guard.sign(committee, statement(5n, 1));
  guard.close();
  const content = readFileSync(join(path, 'guard.journal'));
  content[100] ^= 1;
  writeFileSync(join(path, 'guard.journal'), content);
  const damaged = (error) => error instanceof q.JournalDamagedError && error.details.offset === 96n;
  assert.throws(() => q.JournaledGuard.open(path, secret(), CHAIN), damaged);
  const recovered = q.JournaledGuard.recover(path, secret(), CHAIN, 10n);
  assert.ok(recovered.isStale());
  assert.throws(() => recovered.sign(committee, statement(10n, 1)), q.ContradictionError);
  recovered.sign(committee, statement(11n, 1));
  recovered.close();
  assert.ok(existsSync(join(path, 'guard.journal.aside-1')));
});

const OTHER = `
import * as q from 'quorate';
const secret = q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(7));
try {
  q.JournaledGuard.open(process.argv[1], secret, q.ChainId.fromName('journal'));
} catch (error) {
  console.log(error.code);
}`;

test('another process is refused', (t) => {
  const path = folder(t);
  const guard = q.JournaledGuard.create(path, secret(), CHAIN);
  const options = { cwd: import.meta.dirname, encoding: 'utf8' };
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', OTHER, path], options);
  assert.equal(output, 'JOURNAL_IN_USE\n');
  guard.close();
});

test('a validator moves to another client', (t) => {
  const [old, lost] = [join(folder(t), 'old'), join(folder(t), 'lost')];
  const key = secret('bls-min-pk');
  const publicKey = key.publicKey();
  const protection = q.SlashingProtection.create(old, filled(4));
  assert.throws(() => protection.signBlock(key, 1n, filled(4)), q.WrongContextError);
  protection.addKey(publicKey);
  const signature = protection.signAttestation(key, 3n, 4n, filled(0));
  publicKey.verifyWith(q.Ciphersuite.proofOfPossession(), filled(0), signature);
  protection.signBlock(key, 9n, filled(0));
  for (const [source, target] of [[3n, 4n], [2n, 5n], [2n, 4n]]) {
    assert.throws(() => protection.recordAttestation(publicKey, source, target, filled(4)), q.ContradictionError);
  }
  const exported = protection.exportInterchange();
  protection.close();
  assert.equal(JSON.parse(exported).data[0].signed_blocks[0].slot, '9');
  const moved = q.SlashingProtection.create(join(folder(t), 'new'), filled(4));
  const bytes = new TextEncoder().encode(exported);
  assert.throws(() => moved.importInterchange(bytes.subarray(1)), q.MalformedError);
  moved.importInterchange(bytes);
  assert.equal(moved.exportInterchange(), exported);
  assert.throws(() => moved.recordBlock(publicKey, 9n, filled(4)), q.ContradictionError);
  moved.recordBlock(publicKey, 9n, filled(0));
  moved.close();
  assert.throws(() => q.SlashingProtection.open(old, filled(5)), q.WrongContextError);
  const recovered = q.SlashingProtection.recover(lost, filled(4), [publicKey], 320n, 10n);
  assert.throws(() => recovered.recordBlock(publicKey, 320n, filled(4)), q.ContradictionError);
  recovered.recordAttestation(publicKey, 10n, 11n, filled(4));
  recovered.close();
});
