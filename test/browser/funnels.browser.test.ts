import { describe, expect, test } from '@jest/globals';
import type { MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import type { FunnelResult } from '@tidings/web/src/api/types.ts';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import {
  asked,
  DEFINITION,
  FUNNEL,
  FUNNEL_PAGE_ANSWERS,
  HOUR_MS,
  list,
  RESULT,
  STEPS,
} from './support/funnels.ts';
import type { Answer, Answers, Call } from './support/answer-calls.ts';
import { choose, chosen } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const GROUPS: Pick<FunnelResult, 'groups' | 'others' | 'othersGroups'> = {
  groups: [
    { value: 'Berlin', steps: STEPS },
    { value: 'תל אביב', steps: STEPS },
    { value: null, steps: STEPS },
  ],
  othersGroups: 15,
  others: STEPS,
};
/** Of the time before: 35 of 100 came to the end. */
const EARLIER_STEPS: FunnelResult['steps'] = [100, 60, 35].map((users, index, all) => ({
  users,
  fromStart: users / 100,
  fromPrevious: users / (all[index - 1] ?? users),
  ...(index < 2 && { dropped: users - (all[index + 1] ?? 0), open: 0 }),
  medianMs: null,
  p90Ms: null,
}));
const EARLIER = { steps: EARLIER_STEPS, groups: [{ value: 'Berlin', steps: EARLIER_STEPS }] };
const visit = (answers: Answers = {}, role: MemberRole = 'marketer', width = 1_440) =>
  pages.visit(
    { role, answers: { ...FUNNEL_PAGE_ANSWERS, ...answers } },
    { viewport: { width, height: 900 }, reducedMotion: 'reduce' },
  );
const number = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const optionOf = (page: Page, name: string) => page.getByRole('option', { name, exact: true });

describe('the list of funnels', () => {
  test('says of each which steps it has, and opens it', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open('/');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    const row = page.getByRole('row').filter({ hasText: 'View to purchase' });
    const steps = row
      .getByText('item_viewed → cart_filled → item_bought')
      .filter({ visible: true });
    await steps.waitFor();
    await row.getByText('7 days').waitFor();
    // On a phone they stand below the name.
    await page.setViewportSize({ width: 360, height: 800 });
    await eventually(async () => expect(await row.getByText('7 days').isVisible()).toBe(false));
    await steps.waitFor();
    const table = await page.getByRole('table').boundingBox();
    const name = await page.getByRole('columnheader', { name: 'Name' }).boundingBox();
    expect(name?.width).toBeGreaterThan((table?.width ?? 0) * 0.6);
    await page.setViewportSize({ width: 1_440, height: 900 });

    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'View to purchase', level: 1 }).waitFor();
  });

  test('begins with one button and one call', async () => {
    await using opened = await visit({ 'GET funnels': list() });
    const { page } = opened;
    await opened.open('/funnels');
    await page.getByText('No funnels yet').waitFor();
    await page.getByText('By the API').click();
    await page.getByText('/api/v1/funnels/buying').waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);

    await page.locator('.state').getByRole('link', { name: 'New funnel' }).click();
    await page.getByRole('heading', { name: 'New funnel', level: 1 }).waitFor();
  });
});

describe('a new funnel', () => {
  test('opens one event after the other, answers at once, and stands in the address', async () => {
    await using opened = await visit({
      'POST funnels/result': ({ body }) => ({
        json: {
          ...RESULT,
          steps: STEPS.slice(0, (body as { steps: unknown[] }).steps.length),
        },
      }),
    });
    const { page, calls } = opened;
    await opened.open('/');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.keyboard.press('f');
    await optionOf(page, 'item_viewed').click();
    await optionOf(page, 'item_bought').click();
    await number(page, '40,435 came to step 1').waitFor();

    expect(await page.getByRole('option').count()).toBe(0);
    expect(asked(calls)).toMatchObject([
      { steps: [{ event: 'viewd' }, { event: 'bougt' }], window: '7d' },
    ]);
    const { from, to } = asked(calls)[0] as { from: number; to: number };
    expect((to - from) / (24 * HOUR_MS)).toBeGreaterThan(28.9);
    expect((to - from) / (24 * HOUR_MS)).toBeLessThan(30.1);
    await page.reload();
    await number(page, '40,435 came to step 1').waitFor();
    expect(await chosen(page, 'Event of step 2')).toBe('item_bought');
    await page.getByText('Exact, as of').waitFor();
  });

  test.each([1_440, 360])('shows few as a line, and no one as nothing, at %d px', async (width) => {
    const steps = STEPS.map((step, index) => ({ ...step, users: [1_000_000, 1, 0][index] ?? 0 }));
    await using opened = await visit(
      { 'POST funnels/result': { json: { ...RESULT, steps } } },
      'marketer',
      width,
    );
    const { page } = opened;
    await opened.open('/funnels/buying');
    await number(page, '0 came to step 3').waitFor();

    const side = width < 640 ? 'width' : 'height';
    const sizes = await page
      .locator('.funnel-segment.went')
      .evaluateAll(
        (all, of) => all.map((each) => each.getBoundingClientRect()[of]),
        side as 'width',
      );
    expect(sizes.slice(1)).toEqual([2, 0]);
  });

  test('is saved under a name, and then has an address of its own', async () => {
    await using opened = await visit({
      'PUT funnels/buying-2': {
        json: { ...FUNNEL, slug: 'buying-2', name: 'Buying', version: 1, warnings: [] },
      },
      'GET funnels/buying-2': { json: { ...FUNNEL, slug: 'buying-2', name: 'Buying', version: 1 } },
    });
    const { page, calls } = opened;
    await opened.open(`/new-funnel?range=7d&funnel=${JSON.stringify(DEFINITION)}`);
    await number(page, '15,522 came to step 3').waitFor();
    // Each number between two bars says what it counts to those who do not see where it stands.
    for (const [name, description] of [
      ['−8,145 of step 2', 'dropped out'],
      ['4,453 of step 2', 'may still go on'],
    ] as const)
      expect(await page.getByRole('button', { name, description }).count()).toBe(1);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Save funnel' });
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe(
      'item_viewed → item_bought',
    );
    await dialog.getByLabel('Name', { exact: true }).fill('Buying');
    await dialog.getByText('buying-2').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/funnels\/buying-2\?range=7d/);

    expect(asked(calls, 'PUT funnels/buying-2')).toEqual([
      { name: 'Buying', ...DEFINITION, expectedVersion: 0 },
    ]);
    await page.getByRole('heading', { name: 'Buying', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  });

  test('without events of people says what is missing', async () => {
    await using opened = await visit({ 'GET definitions': list() });
    await opened.open('/new-funnel');
    await opened.page.getByText('No events of people yet').waitFor();
  });
});

describe('the numbers', () => {
  test('come from a draw at first, and then exactly', async () => {
    const until = Promise.withResolvers<void>();
    await using opened = await visit({
      'POST funnels/preview': {
        json: {
          steps: STEPS.map((each) => ({ ...each, users: each.users - 35, low: 1, high: 99_000 })),
        },
      },
    });
    const { page, calls } = opened;
    await page.route('**/funnels/result', async (route) => {
      await until.promise;
      await route.fallback();
    });
    await opened.open('/funnels/buying');
    await number(page, '≈ 40,400 came to step 1').waitFor();
    await page.getByText('counting all').waitFor();
    expect(await number(page, '≈ 40,400 came to step 1').getAttribute('title')).toBe(
      'Between 1 and 99,000, with 95 % certainty',
    );
    until.resolve();
    await number(page, /^40,435 came/).waitFor();

    expect(await page.getByText('≈').count()).toBe(0);
    expect(asked(calls, 'POST funnels/preview')).toEqual(asked(calls));
  });

  test('tell who dropped out from who may still go on, and how long it took', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open('/funnels/buying');
    const second = page.getByRole('list', { name: 'Steps' }).getByRole('listitem').nth(1);
    await second.getByText('69.5 % of step 1').waitFor();

    expect((await second.innerText()).split(/\s*\n\s*/)).toEqual(
      expect.arrayContaining(['48 min', 'median · p90 1 d 10 h']),
    );
    await number(second as never, '−8,145 of step 2').waitFor();
    await number(second as never, '4,453 of step 2').waitFor();
    await page.getByText('38.4 %').first().waitFor();
    await page.getByText('up to 49.4 % if all of step 2').waitFor();
    const begins = await page.locator('.funnel-slope').evaluateAll((slopes) =>
      slopes.map((slope) => {
        const { left, right, top } = slope.getBoundingClientRect();
        return [left + 4, right - 4].map((x) =>
          document.elementsFromPoint(x, top + 12).includes(slope),
        );
      }),
    );
    // From the height of all who started, downwards.
    expect(begins[0]).toEqual([true, false]);
  });

  test.each(['light', 'dark'] as const)('are accessible in %s', async (colorScheme) => {
    await using opened = await visit({ 'POST funnels/result': { json: { ...RESULT, ...GROUPS } } });
    const { page } = opened;
    await page.emulateMedia({ colorScheme });
    await opened.open(`/funnels/buying?by={"field":"city"}`);
    await page.getByText('15 others').waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await number(page, '−8,145 of step 2').click();
    await page.getByText('Anna Müller').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('stand one above the other where there is no room', async () => {
    await using opened = await visit({}, 'marketer', 360);
    const { page } = opened;
    await opened.open('/funnels/buying');
    await number(page, '15,522 came to step 3').waitFor();
    const tracks = await page.locator('.funnel-track').evaluateAll((all) =>
      all.map((track) => {
        const { left, width, top } = track.getBoundingClientRect();
        return { left, width, top };
      }),
    );

    expect(new Set(tracks.map(({ left }) => left)).size).toBe(1);
    expect(tracks.toSorted((one, other) => one.top - other.top)).toEqual(tracks);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  test('of groups stand in a table, and open their people', async () => {
    await using opened = await visit({
      'POST funnels/result': ({ body }) => ({
        json: { ...RESULT, ...('breakdown' in (body as object) && GROUPS) },
      }),
    });
    const { page, calls } = opened;
    await opened.open('/funnels/buying');
    await number(page, '15,522 came to step 3').waitFor();
    await choose(page, 'By', 'City');
    const table = page.getByRole('region', { name: 'Groups' });
    await table.getByRole('row').filter({ hasText: '15 others' }).waitFor();
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/^City\s+Started\s+2\. cart_filled\s+3\. item_bought/),
      expect.stringContaining('Berlin'),
      expect.stringContaining('תל אביב'),
      expect.stringContaining('No city'),
      expect.stringContaining('15 others'),
    ]);
    expect(await table.getByRole('row').nth(1).innerText()).toContain('38.4 %');
    await page.setViewportSize({ width: 360, height: 800 });
    await table
      .getByRole('columnheader', { name: 'Share of started' })
      .waitFor({ state: 'hidden' });
    expect(await table.getByRole('row').nth(1).innerText()).toContain('38.4 %');
    await page.setViewportSize({ width: 1_280, height: 800 });
    await table.getByRole('button', { name: '15,522 of Berlin' }).click();
    await page.getByRole('complementary', { name: 'Berlin: Came to item_bought' }).waitFor();

    expect(asked(calls, 'POST funnels/users').at(-1)).toMatchObject({
      breakdown: { field: 'city' },
      group: 'Berlin',
      state: 'reached',
      step: 3,
    });
    expect(await page.getByRole('link', { name: 'Write to them' }).getAttribute('href')).toContain(
      encodeURIComponent('{"field":"city","is":"Berlin"}'),
    );
  });
});

describe('comparison', () => {
  test('with the time before is asked by a press, and stands at the bars, the share and the groups', async () => {
    await using opened = await visit({
      'POST funnels/result': ({ body }) => ({
        json: {
          ...RESULT,
          ...('breakdown' in (body as object) && GROUPS),
          ...((body as { to: number }).to < Date.now() - 20 * 24 * HOUR_MS && EARLIER),
        },
      }),
    });
    const { page, calls } = opened;
    await opened.open('/funnels/buying?by={"field":"city"}');
    await number(page, '15,522 came to step 3').waitFor();
    expect(asked(calls)).toHaveLength(1);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('30 days before: 35 %').waitFor();
    expect(await page.getByRole('region', { name: 'Summary' }).innerText()).toContain(
      '+3.4 points',
    );
    const [now, before] = asked(calls) as unknown as readonly Record<'from' | 'to', number>[];
    expect(before?.to).toBeLessThan(now?.to ?? 0);
    expect(await page.locator('.funnel-before').count()).toBe(2);
    const table = page.getByRole('region', { name: 'Groups' });
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('30 days before'),
      expect.stringContaining('+3.4 points'),
      expect.stringMatching(/–$/),
      expect.stringMatching(/–$/),
      expect.stringMatching(/–$/),
    ]);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('30 days before: 35 %').waitFor({ state: 'detached' });

    expect(asked(calls)).toHaveLength(2);
  });

  test('says when no one started before', async () => {
    const none = { users: 0, fromStart: 0, fromPrevious: 0, medianMs: null, p90Ms: null };
    await using opened = await visit({
      'POST funnels/result': ({ body }) => ({
        json:
          (body as { to: number }).to < Date.now() - 20 * 24 * HOUR_MS
            ? { ...RESULT, steps: [none, none, none] }
            : RESULT,
      }),
    });
    const { page } = opened;
    await opened.open('/funnels/buying?beside=before');
    await page.getByText('30 days before: no one started').waitFor();

    expect(await page.locator('.funnel-before').count()).toBe(0);
  });
});

describe('suggestions', () => {
  /** More people do it in this order than in the other. */
  const inOrder = new Map([
    ['viewd cartd', 500],
    ['bougt cartd', 90],
    ['viewd bougt', 40],
  ]);
  const preview = ({ body }: Call): Answer => {
    const { steps } = body as { steps: readonly { event: string }[] };
    const users = inOrder.get(steps.map(({ event }) => event).join(' ')) ?? 3;
    return {
      json: {
        steps: steps.map((_, index) => ({
          users: index === 0 ? 1_000 : users,
          low: 1,
          high: 2_000,
          medianMs: null,
          p90Ms: null,
        })),
      },
    };
  };

  test('a new funnel may begin with what many people do', async () => {
    await using opened = await visit({ 'POST funnels/preview': preview });
    const { page, calls } = opened;
    await opened.open('/new-funnel');
    const often = page.getByRole('list', { name: 'Often in this order' });
    await often.waitFor();
    expect(await often.getByRole('link').allInnerTexts()).toEqual([
      expect.stringMatching(/^item_viewed → cart_filled\s*≈ 500 people$/),
      expect.stringMatching(/^item_bought → cart_filled\s*≈ 90 people$/),
      expect.stringMatching(/^item_viewed → item_bought\s*≈ 40 people$/),
    ]);
    expect(asked(calls, 'POST funnels/preview')).toHaveLength(6);
    // The list of the first step is open, and has events alone.
    await optionOf(page, 'item_viewed').waitFor();
    expect(await optionOf(page, 'Choose an event').count()).toBe(0);
    await page.keyboard.press('Escape');
    await often.getByRole('link').first().click();
    await page.getByText('Exact, as of').waitFor();

    expect(asked(calls).at(-1)).toMatchObject({
      steps: [{ event: 'viewd' }, { event: 'cartd' }],
      window: '7d',
    });
  });

  test('steps that usually come the other way round are swapped by a press', async () => {
    const few = STEPS.map((each, index) => (index === 2 ? { ...each, users: 50 } : each));
    await using opened = await visit({
      'POST funnels/preview': preview,
      'POST funnels/result': { json: { ...RESULT, steps: few } },
    });
    const { page, calls } = opened;
    await opened.open('/funnels/buying');
    await page
      .getByText(
        'item_bought usually comes before cart_filled: ≈ 90 people did them in that order, ≈ 3 in yours.',
      )
      .waitFor();
    await page.getByRole('button', { name: 'Swap them' }).click();
    await eventually(() =>
      expect(asked(calls).at(-1)).toMatchObject({
        steps: [{ event: 'viewd' }, { event: 'bougt' }, { event: 'cartd' }],
      }),
    );

    await page.getByText('usually comes before').waitFor({ state: 'detached' });
  });

  test('nothing is said of an order that holds', async () => {
    await using opened = await visit({ 'POST funnels/preview': preview });
    const { page, calls } = opened;
    await opened.open('/funnels/buying');
    await number(page, /^15,522 came to step 3/).waitFor();

    expect(await page.getByText('usually comes before').count()).toBe(0);
    // More than half went on at each step: the order is not even asked about.
    expect(asked(calls, 'POST funnels/preview')).toHaveLength(1);
  });
});
