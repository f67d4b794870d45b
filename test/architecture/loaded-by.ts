import { resolveImport } from './resolve-import.ts';
import type { SourceFile } from './source-files.ts';

/** Paths of the source files that programs load at their start. */
export function loadedBy(
  programs: readonly string[],
  files: ReadonlyMap<string, SourceFile>,
): ReadonlySet<string> {
  const loaded = new Set<string>();
  const pending = [...programs];
  for (const path of pending) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    for (const { from, isTypeOnly } of files.get(path)?.imports ?? []) {
      const found = isTypeOnly ? null : resolveImport(path, from);
      if (found !== null) pending.push(found);
    }
  }
  return loaded;
}
