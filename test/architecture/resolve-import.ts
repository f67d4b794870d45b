import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { ROOT_DIR } from './source-files.ts';

const ofWorkspace = new Map<string, string | null>();

/**
 * The file that an import leads to, as a path relative to the root; null if it is of an installed
 * package, of Node, or missing.
 */
export function resolveImport(path: string, from: string): string | null {
  if (from.startsWith('.')) return join(dirname(path), from);
  if (!from.startsWith('@tidings/')) return null;
  const known = ofWorkspace.get(from);
  if (known !== undefined) return known;
  const found = find(path, from);
  if (found !== null) ofWorkspace.set(from, found);
  return found;
}

function find(path: string, from: string): string | null {
  try {
    return relative(ROOT_DIR, createRequire(join(ROOT_DIR, path)).resolve(from));
  } catch {
    return null;
  }
}
