import { describe, expect, test } from '@jest/globals';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import type { MemberRole } from '@tidings/contracts/members';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ListedSegment, SegmentExplanation, Uses } from '@tidings/web/src/api/types.ts';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { written } from './support/code.ts';
import { typeDateTime } from './support/dates.ts';
import type { Answer, Answers } from './support/answer-calls.ts';
import { choose, offered } from './support/pickers.ts';
import {
  addCondition,
  bodies,
  estimate,
  lastAsked,
  part,
  SEGMENT_ANSWERS,
  stored,
} from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const problem = (status: number, pointer?: string): Answer => ({
  status,
  json: {
    type: 'about:blank',
    title: 'It failed',
    detail: `It failed with ${status}.`,
    status,
    code: status === 409 ? 'conflict' : 'validation_failed',
    requestId: 'r',
    ...(pointer !== undefined && { errors: [{ pointer, code: 'invalid_value' }] }),
  },
});
const uses = (segments: Uses['segments'], others: Partial<Uses> = {}): Answer => ({
  json: {
    segments,
    templates: [],
    automations: [],
    campaigns: [],
    ...others,
  } satisfies Uses,
});
const visitAs = (role: MemberRole, answers: Answers = {}) =>
  pages.visit({ role, answers: { ...SEGMENT_ANSWERS, ...answers } });
describe('a new segment', () => {
  test('is built by mouse, counted after each change, and created', async () => {
    await using visit = await visitAs('marketer', {
      'PUT segments/full-carts-berlin': { json: { ...stored, warnings: [] } },
    });
    const { page, calls } = visit;
    await visit.open('/new-segment');
    await page.getByText('Fill in all conditions').waitFor();
    expect(bodies(calls, 'POST segments/preview')).toEqual([]);

    await page.getByLabel('Name', { exact: true }).fill('Full carts, Berlin');
    await part(page, '1').getByLabel('Attribute').fill('loyalty');
    await part(page, '1').getByLabel('Value').fill('gold');
    await addCondition(page, 'cart_filled');
    const event = part(page, '2');
    await choose(event, 'How often', 'exactly');
    await event.getByLabel('Times').fill('2');
    await event.getByLabel('Last').fill('7');
    await event.getByRole('button', { name: '+ where' }).click();
    await event.getByLabel('Attribute of the event').fill('price');
    await choose(event, 'Comparison', 'is at least');
    await event.getByLabel('Number').fill('50.5');
    await event.getByRole('button', { name: '+ then' }).click();
    await event.getByText('Asks about the person').waitFor();
    await choose(event, 'Next event', 'order_paid');
    await addCondition(page, 'Country');
    await part(page, '3').getByLabel('Value').fill('DE');
    await choose(part(page, '3'), 'Whether', 'except where');
    const condition = {
      all: [
        { attribute: 'loyalty', is: 'gold' },
        {
          event: 'qwert',
          count: { gte: 2, lte: 2 },
          within: '7d',
          where: [{ attribute: 'price', gte: 50.5 }],
          neverFollowedBy: { event: 'asdfg', in: '7d' },
        },
        { not: { field: 'country', is: 'DE' } },
      ],
    };
    await eventually(() => expect(lastAsked(calls)).toEqual(condition));
    await page.getByText('3 users').waitFor();
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByText('Segment saved').waitFor();

    expect(bodies(calls, 'PUT segments/full-carts-berlin')).toEqual([
      { name: 'Full carts, Berlin', condition, expectedVersion: 0 },
    ]);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('does not offer business events, which have no user', async () => {
    await using visit = await visitAs('marketer');
    await visit.open('/new-segment');
    await addCondition(visit.page, 'cart_filled');
    const options = await offered(part(visit.page, '1'), 'Event');
    expect(options).toEqual(['cart_filled', 'order_paid']);
  });

  test('is written as JSON, and shown as fields again', async () => {
    await using visit = await visitAs('owner');
    const { page, calls } = visit;
    await visit.open('/new-segment');
    await page.getByRole('button', { name: 'JSON' }).click();
    const text = page.getByLabel('Condition as JSON');
    await text.fill('{"any": [');
    await page.getByText('Not valid JSON').waitFor();
    await page.getByRole('button', { name: 'Fields' }).click();
    expect(await written(text)).toBe('{"any": [');
    await page.getByText('Not valid JSON').waitFor();
    await text.fill('{"all": [{}]}');
    await page.getByText('A condition has one of the keys').waitFor();
    await page.getByRole('button', { name: 'Fields' }).click();
    expect(await written(text)).toBe('{"all": [{}]}');
    await page.getByLabel('Name', { exact: true }).fill('Buyers');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.locator('code-field :focus').waitFor();
    expect(calls.filter(({ name }) => name.startsWith('PUT'))).toEqual([]);
    const condition = {
      any: [{ reachable: 'SMS' }, { attribute: ['a', 'b'], gt: 1, lt: 5 }],
    };
    await text.fill(JSON.stringify(condition));
    await eventually(() => expect(lastAsked(calls)).toEqual(condition));
    await page.getByRole('button', { name: 'Fields' }).click();

    expect(await page.locator('.condition > legend').allTextContents()).toEqual([
      'At least one of',
      '1 reachable by SMS (transactional)',
      '2 a › b is more than 1 and is less than 5',
    ]);
    // Two bounds have no fields.
    expect(await written(part(page, '2').getByLabel('JSON'))).toContain('"gt"');
  });

  test('shows a fault of the service at its field, and keeps the last answer out of sight', async () => {
    await using visit = await visitAs('owner', {
      'POST segments/preview': ({ body }) =>
        JSON.stringify(body).includes('nosuch')
          ? problem(400, '/condition/all/0/attribute')
          : estimate(3),
    });
    const { page } = visit;
    await visit.open('/new-segment');
    await part(page, '1').getByLabel('Attribute').fill('loyalty');
    await page.getByText('3 users').waitFor();
    await part(page, '1').getByLabel('Attribute').fill('nosuch');
    await page.getByText('The condition has a fault').waitFor();

    expect(await part(page, '1').getByLabel('Attribute').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('[aria-invalid=true]').count()).toBe(1);
    expect(await page.getByText('3 users').count()).toBe(0);
  });

  test.each([
    ['/condition/all/0/attribute', 'Attribute'],
    ['/condition/all/0/is', 'Value'],
    ['/condition/all/0', 'Users satisfy'],
  ])('focuses the one field of the fault %s until it is changed', async (pointer, label) => {
    await using visit = await visitAs('owner', { 'PUT segments/full': problem(400, pointer) });
    const { page } = visit;
    await visit.open('/new-segment');
    await page.getByLabel('Name', { exact: true }).fill('Full');
    await page.getByPlaceholder('empty text').waitFor();
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.locator('[aria-invalid=true]:focus').waitFor();

    expect(await page.locator('[aria-invalid=true]').count()).toBe(1);
    expect(await page.getByLabel(label, { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await part(page, '1').getByLabel('Attribute').fill('loyalty');
    await page.getByText('It failed with 400.').waitFor({ state: 'detached' });
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
  });

  test('shows a fault at the JSON until it is changed', async () => {
    await using visit = await visitAs('owner', {
      'PUT segments/full': problem(400, '/condition/all/0/attribute'),
    });
    const { page } = visit;
    await visit.open('/new-segment');
    await page.getByLabel('Name', { exact: true }).fill('Full');
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.locator('[aria-invalid=true]:focus').waitFor();
    await page.getByLabel('Condition as JSON').fill('{"field":"country","is":"DE"}');
    await page.locator('[aria-invalid=true]').waitFor({ state: 'detached' });

    expect(await page.getByText('It failed with 400.').count()).toBe(0);
  });

  test('shows whether fields or JSON are edited, and fits a phone', async () => {
    await using visit = await visitAs('owner');
    const { page } = visit;
    await page.setViewportSize({ width: 360, height: 800 });
    await visit.open('/new-segment');
    const backgroundOf = (name: string) =>
      page
        .getByRole('button', { name, exact: true })
        .evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(await backgroundOf('Fields')).not.toBe(await backgroundOf('JSON'));

    await addCondition(page, 'cart_filled');
    await page.getByRole('button', { name: '+ where' }).click();
    await page.getByRole('button', { name: 'Remove this attribute' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });
});

describe('the list of segments', () => {
  const listed = (slug: string, lastCount: ListedSegment['lastCount']): ListedSegment => ({
    ...stored,
    slug,
    name: slug,
    lastCount,
    campaigns: slug === 'known' ? 4 : 0,
    templates: slug === 'known' ? 1 : 0,
  });
  const countOf = (count: number): NonNullable<ListedSegment['lastCount']> => ({
    count,
    reachable: Object.fromEntries(CHANNELS.map((channel) => [channel, count - 1])) as Record<
      Channel,
      number
    >,
    asOf: 1_795_256_516_534,
  });

  test('counts those without a count by itself, and all of them by a press', async () => {
    const counts = new Map<string, ListedSegment['lastCount']>([
      ['known', countOf(1_204)],
      ['busy', null],
      ['new', null],
    ]);
    const asked: string[] = [];
    const count =
      (slug: string, next: number): (() => Answer) =>
      () => {
        asked.push(slug);
        counts.set(slug, countOf(next));
        return { json: { ...countOf(next), tookMs: 1 } };
      };
    await using visit = await visitAs('marketer', {
      'GET segments': () => ({
        json: { items: [...counts].map(([slug, last]) => listed(slug, last)), nextCursor: null },
      }),
      'GET segments/known/count': count('known', 1_300),
      'GET segments/new/count': count('new', 77),
      'GET segments/busy/count': () => {
        asked.push('busy');
        return problem(503);
      },
    });
    const { page } = visit;
    await visit.open('/segments');
    const row = (slug: string) => page.getByRole('row').filter({ hasText: slug });
    await row('new').getByText('77').waitFor();
    await page.getByRole('button', { name: 'Count again' }).waitFor();
    expect(asked).toEqual(['busy', 'new']);
    await row('known').getByText('4 campaigns, 1 template').waitFor();
    await row('known').getByText('1,203').waitFor();
    expect(await page.getByText('could not be counted').count()).toBe(0);

    await page.getByRole('button', { name: 'Count again' }).click();
    await row('known').getByText('1,300').waitFor();
    await page.getByText('1 segment could not be counted. Try again later.').waitFor();
    expect(asked).toEqual(['busy', 'new', 'known', 'busy', 'new']);
    await page.getByRole('link', { name: 'Write to known' }).click();
    await page.waitForURL('**/compose?segment=known');
  });
});

describe('a segment', () => {
  test('keeps what somebody else changed meanwhile: the service refuses the version', async () => {
    await using visit = await visitAs('admin', { 'PUT segments/germans': problem(409) });
    const { page, calls } = visit;
    await visit.open('/segments/germans');
    await page.getByLabel('Value').fill('AT');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It failed with 409.').waitFor();

    expect(bodies(calls, 'PUT segments/germans')).toEqual([
      { name: 'Germans', condition: { field: 'country', is: 'AT' }, expectedVersion: 3 },
    ]);
  });

  test('is saved twice in a row', async () => {
    let version = 3;
    await using visit = await visitAs('admin', {
      'PUT segments/germans': () => ({ json: { ...stored, version: (version += 1) } }),
    });
    const { page, calls } = visit;
    await visit.open('/segments/germans');
    for (const value of ['AT', 'CH']) {
      const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
      await page.getByLabel('Value').fill(value);
      await page.getByRole('button', { name: 'Save' }).click();
      await saved;
      await page.getByRole('button', { name: 'Save' }).and(page.locator(':enabled')).waitFor();
    }

    expect(bodies(calls, 'PUT segments/germans')).toMatchObject([
      { expectedVersion: 3 },
      { expectedVersion: 4 },
    ]);
  });

  test('explains a user, through a segment that it names', async () => {
    const explained: SegmentExplanation = {
      isMember: false,
      asOf: 1,
      tree: [
        { pointer: '', key: 'all', result: false },
        { pointer: '/all/0', key: 'not', result: false },
        {
          pointer: '/all/0/not',
          key: 'segment',
          result: true,
          tree: [
            {
              pointer: '',
              key: 'field',
              result: true,
              evidence: { value: 'DE', type: 'string' },
            },
          ],
        },
        { pointer: '/all/1', key: 'event', result: true, evidence: { count: 2 } },
      ],
    };
    const condition: Condition = {
      all: [{ not: { segment: 'germans' } }, { event: 'qwert', within: '30d' }],
    };
    await using visit = await visitAs('viewer', {
      'GET segments/others': { json: { ...stored, slug: 'others', condition } },
      'POST segments/explain': { json: explained },
    });
    const { page, calls } = visit;
    await visit.open('/segments/others');
    await page.getByLabel('User ID').fill('ada');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('is not a member.').waitFor();

    expect(bodies(calls, 'POST segments/explain')).toEqual([{ condition, customUserId: 'ada' }]);
    expect(await page.locator('.explained li').allTextContents()).toEqual([
      'No All of',
      'No Not',
      'Yes in the segment “Germans”',
      'Yes Country is DEThe value is DE. ',
      'Yes “cart_filled” at least 1 time in the last 30 daysFound 2. ',
    ]);
    // A viewer reads.
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });

  test('explains a user as of a time in the past', async () => {
    const explained: SegmentExplanation = {
      isMember: true,
      asOf: 1,
      tree: [
        {
          pointer: '',
          key: 'field',
          result: true,
          evidence: { value: 'DE', type: 'string' },
          isAsOfNow: true,
        },
      ],
    };
    await using visit = await visitAs('viewer', { 'POST segments/explain': { json: explained } });
    const { page, calls } = visit;
    await visit.open('/segments/germans');
    await page.getByLabel('User ID').fill('ada');
    await typeDateTime(page, 'Time in the past (optional)', '2026-02-03T04:05');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('was a member at').waitFor();

    const at = await page.evaluate(() => new Date('2026-02-03T04:05').getTime());
    expect(bodies(calls, 'POST segments/explain')).toMatchObject([{ customUserId: 'ada', at }]);
    expect(await page.locator('.explained li').allTextContents()).toEqual([
      'Yes Country is DEThe value is DE. As it is now: earlier profiles are not stored.',
    ]);
  });

  test('counts exactly on demand', async () => {
    await using visit = await visitAs('owner', {
      'POST segments/preview': estimate(1_000, false),
      'POST segments/count': {
        json: { count: 1_004, reachable: { EMAIL: 502 }, asOf: 1, tookMs: 1 },
      },
    });
    const { page } = visit;
    await visit.open('/segments/germans');
    await page.getByText('≈ 1,000 users').waitFor();
    await page.getByRole('button', { name: 'Count whom each channel reaches' }).click();
    await page.getByText('1,004 users').waitFor();

    expect(await page.locator('.facts').first().textContent()).toContain('E-mail502 (50 %)');
    await page.getByLabel('Value').fill('AT');
    await eventually(async () => expect(await page.getByText('1,004 users').count()).toBe(0));
  });

  test('is deleted after a confirmation', async () => {
    let isUsed = false;
    await using visit = await visitAs('owner', {
      'GET segments/germans/uses': () => uses(isUsed ? [{ slug: 'late', name: 'Too late' }] : []),
      'DELETE segments/germans': () => {
        isUsed = true;
        return problem(409);
      },
    });
    const { page } = visit;
    await visit.open('/segments/germans');
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its versions stay.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();

    // Something began to use it meanwhile.
    await dialog.getByRole('link', { name: 'Too late' }).waitFor();
    expect(await dialog.getByRole('button').allTextContents()).toEqual(['Close']);
  });

  test('that is used names what uses it, and offers no deletion', async () => {
    const answer = uses([{ slug: 'others', name: 'All others' }], {
      templates: [{ slug: 'welcome', name: 'ברוכים הבאים' }],
      campaigns: ['01a1fda0-84a5-72c8-802b-8cdeabd134bc'],
    });
    await using visit = await visitAs('owner', { 'GET segments/germans/uses': answer });
    const { page } = visit;
    await page.setViewportSize({ width: 360, height: 800 });
    await visit.open('/segments/germans');
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', {
      name: 'Germans can’t be deleted while it is used',
    });
    await dialog.waitFor();

    expect(await dialog.getByRole('button').allTextContents()).toEqual(['Close']);
    expect(
      await dialog
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => [link.textContent, link.getAttribute('href')])),
    ).toEqual([
      ['All others', '/dashboard/segments/others'],
      ['ברוכים הבאים', '/dashboard/templates/welcome'],
      ['…abd134bc', '/dashboard/campaigns/01a1fda0-84a5-72c8-802b-8cdeabd134bc'],
    ]);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});
