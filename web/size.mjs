// Limits the scripts that load before the first page appears: everything that index.html imports statically, gzipped.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const DIST_DIR = join(dirname(fileURLToPath(import.meta.url)), 'dist');
const INITIAL_SCRIPT_BYTES_MAX = 140 * 1024;

/** Gzipped bytes of the scripts that every page loads. */
function initialScriptBytes(distDir = DIST_DIR) {
  const manifest = JSON.parse(readFileSync(join(distDir, 'manifest.json'), 'utf8'));
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of manifest[name].imports ?? []) visit(imported);
  };
  for (const [name, chunk] of Object.entries(manifest)) if (chunk.isEntry) visit(name);
  return [...seen].reduce(
    (sum, name) =>
      sum + gzipSync(readFileSync(join(distDir, manifest[name].file)), { level: 9 }).length,
    0,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bytes = initialScriptBytes();
  const kilobytes = (count) => `${(count / 1024).toFixed(1)} KB`;
  process.stdout.write(
    `The dashboard's first page loads ${kilobytes(bytes)} of gzipped scripts; the limit is ${kilobytes(INITIAL_SCRIPT_BYTES_MAX)}.\n`,
  );
  if (bytes > INITIAL_SCRIPT_BYTES_MAX) process.exitCode = 1;
}
