import { afterAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listChangedFiles, listFiles } from './changed-files.ts';

const dir = mkdtempSync(join(tmpdir(), 'tidings-changed-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd: dir,
    stdio: 'ignore',
  });
const write = (path: string, text: string) => writeFileSync(join(dir, path), text);
const commit = (message: string) => {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
};

git('init', '--quiet', '--initial-branch=main');
for (const name of ['committed', 'staged', 'edited', 'deleted', 'moved', 'kept', 'theirs'])
  write(name, `${name}\n`);
write('.gitignore', 'ignored\n');
commit('first');
git('branch', 'change');
write('theirs', 'changed on main\n');
commit('main goes on');
git('switch', '--quiet', 'change');
write('committed', 'changed\n');
commit('change');
write('staged', 'changed\n');
git('add', 'staged');
write('edited', 'changed\n');
rmSync(join(dir, 'deleted'));
mkdirSync(join(dir, 'to'));
renameSync(join(dir, 'moved'), join(dir, 'to', 'moved ä'));
write('untracked', 'new\n');
write('ignored', 'new\n');

test('a change is what differs from where it parted, committed or not, tracked or not', () => {
  expect(listChangedFiles('main', dir)).toEqual([
    'committed',
    'deleted',
    'edited',
    'moved',
    'staged',
    'to/moved ä',
    'untracked',
  ]);
});

test('the files of the work tree are those that git does not ignore', () => {
  expect(listFiles(dir)).toEqual(expect.arrayContaining(['kept', 'to/moved ä', 'untracked']));
  expect(listFiles(dir)).not.toContain('ignored');
});

test('a revision that git does not know is an error', () => {
  expect(() => listChangedFiles('nowhere', dir)).toThrow('nowhere');
  expect(() => listChangedFiles('--help', dir)).toThrow('--help');
});
