import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConnection, type ShopConnection } from './connection.ts';

/** The connection of the shop, which outlives a restart of the sandbox. */
export interface KeptConnection {
  get(): ShopConnection | undefined;
  set(connection: ShopConnection): void;
}

export function keepConnection(dataDir: string): KeptConnection {
  const file = join(dataDir, 'shop.json');
  let connection = read(file);
  return {
    get: () => connection,
    set(next) {
      connection = next;
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      // It has keys of the application.
      writeFileSync(file, JSON.stringify(next), { mode: 0o600 });
    },
  };
}

/** Undefined if there is none, or one of another version. */
function read(file: string): ShopConnection | undefined {
  try {
    const parsed = parseConnection(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.ok ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}
