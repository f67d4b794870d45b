import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Downloads, and data of test runs. */
const KEPT = ['chromium', 'kafka', 'redis', 'test'];

/** Deletes everything in a home except downloads. Nothing may be running from it. */
export function deleteData(home: string): void {
  for (const name of readdirSync(home)) {
    if (!KEPT.includes(name)) rmSync(join(home, name), { recursive: true, force: true });
  }
}
