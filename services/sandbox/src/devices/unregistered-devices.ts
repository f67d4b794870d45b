import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Addresses of unregistered subscriptions and tokens; survives restarts. */
export interface UnregisteredDevices {
  has(address: string): boolean;
  add(address: string): void;
}

const FILE = 'gone-devices.jsonl';

export function openUnregisteredDevices(dataDir: string): UnregisteredDevices {
  const file = join(dataDir, FILE);
  const gone = new Set(readLines(file));
  return {
    has: (address) => gone.has(address),
    add(address) {
      if (gone.has(address)) return;
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      appendFileSync(file, `${JSON.stringify(address)}\n`, { mode: 0o600 });
      gone.add(address);
    },
  };
}

function readLines(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return []; // Nothing was unregistered yet.
  }
  // A text after the last line break is a write that was interrupted.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => String(JSON.parse(line)));
}
