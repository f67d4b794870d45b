import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where distributions put libfaketime (Debian: `apt-get install faketime`). */
const FOLDERS = ['/usr/lib', '/usr/local/lib', '/usr/lib64'];
/** The one for programs with several threads. */
const LIBRARY = 'libfaketimeMT.so.1';

/** The library by which a process is shown another time; undefined where it is not installed. `LIBFAKETIME` names it elsewhere. */
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

/** Why a row that needs it is left out; null where it is installed. */
export function whyNoFakeClock(): string | null {
  return findFakeClock() === undefined
    ? 'libfaketime is not installed (Debian: apt-get install faketime)'
    : null;
}

/** A clock that is wrong by as much as it is told, and can be set while its process runs. Durations are not touched, as on a machine whose clock is set. */
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
