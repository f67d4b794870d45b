import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { assemble } from '@tidings/image/assemble';
import type { EntryPoint } from '@tidings/image/entry-points';
import { ROOT_DIR } from '@tidings/local';

/** An unprivileged user, as in the image. */
const UNPRIVILEGED_ID = 65_532;
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

export type Ended = { readonly code: number | null; readonly output: string };
export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  output(): string;
};

/** The content of an image in a read-only folder, and an unprivileged user to run it. */
export type Assembled = {
  readonly appDir: string;
  /** Node's compile cache: a folder per set of V8 flags. */
  readonly cacheDir: string;
  start(entry: EntryPoint, env: Readonly<Record<string, string>>): Started;
  /** Loads every entry point once, as the image build does. */
  warm(): Ended;
  remove(): void;
};

/** Assembles the image content by the steps of the Dockerfile, with a copy of node. */
export function assembleReadOnly(): Assembled {
  const home = mkdtempSync(join(tmpdir(), 'tidings-image-'));
  const appDir = join(home, 'app');
  const cacheDir = join(home, 'cache');
  const node = join(home, 'bin', 'node');
  mkdirSync(dirname(node));
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  assemble(appDir);
  mkdirSync(cacheDir);
  chmodSync(cacheDir, 0o777);
  setModes(appDir, { folders: 0o555, files: 0o444 });
  chmodSync(home, 0o755);

  const who = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
  const environment = (env: Readonly<Record<string, string>>) => ({
    PATH: dirname(node),
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: cacheDir,
    ...env,
  });
  return {
    appDir,
    cacheDir,
    start({ file, nodeFlags }, env) {
      const child = spawn(node, [...NODE_FLAGS, ...nodeFlags, file], {
        cwd: appDir,
        env: environment(env),
        stdio: ['ignore', 'pipe', 'pipe'],
        ...who,
      });
      const printed: string[] = [];
      child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
      const ended = new Promise<Ended>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, output: printed.join('') }));
      });
      return { child, ended, output: () => printed.join('') };
    },
    warm() {
      const script = join(ROOT_DIR, 'deploy', 'image', 'warm.mjs');
      const { status, stdout, stderr } = spawnSync(node, [script, appDir, cacheDir], {
        cwd: appDir,
        env: environment({}),
        encoding: 'utf8',
        ...who,
      });
      return { code: status, output: `${stdout}${stderr}` };
    },
    remove() {
      setModes(appDir, { folders: 0o755, files: 0o644 });
      rmSync(home, { recursive: true, force: true });
    },
  };
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
