import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOnce } from './make-once.ts';

const home = mkdtempSync(join(tmpdir(), 'tidings-once-'));
afterAll(() => rmSync(home, { recursive: true }));

test('who makes a folder at the same time as another gets a whole one, and it is made no more', async () => {
  const folder = join(home, 'below', 'made');
  let calls = 0;
  const make = () =>
    makeOnce(folder, async (making) => {
      calls += 1;
      writeFileSync(join(making, 'first'), '1');
      await Promise.resolve();
      writeFileSync(join(making, 'second'), '2');
    });

  await Promise.all([make(), make()]);
  await make();

  expect(calls).toBe(2);
  expect(readdirSync(join(home, 'below'))).toEqual(['made']);
  expect(['first', 'second'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    '1',
    '2',
  ]);
});

test('what fails leaves nothing, and can be tried again', async () => {
  const folder = join(home, 'failed');
  const failing = makeOnce(folder, async (making) => {
    writeFileSync(join(making, 'part'), '');
    throw new Error('no network');
  });

  await expect(failing).rejects.toThrow('no network');
  expect(readdirSync(home)).not.toContainEqual(expect.stringContaining('failed'));
  await makeOnce(folder, async () => undefined);
  expect(readdirSync(home)).toContain('failed');
});
