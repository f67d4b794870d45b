import { expect, test } from '@jest/globals';
import { TEXT_LIMITS } from './limits.ts';
import { StepLimit } from './step-limit.ts';

test('a text is looked for up to a length', () => {
  const { searchCharsMax } = TEXT_LIMITS;

  new StepLimit().search(10, searchCharsMax);

  expect(() => new StepLimit().search(10, searchCharsMax + 1)).toThrow(
    `searches for a text of more than ${searchCharsMax} characters`,
  );
});

test('filters and operators end by their time too, without a node between them', () => {
  const limit = new StepLimit();
  const start = process.threadCpuUsage();
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
  limit.check(performance.now());
  const renderAll = (): void => {
    // Few steps, each of some CPU time: their number is no reason to end.
    for (let next = 0; usedMs() < 6 * TEXT_LIMITS.renderCpuMsMax; next += 4) {
      while (usedMs() < next);
      limit.step();
    }
  };

  expect(renderAll).toThrow('takes too long');
});
