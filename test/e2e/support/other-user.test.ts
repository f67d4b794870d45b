import { afterEach, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isOpenToAll, ROOT_DIR } from '@tidings/local';
import { createOtherUser, makeOpenFolder, type OtherUser } from './other-user.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

function otherUser(): OtherUser {
  const other = createOtherUser('tidings-other-');
  made.push(other.home);
  return other;
}

/** What a shell prints needs no path. */
const echo = { command: 'echo', args: ['here'], env: {} };

test('another user runs what lies in its home', async () => {
  const other = otherUser();
  writeFileSync(join(other.home, 'text'), 'read', { mode: 0o644 });
  const cwd = other.makeFolder('work');

  const read = other.start({ ...echo, command: 'cat', args: [join(other.home, 'text')], cwd });

  expect(await read.ended).toEqual({ code: 0, output: 'read' });
});

test.each([
  ['a command', { command: process.execPath }],
  ['an argument', { args: [join(ROOT_DIR, 'deploy', 'image', 'warm.mjs')] }],
  ['a working folder', { cwd: ROOT_DIR }],
  ['a variable', { env: { DATA_DIR: join(ROOT_DIR, '.tidings', 'test') } }],
])(
  'it gets no path into the checkout, which may be closed to it, even where it is not: %s',
  (_, given) => {
    const other = otherUser();

    expect(() => other.start({ ...echo, cwd: other.home, ...given })).toThrow(ROOT_DIR);
  },
);

test('its home is a neighbour of a temporary folder that is closed to it', () => {
  const [closed, open] = [makeOpenFolder('tidings-closed-'), makeOpenFolder('tidings-open-')];
  made.push(closed, open);
  const below = join(closed, 'below');
  mkdirSync(below);
  chmodSync(closed, 0o700);

  expect(dirname(makeOpenFolder('home-', [closed, below, open]))).toBe(open);
  expect(() => makeOpenFolder('home-', [closed, below])).toThrow('set TMPDIR');
});

test('the other user can enter its folders under any umask', () => {
  const before = process.umask(0o077);
  try {
    const other = otherUser();
    const folders = [other.makeFolder('read'), other.makeFolder('written', { isWritable: true })];

    expect(folders.map((folder) => statSync(folder).mode & 0o777)).toEqual([0o755, 0o777]);
    expect(folders.every(isOpenToAll)).toBe(true);
  } finally {
    process.umask(before);
  }
});
