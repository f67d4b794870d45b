import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT_DIR } from '@tidings/local';

/** Writes the results of a bench to `.tidings/bench` and prints the path. */
export function writeResults(bench: string, results: object): void {
  const folder = join(ROOT_DIR, '.tidings', 'bench');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${bench}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\nAs JSON: ${relative(ROOT_DIR, file)}`);
}
