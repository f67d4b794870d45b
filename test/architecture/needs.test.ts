import { expect, test } from '@jest/globals';
import { needsOf } from '../stack/needs.mjs';
import { readSourceFiles } from './source-files.ts';

/** How the code of a test file uses each need, itself or by a helper. */
const USES: Readonly<Record<string, RegExp>> = {
  kafka: /kafka/i,
  redis:
    /redis|services-on-|startRollingRig|startAutomationsRig|testAutomationsRows|bus: 'kafka'|openTestCoordination|startGatewayProcess|spawnGateway|spawnService/i,
  curl: /startShell|apiReferenceTests/,
};

const files = readSourceFiles()
  .filter(({ path }) => path.endsWith('.test.ts'))
  .map((file) => ({ ...file, needs: needsOf(file.text) }));

test('only tests with stores say what they need: others run everywhere', () => {
  const declaring = files.filter(({ needs }) => needs.length > 0).map(({ path }) => path);

  expect(declaring.length).toBeGreaterThan(20);
  expect(declaring.filter((path) => !/\.(integration|e2e|faults)\.test\.ts$/.test(path))).toEqual(
    [],
  );
});

test('what a test file says that it needs, it uses', () => {
  expect(
    files.flatMap(({ path, code, needs }) =>
      needs.filter((need) => USES[need]?.test(code) !== true).map((need) => `${path}: ${need}`),
    ),
  ).toEqual([]);
});

// For the stores, test/stack/apply-needs.mjs sees to it.
test('a test file that runs curl says so', () => {
  expect(
    files
      .filter(({ path }) => path.startsWith('test/e2e/'))
      .filter(({ code, needs }) => USES['curl']?.test(code) === true && !needs.includes('curl'))
      .map(({ path }) => path),
  ).toEqual([]);
});
