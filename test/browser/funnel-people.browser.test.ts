import { describe, expect, test } from '@jest/globals';
import type { MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import type { Uses } from '@tidings/web/src/api/types.ts';
import type { Locator, Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import {
  asked,
  AS_OF,
  DEFINITION,
  FUNNEL,
  FUNNEL_PAGE_ANSWERS,
  HOUR_MS,
  list,
  problem,
  RESULT,
  STEPS,
} from './support/funnels.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose, chosen, picker } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers = {}, role: MemberRole = 'marketer', width = 1_440) =>
  pages.visit(
    { role, answers: { ...FUNNEL_PAGE_ANSWERS, ...answers } },
    { viewport: { width, height: 900 }, reducedMotion: 'reduce' },
  );
const number = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const hasFocus = (at: Locator) => at.evaluate((element) => element === document.activeElement);
const step = (page: Page, index: number) =>
  page.getByRole('group', { name: `Step ${index}`, exact: true });

describe('people', () => {
  test('of a number are written to by the funnel, and explained one by one', async () => {
    await using opened = await visit({
      'GET users/u-1': {
        json: { customUserId: 'u-1', profile: { firstName: 'Anna', lastName: 'Müller' } },
      },
      'POST funnels/explain': {
        json: {
          reached: 2,
          state: 'dropped',
          steps: [
            { at: AS_OF - 300 * HOUR_MS, eventId: 'e-1' },
            { at: AS_OF - 297 * HOUR_MS, eventId: 'e-2' },
            {
              missing: {
                lookedUntil: AS_OF - 132 * HOUR_MS,
                nextAfterwards: { at: AS_OF - 130 * HOUR_MS, eventId: 'e-3' },
                rejected: [],
              },
            },
          ],
          asOf: AS_OF,
        },
      },
    });
    const { page, calls } = opened;
    await opened.open('/funnels/buying');
    await number(page, '−8,145 of step 2').click();
    const panel = page.getByRole('complementary', {
      name: 'Did cart_filled, not item_bought within 7 days',
    });
    await panel.getByText('8,145').waitFor();
    expect(asked(calls, 'POST funnels/users')).toMatchObject([
      { ...DEFINITION, state: 'dropped', step: 2 },
    ]);
    // Keys go on where they were: from the row to the person, and back.
    const anna = panel.getByRole('button', { name: /Anna Müller/ });
    const back = panel.getByRole('button', { name: 'All of them' });
    await anna.press('Enter');
    await panel.getByText('Did cart_filled 3 h later.').waitFor();
    expect(await hasFocus(back)).toBe(true);
    await back.press('Enter');
    await eventually(async () => expect(await hasFocus(anna)).toBe(true));
    await anna.press('Enter');
    await panel.getByText('Did cart_filled 3 h later.').waitFor();
    await panel.getByText('Anna Müller').waitFor();
    expect(await panel.locator('footer').count()).toBe(0);
    await panel.getByText(/^Did not do item_bought by .*, 7 days after the last/).waitFor();
    await panel.getByText(/^It came 2 h too late/).waitFor();
    expect(asked(calls, 'POST funnels/explain')).toMatchObject([
      { ...DEFINITION, customUserId: 'u-1' },
    ]);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.reload();
    await panel.getByText('Did cart_filled 3 h later.').waitFor();
    await panel.getByRole('button', { name: 'All of them' }).click();

    await panel.getByRole('link', { name: 'Write to them' }).click();
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
    const { from, to } = asked(calls)[0] as { from: number; to: number };
    // Who buys after this answer is left out, however late, and from whichever beginning.
    const condition = {
      all: [
        { funnel: 'buying', state: 'dropped', step: 2, from, to },
        { not: { event: 'bougt', from: AS_OF } },
      ],
    };
    expect(JSON.parse(new URL(page.url()).searchParams.get('condition') ?? '')).toEqual(condition);
    expect(await page.getByLabel('Skip people who left meanwhile').isChecked()).toBe(true);
    // Fields show all of it, also instants.
    expect(await page.getByRole('textbox', { name: 'JSON' }).count()).toBe(0);
    const leaf = page.getByRole('group', { name: /^1 dropped out of/ });
    // Whole minutes have no seconds: all of it can be read.
    const minute = String.raw`\d{1,2} \w+( \d{4})?, \d\d:\d\d`;
    expect(await chosen(leaf, 'Time range')).toMatch(RegExp(`^from ${minute} to ${minute}$`));
    await choose(leaf, 'Time range', 'in the last');
    await leaf.getByLabel('Last').waitFor();
  });

  test('of a funnel that is not saved are written to all the same: it is saved first', async () => {
    const slug = 'item-viewed-item-bought';
    const stored = { ...FUNNEL, slug, version: 1, name: 'item_viewed → item_bought' };
    await using opened = await visit({
      'GET funnels': list({ ...FUNNEL, window: '1d' }),
      [`PUT funnels/${slug}`]: { json: { ...stored, warnings: [] } },
      [`GET funnels/${slug}`]: { json: stored },
    });
    const { page, calls } = opened;
    await opened.open(`/new-funnel?funnel=${JSON.stringify(DEFINITION)}`);
    await number(page, 'Write to the 11,211').click();
    const toast = page.locator('.toast', {
      hasText: 'Funnel saved as “item_viewed → item_bought”',
    });
    await toast.waitFor();
    await eventually(async () =>
      expect(await toast.evaluate((element) => getComputedStyle(element).opacity)).toBe('1'),
    );
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();

    expect(asked(calls, `PUT funnels/${slug}`)).toHaveLength(1);
    expect(JSON.parse(new URL(page.url()).searchParams.get('condition') ?? '')).toMatchObject({
      all: [{ funnel: slug, state: 'dropped', step: 1 }, { not: { event: 'cartd' } }],
    });
    await page.goBack();
    await page.waitForURL(new RegExp(`/funnels/${slug}$`));
  });

  test('of a new funnel that is one of the saved ones are written to under its name', async () => {
    await using opened = await visit();
    const { page, calls } = opened;
    await opened.open(`/new-funnel?funnel=${JSON.stringify(DEFINITION)}`);
    await page.getByRole('link', { name: 'Write to the 11,211' }).click();
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();

    expect(JSON.parse(new URL(page.url()).searchParams.get('condition') ?? '')).toMatchObject({
      all: [{ funnel: 'buying', state: 'dropped', step: 1 }, { not: { event: 'cartd' } }],
    });
    expect(calls.filter(({ name }) => name.startsWith('PUT funnels'))).toEqual([]);
  });

  test('become a segment that stays true', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open('/funnels/buying?range=90d');
    await number(page, '4,453 of step 2').click();
    await page.getByRole('link', { name: 'Save as segment' }).click();
    await page.getByRole('heading', { name: 'New segment', level: 1 }).waitFor();

    expect(JSON.parse(new URL(page.url()).searchParams.get('condition') ?? '')).toEqual({
      funnel: 'buying',
      state: 'open',
      step: 2,
      within: '90d',
    });
  });

  test('are only looked at by who may not write', async () => {
    await using opened = await visit({}, 'viewer');
    const { page } = opened;
    await opened.open('/funnels/buying');
    await number(page, '−8,145 of step 2').click();
    await page.getByText('Anna Müller').waitFor();

    expect(await page.getByRole('link', { name: /Write|Save/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Write|Save|CSV/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Versions…']);
  });
});

describe('the sentence', () => {
  test('is changed by keys alone', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open('/funnels/buying');
    await number(page, '15,522 came to step 3').waitFor();
    const events = async (): Promise<readonly string[]> =>
      Promise.all(
        [1, 2, 3].map(async (each) =>
          (await picker(page, `Event of step ${each}`).count()) === 0
            ? '–'
            : chosen(page, `Event of step ${each}`),
        ),
      );
    await picker(page, 'Event of step 1').focus();
    const become = (...names: readonly string[]) =>
      eventually(async () => expect(await events()).toEqual(names));
    await page.keyboard.press('Alt+ArrowDown');
    await become('cart_filled', 'item_viewed', 'item_bought');
    await eventually(async () =>
      expect(
        await picker(page, 'Event of step 2').evaluate((each) => each === document.activeElement),
      ).toBe(true),
    );
    await page.keyboard.press('Backspace');
    await become('cart_filled', 'item_bought', '–');
    // Two steps stay.
    await picker(page, 'Event of step 2').focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Alt+ArrowUp');
    await become('item_bought', 'cart_filled', '–');
  });

  test('takes comparisons, another window and a segment, and is saved as the next version', async () => {
    const changed = {
      steps: [
        { event: 'viewd', where: [{ attribute: 'price', is: '5' }] },
        { event: 'cartd' },
        { event: 'bougt' },
      ],
      window: '2h',
    };
    await using opened = await visit({
      'GET segments': list({ slug: 'vip', name: 'VIP', condition: {}, usedBy: [] }),
      'PUT funnels/buying': { json: { ...FUNNEL, ...changed, version: 4, warnings: [] } },
    });
    const { page, calls } = opened;
    await opened.open('/funnels/buying');
    await number(page, '15,522 came to step 3').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    // The menu shows where the pointer is.
    await step(page, 1).hover();
    await page.getByRole('button', { name: 'Actions of step 1' }).click();
    await page.getByRole('menuitem', { name: 'Only where…' }).click();
    await step(page, 1).getByLabel('Attribute of the event').fill('price');
    await step(page, 1).getByLabel('Value').fill('5');
    await choose(page, 'Within', 'another time');
    await page.getByLabel('Time', { exact: true }).fill('2');
    await choose(page, 'Unit', 'hours');
    await choose(page, 'Of whom', 'VIP');
    await eventually(() =>
      expect(asked(calls).at(-1)).toMatchObject({ ...changed, segment: 'vip' }),
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Funnel saved').waitFor();

    expect(asked(calls, 'PUT funnels/buying')).toEqual([
      { name: FUNNEL.name, ...changed, expectedVersion: 3 },
    ]);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('funnel')).toBeNull();
    expect(new URL(page.url()).searchParams.get('segment')).toBe('vip');
  });

  test('has the days of a zone in the address', async () => {
    await using opened = await visit();
    const { page, calls } = opened;
    await opened.open(
      '/funnels/buying?range=dates&from=2026-11-02T00:00&to=2026-11-09T00:00&zone=Asia/Kathmandu',
    );
    await number(page, '15,522 came to step 3').waitFor();

    expect(asked(calls)).toMatchObject([
      { from: Date.parse('2026-11-01T18:15Z'), to: Date.parse('2026-11-08T18:15Z') },
    ]);
  });

  test('shows an earlier version, which can be saved again', async () => {
    const before = { steps: [{ event: 'viewd' }, { event: 'bougt' }], window: '1d' };
    await using opened = await visit({
      'GET funnels/buying/versions': list(
        { version: 3, name: FUNNEL.name, ...DEFINITION, createdAt: 2, createdBy: 'member:mia' },
        { version: 2, name: 'Buying', ...before, createdAt: 1, createdBy: 'member:mia' },
      ),
    });
    const { page, calls } = opened;
    await opened.open('/funnels/buying');
    await number(page, '15,522 came to step 3').waitFor();
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Versions…' }).click();
    await page.getByRole('button', { name: 'Look at it' }).nth(1).click();
    await eventually(() => expect(asked(calls).at(-1)).toMatchObject(before));

    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  });
});

describe('failures', () => {
  test('too many people: says what to narrow, and offers it', async () => {
    await using opened = await visit({
      'POST funnels/result': ({ body }) =>
        Number((body as { to: number }).to) - Number((body as { from: number }).from) >
        8 * 24 * HOUR_MS
          ? problem(400, { errors: [{ pointer: '/from', code: 'too_many' }] })
          : { json: RESULT },
    });
    const { page } = opened;
    await opened.open('/funnels/buying');
    await page.getByText('More people started than one question can hold').waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ask about the last 7 days' }).click();
    await number(page, '15,522 came to step 3').waitFor();

    expect(new URL(page.url()).searchParams.get('range')).toBe('7d');
  });

  test('a service that is busy is asked again by a press', async () => {
    let tries = 0;
    await using opened = await visit({
      'POST funnels/result': () =>
        ++tries < 2
          ? problem(503, { code: 'unavailable', detail: 'It takes too long.' })
          : { json: RESULT },
    });
    const { page } = opened;
    await opened.open('/funnels/buying');
    await page.getByRole('button', { name: 'Try again' }).click();
    await number(page, '15,522 came to step 3').waitFor();
  });

  test('a service that failed is asked again by a press, and says which request it was', async () => {
    let tries = 0;
    await using opened = await visit({
      'POST funnels/result': () =>
        ++tries < 2 ? problem(500, { code: 'internal', requestId: 'r-500' }) : { json: RESULT },
    });
    const { page } = opened;
    await opened.open('/funnels/buying');
    await page.getByRole('alert').getByText('r-500').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await number(page, '15,522 came to step 3').waitFor();

    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a service that answers others first is asked again by itself, and the page says so', async () => {
    await using opened = await visit();
    const { page } = opened;
    let tries = 0;
    await page.route('**/funnels/result', (route) =>
      ++tries < 2
        ? route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            headers: { 'Retry-After': '1' },
            body: JSON.stringify({ title: 'Busy', status: 503, code: 'unavailable' }),
          })
        : route.fallback(),
    );
    await opened.open('/funnels/buying');
    await page.getByText('Other questions are answered first.').waitFor();
    await number(page, '15,522 came to step 3').waitFor();

    expect(await page.getByText('Other questions are answered first.').count()).toBe(0);
  });

  test('a fault stands at its step, in words', async () => {
    await using opened = await visit({
      'POST funnels/result': problem(400, {
        errors: [{ pointer: '/steps/1/event', code: 'invalid_value' }],
      }),
    });
    const { page } = opened;
    await opened.open('/funnels/buying');
    await page.getByText(/^Step 2: /).waitFor();

    expect(await picker(page, 'Event of step 2').getAttribute('aria-invalid')).toBe('true');
    expect(await picker(page, 'Event of step 1').getAttribute('aria-invalid')).toBeNull();
  });

  test('what uses a funnel is listed, and it stays', async () => {
    await using opened = await visit({
      'GET funnels/buying/uses': {
        json: {
          segments: [{ slug: 'left', name: 'Left at the cart' }],
          templates: [],
          automations: [],
          campaigns: [],
        } satisfies Uses,
      },
    });
    const { page } = opened;
    await opened.open('/funnels/buying');
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('heading', { name: /can’t be deleted/ }).waitFor();
    await page.getByRole('link', { name: 'Left at the cart' }).click();
    await page.waitForURL('**/segments/left');
  });

  test('one that is not there says so', async () => {
    await using opened = await visit({ 'GET funnels/gone': problem(404, { code: 'not_found' }) });
    await opened.open('/funnels/gone');
    await opened.page.getByText('There is no funnel with this slug').waitFor();
  });

  test('no one who started is no fault', async () => {
    const none = STEPS.map((each) => ({ ...each, users: 0, dropped: 0, open: 0 }));
    await using opened = await visit({
      'POST funnels/result': { json: { ...RESULT, steps: none } },
    });
    await opened.open('/funnels/buying');
    await opened.page.getByText('No one started in this time').waitFor();
  });
});
