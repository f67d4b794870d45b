import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Copies the data of a stopped home into a new one: with its owners, since Postgres refuses data that another account owns. */
export function copyData(from: string, to: string): void {
  // What is in the folder: the new home may have one already, and would get it inside of its own.
  const data = join(to, 'data');
  mkdirSync(data, { recursive: true });
  execFileSync('cp', ['-a', `${join(from, 'data')}/.`, data]);
}
