import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

test('a command logs to standard error: its standard output is only its result', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'setup-link.ts')],
    { env: {}, encoding: 'utf8' },
  );

  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain('the configuration is not valid');
});
