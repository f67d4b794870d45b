import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { isNightly, leaveToNightly, listByRun } from './nightly-files.mjs';
import { rowsOfRun } from './rows-of-run.ts';

const ROWS = { always: ['I1', 'I2'], nightly: ['I28'] };
const before = process.env['TEST_ROWS'];
let printed = '';

beforeEach(() => {
  printed = '';
  delete process.env['TEST_ROWS'];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  if (before === undefined) delete process.env['TEST_ROWS'];
  else process.env['TEST_ROWS'] = before;
});

test('the first comment of a file leaves it to the nightly run', () => {
  expect(isNightly('/**\n * @needs kafka\n * @nightly\n */\n\nimport x;')).toBe(true);
  expect(isNightly('/** @nightly */')).toBe(true);
  expect(isNightly('/** @needs kafka */\n/** @nightly */')).toBe(false);
  expect(isNightly("import x from 'y';\n/** @nightly */")).toBe(false);
});

test('a usual run has the other files, and prints what it leaves', () => {
  const { usual, nightly } = listByRun();
  const plan = leaveToNightly([
    { part: 'unit', patterns: [] },
    { part: 'faults', patterns: [] },
  ]);

  expect(nightly.length).toBeGreaterThan(0);
  expect(usual.length).toBeGreaterThan(nightly.length * 4);
  expect(plan).toEqual([
    { part: 'unit', patterns: [] },
    { part: 'faults', patterns: usual.filter((path) => path.endsWith('.faults.test.ts')) },
  ]);
  for (const path of nightly.filter((one) => one.endsWith('.faults.test.ts')))
    expect(printed).toContain(path);
});

test('a run that names files, or runs all rows, leaves nothing', () => {
  const named = [{ part: 'e2e', patterns: ['sbom'] }];
  expect(leaveToNightly(named)).toEqual(named);

  process.env['TEST_ROWS'] = 'all';
  const all = [{ part: 'e2e', patterns: [] }];
  expect(leaveToNightly(all)).toEqual(all);
  expect(printed).toBe('');
});

test('a test has its other rows only in the nightly run', () => {
  expect(rowsOfRun(ROWS)).toEqual(['I1', 'I2']);
  process.env['TEST_ROWS'] = 'all';
  expect(rowsOfRun(ROWS)).toEqual(['I1', 'I2', 'I28']);
});
