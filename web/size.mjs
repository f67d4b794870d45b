// Limits what the dashboard loads, gzipped: the scripts of the first page, which index.html imports statically, and what
// loads later beside them. The part `size` of `npm test` fails above a limit.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const DIST_DIR = join(dirname(fileURLToPath(import.meta.url)), 'dist');
const KILOBYTE = 1024;

/** In this order: each counts what those before it have not loaded. */
const LIMITS = [
  { name: "the dashboard's first page", entry: 'index.html', kilobytes: 140 },
  { name: 'lists of pickers', entry: 'src/ui/picker-list.tsx', kilobytes: 80 },
  { name: 'dates', entry: 'src/ui/date-parts.tsx', kilobytes: 36 },
  { name: 'the code editor', entry: 'src/ui/code-editor/code-field.ts', kilobytes: 175 },
];

const manifest = JSON.parse(readFileSync(join(DIST_DIR, 'manifest.json'), 'utf8'));
const loaded = new Set();

/** Gzipped bytes of a chunk and of all that it imports, without what is loaded by now. */
function load(name) {
  if (loaded.has(name)) return 0;
  loaded.add(name);
  const { file, imports = [] } = manifest[name];
  const own = gzipSync(readFileSync(join(DIST_DIR, file)), { level: 9 }).length;
  return imports.reduce((sum, imported) => sum + load(imported), own);
}

for (const { name, entry, kilobytes } of LIMITS) {
  const loads = load(entry) / KILOBYTE;
  process.stdout.write(
    `Scripts of ${name}: ${loads.toFixed(1)} KB gzipped; the limit is ${kilobytes} KB.\n`,
  );
  if (loads > kilobytes) process.exitCode = 1;
}
