import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What was downloaded, and what belongs to test runs. */
const KEPT = ['kafka', 'redis', 'test'];

/** Deletes everything a home holds but the downloads. Nothing may be running from it. */
export function deleteData(home: string): void {
  for (const name of readdirSync(home)) {
    if (!KEPT.includes(name)) rmSync(join(home, name), { recursive: true, force: true });
  }
}
