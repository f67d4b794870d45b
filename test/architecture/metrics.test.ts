import { expect, test } from '@jest/globals';
import { isTest, readSourceFiles } from './source-files.ts';

const DECLARATION =
  /\b(new Counter|new Gauge|new Histogram|countTallies|gaugeTallies)(?:<[^>]*>)?\(\{\s*name: '([^']+)'/g;
const COUNTERS = ['new Counter', 'countTallies'];

// The sandbox is no part of an installation.
test('metric names begin with tidings_, and those of counters alone end with _total', () => {
  const declared = readSourceFiles()
    .filter((file) => !isTest(file) && /^(packages|services\/(?!sandbox\/))/.test(file.path))
    .flatMap(({ path, code }) =>
      [...code.matchAll(DECLARATION)].map(([, kind = '', name = '']) => ({ path, kind, name })),
    );

  expect(declared.length).toBeGreaterThan(50);
  expect(
    declared.filter(
      ({ kind, name }) =>
        !name.startsWith('tidings_') || name.endsWith('_total') !== COUNTERS.includes(kind),
    ),
  ).toEqual([]);
});
