import { expect, test } from '@jest/globals';
import type { Funnel } from '@tidings/web/src/api/types.ts';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { choose, offered } from './support/pickers.ts';
import { addCondition, lastAsked, part, SEGMENT_ANSWERS } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const BUYING = {
  slug: 'buying',
  name: 'Buying',
  steps: [{ event: 'qwert' }, { event: 'asdfg' }, { event: 'qwert' }],
  window: '7d',
  version: 1,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'member:mia@shop.example',
  usedBy: [],
} satisfies Funnel;

test('a new segment is who dropped out of a funnel', async () => {
  await using visit = await pages.visit({
    role: 'marketer',
    answers: {
      ...SEGMENT_ANSWERS,
      'GET funnels': { json: { items: [BUYING], nextCursor: null } },
    },
  });
  const { page, calls } = visit;
  await visit.open('/new-segment');
  await addCondition(page, 'Buying');
  const leaf = part(page, '1');
  expect(await offered(leaf, 'Funnel')).toEqual(['Choose a funnel', 'Buying']);
  // The last step has none who dropped out.
  expect(await offered(leaf, 'Step')).toEqual(['1 · cart_filled', '2 · order_paid']);
  await choose(leaf, 'Step', '2 · order_paid');
  await leaf.getByLabel('Last').fill('14');
  const asked = { funnel: 'buying', state: 'dropped', step: 2, within: '14d' };
  await eventually(() => expect(lastAsked(calls)).toEqual({ all: [asked] }));

  await choose(part(page, '1'), 'State', 'converted in');
  const { step: _step, ...converted } = { ...asked, state: 'converted' };
  await eventually(() => expect(lastAsked(calls)).toEqual({ all: [converted] }));
  expect(await part(page, '1').getByLabel('Step').count()).toBe(0);
  await choose(part(page, '1'), 'State', 'come in');
  expect(await offered(part(page, '1'), 'Step')).toHaveLength(3);
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});
