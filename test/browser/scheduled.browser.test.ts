import { expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { CAMPAIGN_ID, buildCampaign } from './support/campaigns.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const HOUR_MS = 3_600_000;
const scheduled = (
  schedule: Pick<NonNullable<CampaignRecord['schedule']>, 'sendAt' | 'sendAtLocal'>,
  given: Partial<CampaignRecord> = {},
): CampaignRecord => {
  const campaign = buildCampaign({ status: 'scheduled', counts: { pending: 3 } });
  return {
    ...campaign,
    schedule: { ...schedule, localTimePassed: 0 },
    timing: { ...campaign.timing, startedAt: null, firstSentAt: null, completedAt: null },
    ...given,
  };
};
const open = async (campaign: CampaignRecord, answers: Answers = {}) => {
  const opened = await pages.visit({
    role: 'owner',
    answers: {
      [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
      ...answers,
    },
  });
  await opened.open(`/campaigns/${CAMPAIGN_ID}`);
  await opened.page.locator('.figures').waitFor();
  const figures = await opened.page.locator('.figures > div').allInnerTexts();
  return { ...opened, figures: figures.map((text) => text.replaceAll(/\s+/g, ' ')) };
};

test('a scheduled campaign says when it begins and for how many, and nothing of outcomes', async () => {
  await using opened = await open(
    scheduled({ sendAt: Date.now() + 7 * HOUR_MS + 30_000, sendAtLocal: null }),
  );
  const { page, figures } = opened;

  expect(figures[0]).toMatch(/^Begins in (7 h|6 h 59 min) /);
  expect(figures[1]).toBe('Will get it 3 people on its list');
  expect(await page.getByRole('heading', { name: 'Outcomes' }).count()).toBe(0);
  expect(await page.getByText('Nothing was sent').count()).toBe(0);
  await page.getByRole('heading', { name: 'Message', exact: true }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test('at the local time of each, from the first time zone to the last', async () => {
  // The browser is in Berlin: 22:00 is first in Kiritimati, 14 hours before UTC, and last 12 after.
  await using opened = await open(
    scheduled({ sendAt: Date.parse('2099-12-24T08:00Z'), sendAtLocal: '2099-12-24T22:00' }),
  );
  const { figures } = opened;

  expect(figures[0]).toMatch(
    /^First people in .+ 24 Dec 2099, 22:00 in each recipient’s time zone$/,
  );
  expect(figures[1]).toMatch(
    /^Last people in .+ 25 Dec(?: 2099)?, 11:00, when the last time zone has it$/,
  );
});

test('an audience is estimated with what it leaves out', async () => {
  const audience = {
    segment: 'berlin',
    version: null,
    condition: null,
    exclude: { segment: 'buyers', version: null, condition: null },
    recheck: false,
    snapshotAt: null,
    warnings: [],
  } as const;
  await using opened = await open(
    scheduled({ sendAt: Date.now() + HOUR_MS, sendAtLocal: null }, { audience }),
    {
      'GET segments': { json: { items: [], nextCursor: null } },
      'POST segments/preview': {
        json: {
          estimate: { count: 1_204, low: 1_020, high: 1_415, isExact: false },
          sample: [],
          warnings: [],
        },
      },
    },
  );
  const { page, calls } = opened;

  await page.getByText('between 1,020 and 1,415 people, read again when it begins').waitFor();
  expect(calls.find(({ name }) => name === 'POST segments/preview')?.body).toEqual({
    condition: { all: [{ segment: 'berlin' }, { not: { segment: 'buyers' } }] },
  });
});

test('it is sent at once on request, after a question', async () => {
  const campaign = scheduled({ sendAt: Date.now() + HOUR_MS, sendAtLocal: null });
  await using opened = await open(campaign, {
    [`PATCH campaigns/${CAMPAIGN_ID}`]: { json: campaign },
  });
  const { page, calls } = opened;
  const before = Date.now();
  await page.getByRole('button', { name: 'Send now' }).click();
  expect(calls.some(({ name }) => name.startsWith('PATCH'))).toBe(false);
  await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
  await page.getByText('Begins now').waitFor();

  const [patch] = calls.filter(({ name }) => name.startsWith('PATCH'));
  const { sendAt } = (patch?.body ?? {}) as { readonly sendAt?: number };
  expect(sendAt).toBeGreaterThanOrEqual(before);
  expect(sendAt).toBeLessThanOrEqual(Date.now());
});

test('the title has a chip in place of Liquid that is filled in', async () => {
  const message = { title: 'Hello {{ user.firstName | default: "there" }}', body: 'Hello' };
  const templates = [{ slug: null, version: null, share: 100 }];
  const campaign = scheduled(
    { sendAt: Date.now() + HOUR_MS, sendAtLocal: null },
    { message, templates },
  );
  await using opened = await open(campaign, {
    'GET campaigns': { json: { items: [campaign], nextCursor: null } },
  });
  const { page } = opened;
  await page.getByRole('heading', { name: 'Hello ⟨first name⟩', level: 1 }).waitFor();

  await opened.open('/campaigns');
  const link = page.getByRole('link', { name: 'Hello first name' });
  expect(await link.locator('.value-chip').innerText()).toBe('first name');
});
