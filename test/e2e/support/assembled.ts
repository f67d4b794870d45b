import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assemble } from '@tidings/image/assemble';
import type { EntryPoint } from '@tidings/image/entry-points';
import { ROOT_DIR } from '@tidings/local';
import { createOtherUser, type Ended, type OtherUser, type Started } from './other-user.ts';

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];
/** As in the Dockerfile. */
const WARM_FILES = ['warm.mjs', 'entry-points.mjs'];

/** The content of an image in a read-only folder, and an unprivileged user to run it. */
export type Assembled = {
  readonly appDir: string;
  /** Node's compile cache: a folder per set of V8 flags. */
  readonly cacheDir: string;
  readonly user: OtherUser;
  start(entry: EntryPoint, env: Readonly<Record<string, string>>): Started;
  /** Loads every entry point once, as the image build does. */
  warm(): Promise<Ended>;
  remove(): void;
};

/** Assembles the image content by the steps of the Dockerfile, with a copy of node. */
export function assembleReadOnly(): Assembled {
  const user = createOtherUser('tidings-image-');
  const cacheDir = user.makeFolder('cache', { isWritable: true });
  const node = copyTo(user.makeFolder('bin'), process.execPath, 'node');
  const warmDir = user.makeFolder('warm');
  for (const file of WARM_FILES) copyTo(warmDir, join(ROOT_DIR, 'deploy', 'image', file), file);
  const appDir = user.makeFolder('app');
  assemble(appDir);
  setModes(appDir, { folders: 0o555, files: 0o444 });

  const start = (args: readonly string[], env: Readonly<Record<string, string>>): Started =>
    user.start({
      command: node,
      args,
      cwd: appDir,
      env: {
        PATH: dirname(node),
        NODE_ENV: 'production',
        NODE_COMPILE_CACHE: cacheDir,
        ...env,
      },
    });
  return {
    appDir,
    cacheDir,
    user,
    start: ({ file, nodeFlags }, env) => start([...NODE_FLAGS, ...nodeFlags, file], env),
    warm: () => start([join(warmDir, 'warm.mjs'), appDir, cacheDir], {}).ended,
    remove() {
      setModes(appDir, { folders: 0o755, files: 0o644 });
      rmSync(user.home, { recursive: true, force: true });
    },
  };
}

function copyTo(folder: string, source: string, name: string): string {
  const path = join(folder, name);
  copyFileSync(source, path);
  chmodSync(path, 0o755);
  return path;
}

function setModes(
  folder: string,
  modes: { readonly folders: number; readonly files: number },
): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path, modes);
    else if (entry.isFile()) chmodSync(path, modes.files);
  }
  chmodSync(folder, modes.folders);
}
