import { afterEach, expect, test } from '@jest/globals';
import { countTallies, gaugeTallies } from './hot-metrics.ts';
import { metricsRegistry } from './metrics.ts';

// Other files of this process have metrics too.
afterEach(() => {
  for (const name of ['hot_total', 'hot_now']) metricsRegistry.removeSingleMetric(name);
});

async function linesOf(name: string): Promise<string[]> {
  return (await metricsRegistry.metrics())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`));
}

test('a counter shows the sum of its tallies at each reading', async () => {
  const of = countTallies({ name: 'hot_total', help: 'h', labelNames: ['route', 'status'] });
  of({ route: 'a', status: 200 }).value += 2;
  of({ route: 'a', status: 503 }).value += 1;
  const first = await linesOf('hot_total');
  of({ route: 'a', status: 200 }).value += 5;

  expect(first).toEqual([
    'hot_total{route="a",status="200"} 2',
    'hot_total{route="a",status="503"} 1',
  ]);
  expect(await linesOf('hot_total')).toEqual([
    'hot_total{route="a",status="200"} 7',
    'hot_total{route="a",status="503"} 1',
  ]);
});

test('a counter shows no labels that were never counted', async () => {
  const of = countTallies({ name: 'hot_total', help: 'h', labelNames: ['route'] });
  of({ route: 'a' });

  expect(await linesOf('hot_total')).toEqual([]);
});

test('the same labels have one tally, so that several owners add up', async () => {
  const of = gaugeTallies({ name: 'hot_now', help: 'h', labelNames: ['topic'] });
  const [one, other] = [of({ topic: 't' }), of({ topic: 't' })];
  one.value += 3;
  other.value -= 1;
  const before = await linesOf('hot_now');
  one.value = 0;

  expect(before).toEqual(['hot_now{topic="t"} 2']);
  expect(await linesOf('hot_now')).toEqual(['hot_now{topic="t"} 0']);
});

test('a reset begins at 0, and what is counted later is shown', async () => {
  const of = countTallies({ name: 'hot_total', help: 'h', labelNames: ['route'] });
  const tally = of({ route: 'a' });
  tally.value += 4;
  await linesOf('hot_total');
  metricsRegistry.getSingleMetric('hot_total')?.reset();
  const after = await linesOf('hot_total');
  tally.value += 1;

  expect(after).toEqual([]);
  expect(await linesOf('hot_total')).toEqual(['hot_total{route="a"} 1']);
});
