import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text that is made once and is the same after every restart, under this name in the sandbox's folder. */
export function persistentText(dataDir: string, name: string, make: () => string): string {
  const file = join(dataDir, name);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const made = make();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, made, { mode: 0o600 });
    return made;
  }
}

/** 32 bytes that only this sandbox knows, made when they are asked for first. */
export function persistentSecret(dataDir: string, name: string): () => Buffer {
  let kept: Buffer | undefined;
  return () =>
    (kept ??= Buffer.from(
      persistentText(dataDir, name, () => randomBytes(32).toString('base64url')),
      'base64url',
    ));
}
