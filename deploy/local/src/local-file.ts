import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Credentials } from '@tidings/install';
import type { RunningService } from './services/supervisor.ts';
import type { Addresses } from './stack/stack.ts';
import type { Form } from './form.ts';

/**
 * `.tidings/local.json`: what a program needs to reach a running installation. It exists only while
 * everything is ready.
 */
export type LocalFile = Credentials &
  Omit<Addresses, 'publicDatabaseUrl' | 'redisUrl'> & {
    /** Null where none runs. */
    readonly redisUrl: string | null;
    readonly baseUrl: string;
    readonly httpsUrl: string;
    readonly dashboardUrl: string;
    readonly sandboxUrl: string;
    /** What runs: see `Form`. */
    readonly form: Form;
    readonly services: readonly RunningService[];
  };

/** Writes a temporary file and renames it, so that readers never see a partial file. */
export function writeLocalFile(file: string, local: LocalFile): void {
  const making = `${file}.making`;
  writeFileSync(making, `${JSON.stringify(local, null, 2)}\n`, { mode: 0o600 });
  renameSync(making, file);
}

export function removeLocalFile(file: string): void {
  rmSync(file, { force: true });
}

/** Undefined if nothing is running. */
export function readLocalFile(file: string): LocalFile | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LocalFile;
  } catch {
    return undefined;
  }
}
