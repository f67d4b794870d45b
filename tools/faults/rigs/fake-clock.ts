import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installation folders of libfaketime (Debian: `apt-get install faketime`). */
const FOLDERS = ['/usr/lib', '/usr/local/lib', '/usr/lib64'];
/** The variant for multi-threaded programs. */
const LIBRARY = 'libfaketimeMT.so.1';

/** Path of libfaketime; undefined if not installed. `LIBFAKETIME` overrides it. */
export function findFakeClock(): string | undefined {
  const folders = FOLDERS.filter(existsSync).flatMap((folder) => [
    folder,
    ...readdirSync(folder).map((name) => join(folder, name)),
  ]);
  const candidates = [
    process.env['LIBFAKETIME'],
    ...folders.flatMap((folder) => [join(folder, LIBRARY), join(folder, 'faketime', LIBRARY)]),
  ];
  return candidates.find((file) => file !== undefined && existsSync(file));
}

/** Why rows that need it are skipped; null if installed. */
export function whyNoFakeClock(): string | null {
  return findFakeClock() === undefined
    ? 'libfaketime is not installed (Debian: apt-get install faketime)'
    : null;
}

/**
 * An adjustable clock offset of a running process. Monotonic time is not affected, as on a real
 * machine.
 */
export type FakeClock = {
  readonly env: Readonly<Record<string, string>>;
  set(offsetSeconds: number): void;
};

export function createFakeClock(library: string, file: string): FakeClock {
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set: (offsetSeconds) =>
      writeFileSync(file, `${offsetSeconds < 0 ? '-' : '+'}${Math.abs(offsetSeconds)}\n`),
  };
}
