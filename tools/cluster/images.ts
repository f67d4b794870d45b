import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT_DIR } from '../helm/helm.ts';
import type { Options } from './options.ts';
import { runCommand } from './support/command.ts';

const REPOSITORY = 'tidings';
const MIGRATIONS = 'packages/database/migrations';

export type Image = { readonly repository: string; readonly tag: string };

export const nameOf = ({ repository, tag }: Image): string => `${repository}:${tag}`;

/**
 * Builds the product's image, starts each entry point once, and loads the image into the cluster.
 * Resolves with the last output of the build.
 */
export async function buildImage(
  image: Image,
  { base, load }: Options,
  signal: AbortSignal,
): Promise<string> {
  const args = [
    'deploy/image/build.mjs',
    '--tag',
    nameOf(image),
    ...(base === undefined ? [] : ['--base', base]),
  ];
  const said = await runCommand(process.execPath, args, { cwd: ROOT_DIR, signal });
  await loadImage(image, load, signal);
  return said.trim().split('\n').at(-1) ?? '';
}

/** The same product with an additional migration, like a next version. */
export async function buildNextImage(
  image: Image,
  {
    of,
    options: { load },
    signal,
  }: { readonly of: Image; readonly options: Options; readonly signal: AbortSignal },
): Promise<number> {
  const next =
    Math.max(...readdirSync(join(ROOT_DIR, MIGRATIONS)).map((file) => Number.parseInt(file, 10))) +
    1;
  const folder = mkdtempSync(join(tmpdir(), 'tidings-next-'));
  try {
    const file = `${next}_cluster_test.sql`;
    mkdirSync(join(folder, MIGRATIONS), { recursive: true });
    cpSync(join(import.meta.dirname, 'next-migration.sql'), join(folder, MIGRATIONS, file));
    writeFileSync(
      join(folder, 'Dockerfile'),
      `FROM ${nameOf(of)}\nCOPY ${MIGRATIONS}/${file} ${MIGRATIONS}/${file}\n`,
    );
    await runCommand('docker', ['build', '-t', nameOf(image), folder], { signal });
  } finally {
    rmSync(folder, { recursive: true });
  }
  await loadImage(image, load, signal);
  return next;
}

async function loadImage(image: Image, load: string, signal: AbortSignal): Promise<void> {
  await runCommand('sh', ['-c', `${load} ${nameOf(image)}`], { signal });
}

/** A new tag for each run, since nodes do not fetch a known tag again. */
export function imagesOfThisRun(): { readonly now: Image; readonly next: Image } {
  const run = Date.now().toString(36);
  return {
    now: { repository: REPOSITORY, tag: `test-${run}` },
    next: { repository: REPOSITORY, tag: `test-${run}-next` },
  };
}
