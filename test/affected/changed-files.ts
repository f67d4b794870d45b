import { execFileSync } from 'node:child_process';
import { ROOT_DIR } from '../architecture/source-files.ts';

/**
 * The files that differ between a revision and the work tree, also those that git does not track, as
 * paths relative to the root. What came to the revision since both parted does not count. A moved
 * file counts at both places.
 * @throws if git does not know the revision
 */
export function listChangedFiles(revision: string, rootDir: string = ROOT_DIR): readonly string[] {
  const base = git(rootDir, ['merge-base', '--end-of-options', revision, 'HEAD'])[0] ?? revision;
  return [
    ...new Set([
      ...git(rootDir, ['diff', '--name-only', '--no-renames', '-z', base, '--']),
      ...git(rootDir, ['ls-files', '--others', '--exclude-standard', '-z']),
    ]),
  ].toSorted();
}

/** The files of the work tree, also those that git does not track, except ignored ones. */
export function listFiles(rootDir: string = ROOT_DIR): readonly string[] {
  return git(rootDir, ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
}

function git(rootDir: string, args: readonly string[]): readonly string[] {
  const printed = execFileSync('git', [...args], {
    cwd: rootDir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return printed.split(/[\0\n]/).filter((line) => line !== '');
}
