import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts';
import type { HostileBodyCosts } from '../../testing/measure-hostile-bodies.ts';

const MEASURE = join(import.meta.dirname, '..', '..', 'testing', 'measure-hostile-bodies.ts');
/** Less than 2 is measured; looking at faults one by one, or parsing with a reviver, is 6 to 20. */
const PARSES_MAX = 5;
const TIMEOUT_MS = 180_000;

test(
  'whatever is in a body, it costs no more than a few parses of a large one',
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
