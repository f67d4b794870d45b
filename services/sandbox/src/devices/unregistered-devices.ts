import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Subscriptions and tokens that were unregistered, through a restart too. */
export interface UnregisteredDevices {
  has(address: string): boolean;
  add(address: string): void;
}

const FILE = 'gone-devices.jsonl';

export function openUnregisteredDevices(dataDir: string): UnregisteredDevices {
  const file = join(dataDir, FILE);
  const gone = new Set(linesOf(file));
  return {
    has: (address) => gone.has(address),
    add(address) {
      if (gone.has(address)) return;
      mkdirSync(dataDir, { recursive: true });
      appendFileSync(file, `${JSON.stringify(address)}\n`);
      gone.add(address);
    },
  };
}

function linesOf(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return []; // Nobody has unregistered yet.
  }
  // What stands after the last line break was torn off while it was written.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => String(JSON.parse(line)));
}
