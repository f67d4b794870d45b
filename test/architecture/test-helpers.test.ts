import { expect, test } from '@jest/globals';
import { readSourceFiles } from './source-files.ts';

const REGISTERS = /^(?:await )?(?:(?:before|after)(?:All|Each)|describe|test|it|jest)\b[.(]/gm;

// Files of a worker share modules, so a helper is evaluated for the first file that imports it.
test('a helper of tests registers hooks and tests in a function that each file calls', () => {
  const helpers = readSourceFiles().filter(
    ({ path, imports }) =>
      !path.endsWith('.test.ts') && imports.some(({ from }) => from === '@jest/globals'),
  );

  expect(helpers.length).toBeGreaterThan(10);
  expect(
    helpers.flatMap(({ path, code }) =>
      [...code.matchAll(REGISTERS)].map(([call]) => `${path}: ${call}`),
    ),
  ).toEqual([]);
});

// Their metrics are one registry, which other files read.
test('no test clears or resets all metrics of its process', () => {
  const clearing = /\b(?:metricsRegistry|register|registry)\.(?:clear|resetMetrics)\(/;

  expect(
    readSourceFiles()
      .filter(({ path, code }) => path.endsWith('.ts') && clearing.test(code))
      .map(({ path }) => path),
  ).toEqual([]);
});
