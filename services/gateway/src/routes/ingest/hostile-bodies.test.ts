import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import type { HostileBodyCosts } from '../../testing/measure-hostile-bodies.ts';

const MEASURE = join(import.meta.dirname, '..', '..', 'testing', 'measure-hostile-bodies.ts');
/** Measured below 2; checking faults one by one, or parsing with a reviver, takes 6 to 20. */
const PARSES_MAX = 5;
const TIMEOUT_MS = 180_000;

test(
  'no body costs more than a few parses of a large one',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MEASURE], {
      timeout: TIMEOUT_MS,
    });
    const { parseMs, costs } = JSON.parse(stdout) as HostileBodyCosts;

    expect(costs.filter(({ bytes }) => bytes > LIMITS.ingestBodyBytesMax)).toEqual([]);
    expect(costs.length).toBeGreaterThan(40);
    expect(costs.filter(({ ms }) => ms / parseMs >= PARSES_MAX)).toEqual([]);
  },
  TIMEOUT_MS,
);
