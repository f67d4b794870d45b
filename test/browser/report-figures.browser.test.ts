import { describe, expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { CAMPAIGN_ID, buildCampaign } from './support/campaigns.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers) => pages.visit({ role: 'owner', answers });
const readFigures = async (campaign: CampaignRecord): Promise<readonly string[]> => {
  await using opened = await visit({
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
  });
  await opened.open(`/campaigns/${CAMPAIGN_ID}`);
  await opened.page.locator('.figures').waitFor();
  const figures = await opened.page.locator('.figures > div').allInnerTexts();
  return figures.map((text) => text.replaceAll(/\s+/g, ' '));
};

describe('a report has one base for its rates', () => {
  test('of e-mail what was sent and did not bounce, however few opened it', async () => {
    const campaign = buildCampaign({
      counts: { successful: 90, delivered: 36, displayed: 36, opened: 36, clicked: 9 },
      failures: { no_address: 20, invalid_address: 7, provider_rejected: 3 },
      bounces: { no_mailbox: 7, refused: 3 },
    });

    expect(await readFigures(campaign)).toEqual([
      'Sent 100 of 120 asked',
      'Delivered derived 90 % 90 of 100 sent',
      'Opened 40 % 36 of 90 delivered',
      'Clicked 10 % 9 of 90 delivered',
      'Unsubscribed 0 % 0 of 90 delivered',
    ]);
  });

  test('what the channel reports as delivered', async () => {
    const counts = { successful: 10, delivered: 8, displayed: 4, opened: 2, clicked: 2 };

    expect(await readFigures(buildCampaign({ channel: 'WEB_PUSH', counts }))).toEqual([
      'Sent 10 of 10 asked',
      'Delivered 80 % 8 of 10 sent',
      'Displayed 50 % 4 of 8 delivered',
      'Clicked 25 % 2 of 8 delivered',
    ]);
  });

  test('what was sent, where neither deliveries nor bounces are reported', async () => {
    expect(
      await readFigures(buildCampaign({ channel: 'WEB_HOOK', counts: { successful: 20 } })),
    ).toEqual(['Sent 20 of 20 asked']);
  });
});

test.each([768, 1_024, 1_440])('its figures stand in one line at %i px', async (width) => {
  const campaign = buildCampaign({ counts: { successful: 90, opened: 36, clicked: 9 } });
  await using opened = await visit({
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
  });
  const { page } = opened;
  await page.setViewportSize({ width, height: 800 });
  await opened.open(`/campaigns/${CAMPAIGN_ID}`);
  const figures = page.locator('.figures > div');
  await figures.first().waitFor();

  const tops = await figures.evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect().top),
  );
  expect(tops).toHaveLength(5);
  expect(new Set(tops).size).toBe(1);
});
