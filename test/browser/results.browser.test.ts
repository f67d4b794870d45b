import { describe, expect, test } from '@jest/globals';
import type { CampaignRecord, FailureCounts } from '@tidings/contracts/push/campaigns';
import type { Delivery, Webhook } from '@tidings/web/src/api/types.ts';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import { listDeliveriesEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import type { Page } from 'playwright-core';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { previewFor } from './support/composing.ts';
import { overviewWith } from './support/overviews.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers) => pages.visit({ role: 'owner', answers });
const list = (items: readonly unknown[]) => ({ json: { items, nextCursor: null } });

const CASES: readonly (readonly [string, string, string, CampaignRecord])[] = [
  [
    'all failed',
    'bad',
    'All failed',
    buildCampaign({ counts: {}, failures: { provider_auth: 54 } }),
  ],
  [
    'no recipient with an address',
    'bad',
    'None reached',
    buildCampaign({ counts: {}, failures: { no_address: 54 } }),
  ],
  [
    'one failure',
    'warn',
    'Some failed',
    buildCampaign({ counts: { successful: 9 }, failures: { provider_rejected: 1 } }),
  ],
  [
    'some without an address',
    'quiet',
    'Completed',
    buildCampaign({ counts: { successful: 31 }, failures: { no_address: 11 } }),
  ],
  [
    'canceled while sending',
    'quiet',
    'Canceled',
    buildCampaign({ status: 'canceled', counts: { successful: 10, canceled: 90 } }),
  ],
  [
    'a test send that no device fetched',
    'quiet',
    'Not fetched',
    buildCampaign({ source: 'test', channel: 'IN_APP', counts: { expired: 1 } }),
  ],
  [
    'a test send that no worker sent',
    'bad',
    'None reached',
    buildCampaign({ source: 'test', counts: { expired: 1 } }),
  ],
];

/** Tone and text of each status badge. */
const readBadges = (page: Page) =>
  page
    .locator('.badge')
    .evaluateAll((badges) =>
      badges.map(({ className, textContent }) => [className.replace('badge ', ''), textContent]),
    );

describe('the status of a campaign shows its result', () => {
  test('in the list, next to what was sent, or why nothing was', async () => {
    const campaigns = CASES.map(([, , , campaign], index) => ({
      ...campaign,
      campaignId: CAMPAIGN_ID.replace(/^../, `0${index}`),
    }));
    await using opened = await visit({ 'GET campaigns': list(campaigns) });
    await opened.open('/campaigns');
    await opened.page.getByRole('row').nth(1).waitFor();

    expect(await readBadges(opened.page)).toEqual(CASES.map(([, tone, text]) => [tone, text]));
    const rows = await opened.page.locator('tbody tr').all();
    const figures = await Promise.all(
      rows.map((row) => row.locator('td[data-name=Sent], td.note').innerText()),
    );
    expect(figures).toEqual(['0', '54 could not be reached', '9', '31', '10', '0', '0']);
    await injectAxe(opened.page);
    expect(await seriousFindings(opened.page)).toEqual([]);
  });

  test.each(CASES)('in the report of %s', async (_name, tone, text, campaign) => {
    await using opened = await visit({
      [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
    });
    await opened.open(`/campaigns/${CAMPAIGN_ID}`);
    await opened.page.getByRole('heading', { name: 'Outcomes' }).waitFor();

    expect(await readBadges(opened.page)).toEqual([[tone, text]]);
  });
});

test('on a phone a report says beside its status how it updates, in one line', async () => {
  const campaign = buildCampaign({ counts: { successful: 1 } });
  await using opened = await pages.visit(
    {
      role: 'owner',
      answers: { [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) } },
    },
    { viewport: { width: 360, height: 800 } },
  );
  const { page } = opened;
  await opened.open(`/campaigns/${CAMPAIGN_ID}`);
  const live = await page.getByText('Updates every 5 s').boundingBox();
  const badge = await page.locator('.about .badge').boundingBox();
  const middle = (box: typeof live): number => (box?.y ?? 0) + (box?.height ?? 0) / 2;

  expect(live?.height).toBeLessThan(30);
  expect(Math.abs(middle(live) - middle(badge))).toBeLessThan(5);
});

test('a report says what mail servers meant, and which opens and clicks it does not count', async () => {
  const campaign = buildCampaign({
    counts: { successful: 3, opened: 1, machineOpened: 1_200, machineClicked: 7 },
    failures: { provider_rejected: 2 },
    bounces: { refused: 2 },
  });
  await using opened = await visit({
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
  });
  const { page } = opened;
  await opened.open(`/campaigns/${CAMPAIGN_ID}`);

  await page.getByText('Refused: 2. The receiver refused the sender or the content.').waitFor();
  await page
    .getByText('Opens: 1,200 by privacy proxies and scanners, not counted. Clicks: 7 by scanners')
    .waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

describe('a scheduled campaign', () => {
  const sendAt = Date.parse('2026-12-24T08:00:00Z');
  const scheduled = (sendAtLocal: string | null): CampaignRecord => {
    const campaign = buildCampaign({ status: 'scheduled', counts: { pending: 3 } });
    return {
      ...campaign,
      schedule: { sendAt, sendAtLocal, localTimePassed: 0 },
      timing: { ...campaign.timing, startedAt: null, firstSentAt: null, completedAt: null },
    };
  };
  // The browser is in Berlin.
  const CASES_BY_TIME = [
    [null, /^24 Dec(?: 2026)?, 09:00:00/],
    ['2026-12-24T22:00', /^24 Dec(?: 2026)?, 22:00 in each recipient’s time zone/],
  ] as const;

  test.each(CASES_BY_TIME)('has its time in lists (%s)', async (sendAtLocal, text) => {
    const campaign = scheduled(sendAtLocal);
    await using opened = await visit({
      'GET campaigns': list([campaign]),
      'GET overview': { json: overviewWith({}) },
    });
    const { page } = opened;
    await opened.open('/campaigns');
    const note = await page.locator('td.note').innerText();
    expect(await page.locator('td[data-name=Status]').innerText()).toBe('Scheduled');
    expect(note.replace(/^Begins /, '').replace(', each in', ' in')).toMatch(
      sendAtLocal === null ? text : /^24 Dec(?: 2026)?, 22:00 in their zone$/,
    );

    await opened.open('/');
    const cell = page.locator('td[data-name=Status]');
    await cell.getByText('for ').waitFor();
    const [status = '', time = ''] = (await cell.innerText()).split('\n');
    expect(status).toBe('Scheduled');
    expect(time.replace(/^for /, '')).toMatch(text);
  });
});

test('a campaign that began, and whose messages wait for the time of each person, says so', async () => {
  const campaign: CampaignRecord = {
    ...buildCampaign({ status: 'sending', counts: { pending: 3 } }),
    // The last zone has it in the future.
    schedule: { sendAt: 1, sendAtLocal: '2099-12-24T22:00', localTimePassed: 0 },
  };
  await using opened = await visit({
    'GET campaigns': list([campaign]),
    'GET overview': { json: overviewWith({}) },
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
  });
  const { page } = opened;
  await opened.open('/campaigns');
  expect(await page.locator('td[data-name=Status]').innerText()).toBe('Waiting for zones');
  expect(await page.locator('td.note').innerText()).toMatch(/22:00, each in their zone$/);
  await opened.open('/');
  await page.locator('td[data-name=Status]').getByText('in each recipient’s time zone').waitFor();

  await opened.open(`/campaigns/${CAMPAIGN_ID}`);
  await page.locator('.about .badge', { hasText: 'Waiting for zones' }).waitFor();
  expect(await page.locator('.callout').innerText()).toMatch(
    /^3 messages wait for 24 Dec 2099, 22:00 in each recipient’s time zone: the last zone has it/,
  );
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test('a report says why a campaign to a segment failed, or waits, and what helps', async () => {
  const waiting = buildCampaign({ status: 'queued', counts: {} });
  const audience = {
    segment: null,
    version: null,
    condition: { event: 'click', within: '365d' },
    exclude: null,
    recheck: false,
    snapshotAt: null,
    warnings: [{ code: 'slow_segment', pointer: '/segment', detail: '' }],
  } as const;
  const cases = [
    [{ ...waiting, audience }, 'Its users take long to read.', 'The campaign waits'],
    [
      buildCampaign({ status: 'failed', failureReason: 'segment_too_slow', counts: {} }),
      'The users of its segment could not be read in time.',
      'Shorten the windows of its condition',
    ],
  ] as const;
  for (const [campaign, title, remedy] of cases) {
    await using opened = await visit({
      [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
    });
    const { page } = opened;
    await opened.open(`/campaigns/${CAMPAIGN_ID}`);
    const callout = page.locator('.callout', { hasText: title });

    expect(await callout.innerText()).toContain(remedy);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
  }
});

test('only what may succeed is offered to be retried', async () => {
  const retry = async (failures: FailureCounts) => {
    const campaign = buildCampaign({ counts: { successful: 8 }, failures });
    await using opened = await visit({
      [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
      [`POST campaigns/${CAMPAIGN_ID}/retry-failed`]: { json: campaign },
    });
    const { page, calls } = opened;
    await opened.open(`/campaigns/${CAMPAIGN_ID}`);
    await page.getByRole('heading', { name: 'Outcomes' }).waitFor();
    const buttons = page.getByRole('button', { name: /^Retry/ });
    const names = await buttons.allInnerTexts();
    if (names.length > 0) {
      await buttons.click();
      await page.getByText('12 messages may succeed now').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Retry failed' }).click();
      await page.getByText('Retrying failed').waitFor();
    }
    return { names, posts: calls.filter(({ name }) => name.startsWith('POST')).length };
  };

  expect(await retry({ unknown_user: 2_000, provider_rejected: 3 })).toEqual({
    names: [],
    posts: 0,
  });
  expect(await retry({ unknown_user: 7, provider_timeout: 5, provider_auth: 7 })).toEqual({
    names: ['Retry 12 that may succeed'],
    posts: 1,
  });
});

test('a report counts unreachable recipients separately and links to them', async () => {
  const campaign = buildCampaign({
    counts: { successful: 8 },
    failures: { no_address: 11, provider_rejected: 2 },
  });
  await using opened = await visit({
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
    [`GET campaigns/${CAMPAIGN_ID}/deliveries`]: list([]),
  });
  const { page } = opened;
  await opened.open(`/campaigns/${CAMPAIGN_ID}`);
  await page.getByText('of 21 asked').waitFor();

  expect(await page.locator('.legend li').allInnerTexts()).toEqual([
    expect.stringMatching(/^Delivered\s+8\b/),
    expect.stringMatching(/^Failed\s+2\b/),
    expect.stringMatching(/^Not reached\s+11\b/),
  ]);
  await page.getByRole('link', { name: 'Not reached' }).click();
  await page.getByRole('button', { name: 'Outcome: Not reached' }).waitFor();
  expect(opened.calls.findLast(({ name }) => name.endsWith('/deliveries'))?.query).toMatchObject({
    group: 'not_reachable',
  });
});

test('a report of a split is titled by its templates, names them and its segment, and says who has which', async () => {
  const { items } = listDeliveriesEndpoint.answer.example as { items: readonly Delivery[] };
  const [delivery] = items;
  const templates = ['cart', 'plan'].map((slug) => ({ slug, version: 1, share: 50 }));
  const campaign = {
    ...buildCampaign({
      counts: { successful: 6 },
      failures: { no_address: 1, template_error: 2 },
      message: { title: '{{ user.firstName }}, your cart', body: 'Hello' },
    }),
    templates,
    audience: {
      segment: 'loyal',
      version: 2,
      condition: null,
      exclude: { segment: 'deleted', version: 1, condition: null },
      recheck: false,
      snapshotAt: 1,
      warnings: [],
    },
  };
  const counts = {
    recipients: 9,
    successful: 6,
    delivered: 6,
    opened: 0,
    clicked: 0,
    failed: 3,
    notReachable: 1,
  };
  await using opened = await visit({
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
    [`GET campaigns/${CAMPAIGN_ID}/templates`]: {
      json: {
        items: templates.map((template, index) => ({
          ...template,
          counts: { ...counts, opened: index + 1 },
          rates: { opened: { rate: (index + 1) / 6, low: 0.03, high: 0.7 }, clicked: null },
        })),
        best: { opened: { index: 1, certainty: 0.96, isBetter: true }, clicked: null },
        rest: null,
        asOf: 1,
      },
    },
    [`GET campaigns/${CAMPAIGN_ID}/deliveries`]: list([
      { ...delivery, deliveryId: 'a', customUserId: 'ada', template: { slug: 'cart', version: 1 } },
      { ...delivery, deliveryId: 'b', customUserId: 'bob', template: { slug: 'plan', version: 1 } },
    ]),
    [`POST campaigns/${CAMPAIGN_ID}/render`]: {
      json: {
        message: { title: 'Bob, your plan', body: 'Hello' },
        template: { slug: 'plan', version: 1 },
        variant: 'German',
        asOf: 1,
      },
    },
    'GET templates': list([{ slug: 'cart', name: 'Your cart' }]),
    'GET segments': list([{ slug: 'loyal', name: 'Loyal customers', condition: { all: [] } }]),
    'GET definitions': list([]),
  });
  const { page } = opened;
  await opened.open(`/campaigns/${CAMPAIGN_ID}`);
  await page.getByRole('heading', { name: 'Your cart · plan', exact: true }).waitFor();
  await page.getByText('Each recipient is assigned one of them.').waitFor();
  const compared = page.getByRole('region', { name: 'Outcomes by template' });
  await compared.waitFor();
  const numbers = (await compared.locator('tbody tr').first().innerText()).replaceAll(/\s+/g, ' ');
  expect(numbers).toMatch(/ 2 22.2 % 1 11.1 %$/);
  const cells = await compared.locator('td[data-name=Template]').allInnerTexts();
  // A deleted template has no name.
  expect(cells.map((text) => text.split('\n'))).toEqual([
    ['Your cart version 1', 'cart'],
    ['plan version 1'],
  ]);
  const opens = await compared.locator('td[data-name=Opened]').allInnerTexts();
  expect(opens.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
    '16.7 % 1, 3–70 %',
    'Better 33.3 % 2, 3–70 %',
  ]);
  await page.getByText('plan version 1 is better than the others. Certainty 96 %.').waitFor();
  await page.getByText('Loyal customers version 2 without deleted version 1').waitFor();
  await page.getByRole('link', { name: 'Recipients' }).click();
  await page.getByRole('row', { name: /bob.*plan version 1/ }).waitFor();
  await page.getByRole('row', { name: /ada.*Your cart version 1/ }).waitFor();
  await page.getByRole('button', { name: 'bob' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'plan' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('link', { name: 'Message' }).click();
  await previewFor(page, 'bob');
  await page.getByText('bob has the template plan version 1.').waitFor();
  await page.getByText('bob gets the variant German.').waitFor();
});

test.each([
  ['enabled', 1_795_256_516_534, 'bad', /^Failing since /],
  ['enabled', null, 'quiet', /^Enabled$/],
  ['disabled', 1_795_256_516_534, 'bad', /^Disabled$/],
] as const)(
  'an endpoint that is %s and failing since %s is shown as %s',
  async (status, failingSince, tone, text) => {
    const webhook: Webhook = {
      id: CAMPAIGN_ID,
      url: 'https://hooks.example/',
      description: '',
      kinds: [],
      channels: [],
      status,
      disabledReason: status === 'disabled' ? 'failing' : null,
      disabledAt: null,
      failingSince,
      previousSecretUntil: null,
      createdAt: 0,
      updatedAt: 0,
    };
    await using opened = await visit({
      'GET webhooks': list([webhook]),
      [`GET webhooks/${CAMPAIGN_ID}/deliveries`]: list([]),
    });
    for (const path of ['/settings/webhooks', `/settings/webhooks/${CAMPAIGN_ID}`]) {
      await opened.open(path);
      await opened.page.locator('.badge').waitFor();

      expect(await readBadges(opened.page)).toEqual([[tone, expect.stringMatching(text)]]);
    }
  },
);
