import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT_DIR } from './source-files.ts';

const workspace = parse(readFileSync(join(ROOT_DIR, 'pnpm-workspace.yaml'), 'utf8')) as Readonly<
  Record<string, unknown>
>;
/** In minutes, as in pnpm. */
const DAY = 24 * 60;

test('pnpm rejects new releases, weaker provenance, other sources and undeclared install scripts', () => {
  expect(workspace).toMatchObject({
    minimumReleaseAgeStrict: true,
    trustPolicy: 'no-downgrade',
    blockExoticSubdeps: true,
    strictDepBuilds: true,
    allowBuilds: expect.any(Object),
  });
  expect(workspace['minimumReleaseAge']).toBeGreaterThanOrEqual(3 * DAY);
  expect(workspace['trustPolicyIgnoreAfter']).toBeGreaterThanOrEqual(7 * DAY);
});

test('no setting weakens these policies for more than one exact version', () => {
  const excluded = ['minimumReleaseAgeExclude', 'trustPolicyExclude'].flatMap(
    (name) => (workspace[name] ?? []) as string[],
  );

  expect(
    excluded.filter((entry) => !/^(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.-]*$/.test(entry)),
  ).toEqual([]);
  expect(Object.keys(workspace)).not.toContain('trustLockfile');
  expect(Object.keys(workspace)).not.toContain('dangerouslyAllowAllBuilds');
});
