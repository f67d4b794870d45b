import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** No Docker engine is reachable: a build that is not rejected fails there. */
function build(...args: readonly string[]): {
  readonly status: number | null;
  readonly stderr: string;
} {
  const script = join(import.meta.dirname, 'build.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    env: { PATH: '/nonexistent' },
  });
  return { status, stderr };
}

const BASE = 'docker.io/library/node:24-bookworm-slim';
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const REFUSED = {
  status: 1,
  stderr: expect.stringContaining('A release needs a base image with a digest'),
};
const ACCEPTED = { status: 1, stderr: expect.stringContaining('No Docker engine is reachable') };

test.each([
  [[]],
  [['--base', BASE]],
  [['--base', `${BASE}@sha256:0123`]],
  [['--base', `${BASE}@${DIGEST}-x`]],
])('a release is rejected with a base without a full digest: %j', (args) => {
  expect(build('--release', ...args)).toEqual(REFUSED);
});

test('a release needs a base with a digest; other builds accept any base', () => {
  expect(build('--release', '--base', `${BASE}@${DIGEST}`)).toEqual(ACCEPTED);
  expect(build('--base', BASE)).toEqual(ACCEPTED);
  expect(build()).toEqual(ACCEPTED);
});
