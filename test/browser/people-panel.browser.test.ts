import { describe, expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import type { MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { accepted, channels, posted, send, write } from './support/composing.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { LONG } from './support/long-answers/values.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const person = (customUserId: string, firstName: string | null, email: string | null) => ({
  customUserId,
  firstName,
  lastName: null,
  email,
  phoneNumber: null,
});
const PEOPLE = [
  person('u-1', 'יוסי', 'yossi@example.com'),
  person('u-2', 'Anna', null),
  person('u-3', null, null),
];
const CONDITION = { field: 'country', is: 'DE' };
const SEGMENT = {
  slug: 'germans',
  name: 'Germans',
  version: 1,
  condition: CONDITION,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'key:k',
  lastCount: null,
  usedBy: [],
};
const visit = (answers: Answers = {}, role: MemberRole = 'marketer') =>
  pages.visit({
    role,
    answers: {
      ...LONG_ANSWERS,
      'GET segments/germans': { json: SEGMENT },
      'POST segments/preview': {
        json: {
          estimate: { count: 1_204, low: 1_020, high: 1_415, isExact: false },
          sample: ['u-1'],
          stillOpen: [],
          warnings: [],
          asOf: 1,
          tookMs: 1,
        },
      },
      'POST segments/users': { json: { items: PEOPLE, nextCursor: null } },
      ...answers,
    },
  });

/** Where the text of each name begins at the left. */
const BEGINS_OF_NAMES = `[...document.querySelectorAll('.people .strong')].map((name) => {
  const text = document.createRange();
  text.selectNodeContents(name);
  return Math.round(text.getBoundingClientRect().left);
})`;

test('a number opens its people, who are gone through and searched by keys', async () => {
  await using opened = await visit({
    'POST segments/users': ({ query }) => ({
      json: {
        items: query['search'] === 'an' ? PEOPLE.slice(1, 2) : PEOPLE,
        nextCursor: null,
      },
    }),
  });
  const { page, calls } = opened;
  await opened.open('/segments/germans');
  const number = page.getByRole('button', { name: '≈ 1,204 users' });
  await number.focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Members' });
  await panel.getByRole('link', { name: /יוסי/ }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await panel.getByRole('listitem').allInnerTexts()).toEqual([
    'יוסי\nyossi@example.com',
    'Anna\nu-2',
    'u-3\nNo name yet',
  ]);

  // A name that is written from right to left stands beside its initials, as the others do.
  const begins = await page.evaluate<readonly number[]>(BEGINS_OF_NAMES);
  expect(begins).toHaveLength(3);
  expect(new Set(begins).size).toBe(1);

  await panel.getByRole('link', { name: /יוסי/ }).focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Anna');
  await panel.getByRole('searchbox').fill('an');
  await eventually(async () => expect(await panel.getByRole('listitem').count()).toBe(1));
  expect(calls.findLast(({ name }) => name === 'POST segments/users')).toMatchObject({
    body: { condition: CONDITION },
    query: { search: 'an' },
  });

  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await number.evaluate((each) => each === document.activeElement)).toBe(true);
});

test('they are written to, or saved as a segment, by the condition that says the same', async () => {
  await using opened = await visit();
  const { page } = opened;
  const panel = page.getByRole('complementary', { name: 'Members' });
  const open = async (): Promise<void> => {
    await opened.open('/segments/germans');
    await page.getByRole('button', { name: '≈ 1,204 users' }).click();
  };
  await open();
  await panel.getByRole('link', { name: 'Write to them' }).click();
  await page.getByText('≈ 1,204 people').first().waitFor();
  expect(await page.getByRole('button', { name: 'Conditions' }).getAttribute('aria-pressed')).toBe(
    'true',
  );

  await open();
  await panel.getByRole('link', { name: 'Save as segment' }).click();
  await page.getByRole('heading', { name: 'New segment' }).waitFor();
  expect(new URL(page.url()).searchParams.get('condition')).toBe(JSON.stringify(CONDITION));
});

test('who only reads has no way to write or export from there', async () => {
  await using opened = await visit({}, 'viewer');
  const { page } = opened;
  await opened.open('/segments/germans');
  await page.getByRole('button', { name: '≈ 1,204 users' }).click();
  const panel = page.getByRole('complementary', { name: 'Members' });
  await panel.getByRole('link', { name: /Anna/ }).waitFor();

  expect(await panel.getByRole('button').allTextContents()).toEqual(['']);
  expect(await panel.getByRole('link', { name: /Write|Save/ }).count()).toBe(0);
});

test('why there are none is said, a fault can be tried again, and no one is written to', async () => {
  let tries = 0;
  await using opened = await visit({
    'POST segments/users': () =>
      ++tries < 2
        ? {
            status: 400,
            json: { status: 400, title: 'Bad', detail: 'The condition is not valid.' },
          }
        : { json: { items: [], nextCursor: null } },
  });
  const { page } = opened;
  await opened.open('/segments/germans');
  await page.getByRole('button', { name: '≈ 1,204 users' }).click();
  await page.getByText('The condition is not valid.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No one now').waitFor();
  await page.getByRole('link', { name: 'Save as segment' }).waitFor();
  expect(await page.getByRole('link', { name: 'Write to them' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'CSV' }).count()).toBe(0);
});

describe('the report of a campaign', () => {
  const campaign = buildCampaign({
    counts: { successful: 20, delivered: 18, opened: 8, clicked: 3 },
  });
  const ofReport: Answers = {
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
  };
  const clicked = { message: { campaignId: CAMPAIGN_ID }, was: 'clicked' };

  test('opens whom a number counts, also from its address', async () => {
    await using opened = await visit(ofReport);
    const { page, calls } = opened;
    await opened.open(`/campaigns/${CAMPAIGN_ID}`);
    await page.locator('.figures > div', { hasText: 'Clicked' }).getByRole('button').click();
    const panel = page.getByRole('complementary', { name: 'Clicked' });
    await panel.getByRole('link', { name: /Anna/ }).waitFor();
    expect(await panel.locator('.panel-figure').innerText()).toBe('3');
    expect(calls.findLast(({ name }) => name === 'POST segments/users')?.body).toEqual({
      condition: clicked,
    });
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);

    await page.reload();
    await panel.getByRole('link', { name: /Anna/ }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('people')).toBe(false);
  });

  test('writes again to those who clicked', async () => {
    await using opened = await visit({
      ...ofReport,
      'GET channels': channels('ready'),
      'POST campaigns': accepted,
    });
    const { page } = opened;
    await opened.open(`/campaigns/${CAMPAIGN_ID}`);
    await page.getByRole('button', { name: 'Write to…' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Everyone it was sent to\n20',
      'Opened\n8',
      'Not opened\n12',
      'Clicked\n3',
      'Not clicked\n17',
    ]);
    await page.getByRole('menuitem', { name: /^Clicked/ }).click();
    await write(page, { to: null });
    await send(page);
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

    expect(posted(opened)[0]?.body).toMatchObject({ segment: { condition: clicked } });
  });
});

test.each([
  [`/events/${LONG.slug}`, 'People, last 30 days', { event: LONG.slug, within: '30d' }],
  [
    '/channels/email',
    'Opened one, last 7 days',
    { message: { channel: 'EMAIL' }, was: 'opened', within: '7d' },
  ],
])('%s says how many people, who are a press away', async (path, name, condition) => {
  const definition = LONG_ANSWERS[`GET definitions/${LONG.slug}`] as { readonly json: object };
  await using opened = await visit({
    [`GET definitions/${LONG.slug}`]: { json: { ...definition.json, kind: 'action' } },
  });
  const { page, calls } = opened;
  await opened.open(path);
  const fact = page.locator('.facts > div').filter({ has: page.getByText(name, { exact: true }) });
  await fact.getByRole('button', { name: '≈ 1,204' }).click();
  const panel = page.getByRole('complementary').filter({ hasText: 'Write to them' });
  await panel.getByText('Anna').waitFor();

  expect(calls.filter((call) => call.name === 'POST segments/users').at(-1)?.body).toEqual({
    condition,
  });
  await panel.getByRole('link', { name: 'Write to them' }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});
