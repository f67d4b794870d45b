import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { editText, type Change } from './edit-text.ts';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
const LEFT_OUT = new Set(['.git', '.tidings', 'node_modules', 'coverage']);
/** Downloads, which are only read. */
const FETCHED = ['kafka', 'redis'];

/** A copy of this checkout to change; it shares the installed packages. */
export type CheckoutCopy = {
  readonly dir: string;
  /** Aborts when the program must stop. */
  readonly signal: AbortSignal;
  /** Replaces the only occurrence of `find` in a file while `work` runs. */
  edit<T>(change: Change, work: () => Promise<T>): Promise<T>;
  /** Also stops what killed tests left. */
  remove(): void;
};

export function copyCheckout(signal: AbortSignal): CheckoutCopy {
  const dir = mkdtempSync(join(tmpdir(), 'tidings-copy-'));
  // Links inside packages are relative, so they lead to the copied packages.
  cpSync(ROOT_DIR, dir, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !LEFT_OUT.has(relative(ROOT_DIR, source)),
  });
  symlinkSync(join(ROOT_DIR, 'node_modules'), join(dir, 'node_modules'));
  mkdirSync(join(dir, '.tidings'));
  for (const name of FETCHED.filter((fetched) => existsSync(join(ROOT_DIR, '.tidings', fetched))))
    symlinkSync(join(ROOT_DIR, '.tidings', name), join(dir, '.tidings', name));

  return {
    dir,
    signal,
    async edit(change, work) {
      const path = join(dir, change.file);
      const original = readFileSync(path, 'utf8');
      writeFileSync(path, editText(original, change));
      try {
        return await work();
      } finally {
        writeFileSync(path, original);
      }
    },
    remove() {
      spawnSync(process.execPath, [join(dir, 'test', 'stack', 'sweep.ts')], { cwd: dir });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
