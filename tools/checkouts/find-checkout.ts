import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT_DIR } from '@tidings/local';

const FOLDER = join(ROOT_DIR, '.tidings', 'checkouts');

/**
 * The folder of another checkout: a path, or a commit, which is cloned once. The first run in a
 * clone installs its packages.
 * @throws if it is neither
 */
export function findCheckout(pathOrCommit: string): string {
  const path = resolve(process.env['INIT_CWD'] ?? process.cwd(), pathOrCommit);
  if (existsSync(join(path, 'package.json'))) return path;
  const commit = findCommit(pathOrCommit);
  if (commit === undefined)
    throw new Error(`${pathOrCommit} is neither the folder of a checkout nor a commit`);
  const clone = join(FOLDER, commit);
  if (existsSync(clone)) return clone;
  process.stderr.write(`Cloning ${pathOrCommit} …\n`);
  const making = `${clone}.making`;
  mkdirSync(FOLDER, { recursive: true });
  rmSync(making, { recursive: true, force: true });
  git('clone', '--quiet', '--no-checkout', ROOT_DIR, making);
  git('-C', making, 'fetch', '--quiet', ROOT_DIR, commit);
  git('-C', making, 'checkout', '--quiet', commit);
  renameSync(making, clone);
  return clone;
}

function findCommit(name: string): string | undefined {
  const { status, stdout } = spawnSync(
    'git',
    ['-C', ROOT_DIR, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    { encoding: 'utf8' },
  );
  return status === 0 ? stdout.trim() : undefined;
}

function git(...args: string[]): void {
  execFileSync('git', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
