import { expect, test } from '@jest/globals';
import { runJestOn } from '../jest-in-folder.ts';

const IMPORTS = `import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';`;
const run = (files: Readonly<Record<string, string>>, testTimeoutMs = 5_000) =>
  runJestOn(files, { modules: 'shared', testTimeoutMs });
const START_TIMEOUT_MS = 60_000;

test(
  'files share modules, and no file runs the tests or hooks of another',
  () => {
    const file = (expected: number) => `${IMPORTS}
      import { counter, declareTests } from './helper.mjs';
      let hooks = 0;
      beforeAll(() => { hooks += 1; });
      describe('a block', () => {
        test('counts', () => { counter.value += 1; expect([counter.value, hooks]).toEqual([${expected}, 1]); });
      });
      declareTests();`;
    const helper = `${IMPORTS}
      export const counter = { value: 0 };
      export function declareTests() {
        test.each([1, 2])('declared by a helper: %d', (n) => expect(n).toBeGreaterThan(0));
      }`;

    expect(
      run({ 'a.test.mjs': file(1), 'b.test.mjs': file(2), 'helper.mjs': helper }).statuses,
    ).toEqual({
      'a: counts': 'passed',
      'a: declared by a helper: 1': 'passed',
      'a: declared by a helper: 2': 'passed',
      'b: counts': 'passed',
      'b: declared by a helper: 1': 'passed',
      'b: declared by a helper: 2': 'passed',
    });
  },
  START_TIMEOUT_MS,
);

test(
  'what a file changes in its process is undone: variables, mocks, clocks',
  () => {
    const { statuses } = run({
      'a.test.mjs': `${IMPORTS}
        test('changes', () => {
          process.env.ADDED = 'a';
          delete process.env.PATH;
          jest.spyOn(Math, 'random').mockReturnValue(7);
          jest.useFakeTimers();
          expect([Math.random(), process.env.PATH]).toEqual([7, undefined]);
        });`,
      'b.test.mjs': `${IMPORTS}
        test('sees none of it', () => {
          expect([process.env.ADDED, typeof process.env.PATH]).toEqual([undefined, 'string']);
          expect(Math.random()).toBeLessThan(1);
          expect(setTimeout.clock).toBe(undefined);
        });`,
    });

    expect(statuses).toEqual({ 'a: changes': 'passed', 'b: sees none of it': 'passed' });
  },
  START_TIMEOUT_MS,
);

test(
  'a test that hangs fails at its time limit, and a file does not change the limit of the next',
  () => {
    const hangs = `test('hangs', () => new Promise(() => undefined));`;
    const { statuses, failures } = run(
      {
        'a.test.mjs': `${IMPORTS} jest.setTimeout(10); ${hangs}`,
        'b.test.mjs': `${IMPORTS} ${hangs}`,
        'c.test.mjs': `${IMPORTS} test('hangs', () => new Promise(() => undefined), 20);`,
      },
      30,
    );

    expect(statuses).toEqual({ 'a: hangs': 'failed', 'b: hangs': 'failed', 'c: hangs': 'failed' });
    expect([...new Set(failures.match(/Exceeded timeout of \d+ ms/g))]).toEqual([
      'Exceeded timeout of 10 ms',
      'Exceeded timeout of 30 ms',
      'Exceeded timeout of 20 ms',
    ]);
  },
  START_TIMEOUT_MS,
);

test(
  'a test or hook that throws, an unhandled rejection and a file that cannot load are failures',
  () => {
    const { statuses, failures } = run({
      'a.test.mjs': `${IMPORTS} test('fails', () => expect(1).toBe(2));`,
      'b.test.mjs': `${IMPORTS} beforeAll(() => { throw new Error('hook'); }); test('has a hook', () => undefined);`,
      'c.test.mjs': `${IMPORTS} test('rejects', async () => {
        void Promise.reject(new Error('unheard'));
        await new Promise((resolve) => setTimeout(resolve, 5));
      });`,
      'd.test.mjs': `import './missing.mjs';`,
      'e.test.mjs': `${IMPORTS} test('passes', () => undefined);`,
      'f.test.mjs': `${IMPORTS} test('mocks a module', () => jest.mock('fs'));`,
    });

    expect(statuses).toEqual({
      'a: fails': 'failed',
      'b: has a hook': 'failed',
      'c: rejects': 'failed',
      'e: passes': 'passed',
      'f: mocks a module': 'failed',
    });
    for (const text of ['missing.mjs', 'unheard', 'hook', 'jest.mock is not in'])
      expect(failures).toContain(text);
  },
  START_TIMEOUT_MS,
);

test(
  'what a test prints is shown with the place that prints it',
  () => {
    const { printed } = run({
      'a.test.mjs': `${IMPORTS} test('prints', () => console.log('heard'));`,
    });

    expect(printed).toMatch(/console\.log\s+heard\s+at .*a\.test\.mjs:1/);
  },
  START_TIMEOUT_MS,
);
