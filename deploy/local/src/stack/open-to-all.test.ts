import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOpenToAll } from './open-to-all.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'tidings-open-'));
  mkdirSync(join(home, 'below'));
  chmodSync(join(home, 'below'), 0o755);
});
afterAll(() => rmSync(home, { recursive: true }));

test.each([
  [0o700, false],
  [0o750, false],
  [0o711, isOpenToAll(tmpdir())],
])('below a folder of mode %o, which is open itself: %s', (mode, expected) => {
  chmodSync(home, mode);

  expect(isOpenToAll(join(home, 'below'))).toBe(expected);
  expect(isOpenToAll(join(home, 'below', 'not made yet'))).toBe(expected);
});
