import { expect, test } from '@jest/globals';
import { countAttempts } from '@tidings/contracts/push/campaign-result';
import type { Overview } from '@tidings/web/src/api/types.ts';
import { buildCampaign } from './support/campaigns.ts';
import { overviewWith } from './support/overviews.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers) => pages.visit({ role: 'owner', answers });
const list = (items: readonly unknown[]) => ({ json: { items, nextCursor: null } });

test('the overview shows the success rate of the last 24 hours', async () => {
  const counts = {
    successful: 8,
    failed: 13,
    unknown: 0,
    expired: 0,
    canceled: 600,
    waiting: 0,
    pending: 0,
  };
  const outcomes = {
    since: 0,
    campaigns: 2,
    channels: [{ channel: 'EMAIL', total: 621, ...counts, ...countAttempts(counts, 11) }],
  } satisfies Overview['outcomes']['lastDay'];
  const overview = overviewWith({ outcomes: { lastHour: outcomes, lastDay: outcomes } });
  await using opened = await visit({
    'GET overview': { json: overview },
    'GET campaigns': list([buildCampaign({ counts: {}, failures: { provider_auth: 3 } })]),
  });
  await opened.open('/');
  await opened.page.getByText('2 campaigns in 24 hours, 11 recipients not reached').waitFor();
  await opened.page.getByRole('link', { name: 'Hello' }).waitFor();

  expect(
    (await opened.page.locator('.figure', { hasText: 'Successful' }).innerText()).replaceAll(
      /\s+/g,
      ' ',
    ),
  ).toContain('80 % of 10 attempts');
  const badges = opened.page.locator('.badge');
  expect(await badges.allTextContents()).toEqual(['All failed']);
  expect(await badges.getAttribute('class')).toBe('badge bad');
});

test('a campaign that runs is canceled from its row, after a question that opens nothing else', async () => {
  const campaign = buildCampaign({ status: 'sending', counts: { pending: 3 } });
  const cancel = `POST campaigns/${campaign.campaignId}/cancel`;
  await using opened = await visit({
    'GET overview': { json: overviewWith({}) },
    'GET campaigns': list([campaign]),
    [cancel]: { json: campaign },
  });
  const { page } = opened;
  await opened.open('/');
  const row = page.getByRole('row').filter({ hasText: 'Hello' });
  await row.hover();
  await row.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await row.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 recipients have not been sent').click();
  const before = opened.calls.filter(({ name }) => name === cancel).length;
  await dialog.getByRole('button', { name: 'Cancel campaign' }).click();
  await page.getByText('Canceled', { exact: true }).waitFor();

  expect(before).toBe(0);
  expect(opened.calls.filter(({ name }) => name === cancel)).toHaveLength(1);
  expect(page.url()).not.toContain('/campaigns/');
});

test('tests of a channel are not among the latest campaigns', async () => {
  const test = buildCampaign({ source: 'test', counts: {}, message: { body: 'Does it work?' } });
  await using opened = await visit({
    'GET overview': { json: overviewWith({}) },
    'GET campaigns': list([{ ...test, campaignId: '1' }, buildCampaign({ counts: {} })]),
  });
  await opened.open('/');
  const rows = opened.page.getByRole('region', { name: 'Latest campaigns' }).locator('tbody tr');
  await rows.first().waitFor();

  expect(await rows.count()).toBe(1);
});

test('the figures of the overview stand at one height, with any notes below them', async () => {
  await using opened = await visit({
    'GET overview': {
      json: overviewWith({ backlog: { campaigns: 1, deliveries: 9, since: 1 } }),
    },
    'GET campaigns': list([]),
  });
  await opened.open('/');
  await opened.page.locator('.figure').first().waitFor();

  const tops = await opened.page
    .locator('.figure .value')
    .evaluateAll((values) => values.map((value) => Math.round(value.getBoundingClientRect().top)));
  expect(tops).toHaveLength(4);
  expect(new Set(tops).size).toBe(1);
});

test.each([
  [['postgres'], 'This installation is one process on Postgres.'],
  [['postgres', 'kafka'], 'This installation is one process on Postgres and Kafka.'],
  [['postgres', 'kafka', 'redis'], 'This installation runs on Postgres, Kafka and Redis.'],
] as const)('the first steps say what the installation runs on: %j', async (runsOn, sentence) => {
  await using opened = await visit({
    'GET overview': { json: overviewWith({ runsOn: [...runsOn] }) },
    'GET users': list([]),
  });
  await opened.open('/start');

  await opened.page.getByText(sentence, { exact: true }).waitFor();
});
