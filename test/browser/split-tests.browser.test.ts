import { expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { CampaignWinner } from '@tidings/contracts/push/push-winner';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { accepted, channels, listPeople, posted, sendButton } from './support/composing.ts';
import { fakeDrafts } from './support/drafts.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose, offered } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const list = (items: readonly unknown[]) => ({ json: { items, nextCursor: null } });
const templates = ['cart', 'plan'].map((slug) => ({ slug, version: 1, share: 50 }));
const named = templates.map(({ slug }) => ({ slug, name: `The ${slug}`, channel: 'EMAIL' }));
const visitAs = (role: 'marketer' | 'viewer', answers: Answers) =>
  pages.visit({
    role,
    answers: {
      'GET channels': channels('ready'),
      'GET templates': list(named),
      'GET segments': list([]),
      'GET definitions': list([]),
      ...fakeDrafts().answersTo('mia@shop.example'),
      ...answers,
    },
  });

test('a split is sent to a share first, with what decides on the rest', async () => {
  await using visit = await visitAs('marketer', {
    'GET templates/*': list([]),
    'POST campaigns': accepted,
  });
  const { page } = visit;
  await visit.open('/compose?template=cart&channel=EMAIL');
  await listPeople(page, 'ada, grace');
  await page.getByRole('button', { name: 'Compare with another template' }).click();
  await choose(page, 'Template 2', 'The plan');
  const first = page.getByRole('checkbox', { name: 'Send to a share first, then the better one' });
  await first.press('Space');

  await page
    .getByText('20 % get the templates first. After 4 hours the rest gets the one with more clicks')
    .waitFor();
  expect(await offered(page, 'Better is')).toEqual(['More opens', 'More clicks']);
  await page.getByRole('spinbutton', { name: 'First, in % of recipients' }).fill('30');
  await choose(page, 'Better is', 'More opens');
  await choose(page, 'Decide after', '1 day');
  await page.getByText('30 % get the templates first. After 1 day').waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await sendButton(page).click();

  await eventually(() => expect(posted(visit)).toHaveLength(1));
  expect(posted(visit)[0]?.body).toMatchObject({
    split: [{ template: 'cart' }, { template: 'plan' }],
    winner: { percent: 30, by: 'opened', after: '1d' },
  });
});

test('a channel that reports nothing offers no such choice', async () => {
  await using visit = await visitAs('marketer', {
    'GET templates': list(named.map((each) => ({ ...each, channel: 'SMS' }))),
    'GET templates/*': list([]),
  });
  const { page } = visit;
  await visit.open('/compose?template=cart&channel=SMS');
  await page.getByRole('button', { name: 'Compare with another template' }).click();
  await page.getByText('Recipients are split by the shares.').waitFor();

  expect(await page.getByRole('checkbox', { name: /Send to a share first/ }).count()).toBe(0);
});

const rate = { rate: 0.1, low: 0.08, high: 0.12 };
const counts = {
  recipients: 100,
  successful: 90,
  delivered: 90,
  opened: 9,
  clicked: 9,
  failed: 10,
  notReachable: 10,
};
const figures = { counts, rates: { opened: rate, clicked: rate } };
const winner: CampaignWinner = {
  percent: 20,
  by: 'clicked',
  after: '4h',
  decideAt: 1_795_270_917_797,
  waiting: 1_204,
  decision: null,
};
const decision = { choice: null, certainty: 0.6, isManual: false, decidedAt: 1_795_270_920_000 };

function answersOf(
  given: Partial<CampaignWinner>,
  { rest = null }: { readonly rest?: unknown } = {},
): Answers {
  const record: CampaignRecord = {
    ...buildCampaign({ status: 'sending', counts: { successful: 200, pending: 1_204 } }),
    templates,
    winner: { ...winner, ...given },
  };
  const best = { index: 1, certainty: 0.6, isBetter: false };
  return {
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(record, []) },
    [`GET campaigns/${CAMPAIGN_ID}/templates`]: {
      json: {
        items: templates.map((template) => ({ ...template, ...figures })),
        best: { opened: best, clicked: best },
        rest,
        asOf: 1,
      },
    },
    [`POST campaigns/${CAMPAIGN_ID}/decision`]: { json: record },
  };
}

test('a report says how many wait, and when it is decided; a person may choose at once', async () => {
  await using visit = await visitAs('marketer', answersOf({}));
  const { page } = visit;
  await visit.open(`/campaigns/${CAMPAIGN_ID}`);

  await page.getByText('1,204 people wait for the one with more clicks. It is decided').waitFor();
  await page.getByRole('button', { name: 'Send The plan' }).click();

  await eventually(() =>
    expect(visit.calls.find(({ name }) => name.endsWith('/decision'))?.body).toEqual({ index: 1 }),
  );
});

test('if no template was better, the report says so and asks', async () => {
  await using visit = await visitAs('marketer', answersOf({ decision }));
  const { page } = visit;
  await visit.open(`/campaigns/${CAMPAIGN_ID}`);

  const said = 'No template was better by clicks (certainty 60 %, needed 95 %). 1,204 people wait';
  await page.getByText(said).waitFor();
  await page.getByRole('button', { name: 'Send The cart' }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test('who may only read is not asked', async () => {
  await using visit = await visitAs('viewer', answersOf({ decision }));
  await visit.open(`/campaigns/${CAMPAIGN_ID}`);
  await visit.page.getByText('No template was better by clicks').waitFor();

  expect(await visit.page.getByRole('button', { name: /^Send The/ }).count()).toBe(0);
});

test('a report says what the rest got, and what became of them', async () => {
  const made = { ...decision, choice: 1, certainty: 0.981 };
  await using visit = await visitAs(
    'marketer',
    answersOf({ waiting: 0, decision: made }, { rest: figures }),
  );
  const { page } = visit;
  await visit.open(`/campaigns/${CAMPAIGN_ID}`);

  const said = 'The rest got The plan version 1, the better one by clicks (certainty 98.1 %)';
  await page.getByText(said).waitFor();
  await page.getByText('The rest: 100 people, opened 10 %, clicked 10 %.').waitFor();
  expect(await page.getByRole('button', { name: /^Send The/ }).count()).toBe(0);
});
