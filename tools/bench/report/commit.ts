import { execFileSync } from 'node:child_process';
import { ROOT_DIR } from '@tidings/local';

/** The commit of a checkout, and whether its files differ from it. */
export function readCommit(folder = ROOT_DIR): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ', changed' : ''}`;
  } catch {
    return 'unknown'; // An archive, or no git.
  }
}
