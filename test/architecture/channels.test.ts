import { expect, test } from '@jest/globals';
import { SUPPRESSIBLE_CHANNELS } from '@tidings/contracts';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
const suppressions = globSync('packages/*/src/**/*.sql', { cwd: ROOT_DIR })
  .map((file) => ({ file, text: readFileSync(join(ROOT_DIR, file), 'utf8') }))
  // Both statements look up the address of a channel that may be suppressed.
  .filter(({ text }) => text.includes("'SMS'") && text.includes("'EMAIL'"));

test('a statement that looks for suppressed addresses does so for every channel that has them', () => {
  const missing = suppressions.flatMap(({ file, text }) =>
    SUPPRESSIBLE_CHANNELS.filter((channel) => !text.includes(`'${channel}'`)).map(
      (channel) => `${file} lacks ${channel}`,
    ),
  );

  expect(suppressions.length).toBeGreaterThan(3);
  expect(missing).toEqual([]);
});
