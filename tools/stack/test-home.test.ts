import { afterEach, expect, test } from '@jest/globals';
import { TEST_HOMES_DIR } from '@tidings/local';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sweepTestHomes } from './test-home.ts';

const made: string[] = [];
afterEach(() => {
  for (const home of made.splice(0)) rmSync(home, { recursive: true, force: true });
});

function homeOf(pid: number): string {
  const home = join(TEST_HOMES_DIR, `swept-${pid}-${Date.now().toString(36)}`);
  mkdirSync(home, { recursive: true });
  made.push(home);
  return home;
}

test('a sweep keeps the unlocked home of a living process and removes that of a dead one', async () => {
  const { pid: deadPid } = spawnSync(process.execPath, ['-e', '']);
  const [living, dead] = [homeOf(process.pid), homeOf(deadPid)];

  await sweepTestHomes();

  expect([existsSync(living), existsSync(dead)]).toEqual([true, false]);
});
