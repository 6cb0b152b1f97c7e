// An npm registry with the tarballs of one folder, and nothing else: `node registry.mjs FOLDER COMMAND…` runs a command of
// npm that installs from it, and ends with its exit code.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [folder, command, ...rest] = process.argv.slice(2);
const packages = new Map();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) {
  const bytes = readFileSync(join(folder, file));
  const text = execFileSync('tar', ['-xzOf', join(folder, file), 'package/package.json'], { encoding: 'utf8' });
  packages.set(JSON.parse(text).name, { file, bytes, manifest: JSON.parse(text) });
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1);
  const tarball = [...packages.values()].find(({ file }) => path === `tarballs/${file}`);
  if (tarball) return response.end(tarball.bytes);
  const found = packages.get(path);
  if (!found) return response.writeHead(404).end('{"error":"not found"}');
  const { file, bytes, manifest } = found;
  const dist = {
    tarball: `http://127.0.0.1:${server.address().port}/tarballs/${file}`,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  };
  const { name, version } = manifest;
  const document = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
  return response.end(JSON.stringify(document));
});

server.listen(0, '127.0.0.1', () => {
  const registry = `http://127.0.0.1:${server.address().port}/`;
  const npm = spawn(command, [...rest, '--registry', registry], { stdio: 'inherit' });
  npm.on('exit', (code) => process.exit(code ?? 1));
  npm.on('error', (error) => {
    console.error(String(error));
    process.exit(1);
  });
});
