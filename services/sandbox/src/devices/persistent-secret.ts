import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text that is created once and kept in the sandbox's data folder under this name. */
export function persistentText(dataDir: string, name: string, make: () => string): string {
  const file = join(dataDir, name);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const made = make();
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, made, { mode: 0o600 });
    return made;
  }
}

/** 32 random bytes of this sandbox, created on first use. */
export function persistentSecret(dataDir: string, name: string): () => Buffer {
  let kept: Buffer | undefined;
  return () =>
    (kept ??= Buffer.from(
      persistentText(dataDir, name, () => randomBytes(32).toString('base64url')),
      'base64url',
    ));
}
