import { expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import { listDeliveriesEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import { readUserEndpoint } from '@tidings/api-spec/endpoints/users';
import type { DryRunAnswer } from '@tidings/contracts/push/campaigns';
import type { Delivery, User } from '@tidings/web/src/api/types.ts';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { channels, listPeople } from './support/composing.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers) => pages.visit({ role: 'owner', answers });
const list = (items: readonly unknown[]) => ({ json: { items, nextCursor: null } });

const CALLED = { number: '+494915123456789', otherReading: '+4915123456789' } as const;
const SHOWN = '+494915123456789Ambiguous Or +4915123456789? Then send it with a plus sign.';
const example = readUserEndpoint.answer.example as User;
const USER: User = {
  ...example,
  profile: { ...example.profile, gender: 'f' },
  reachable: { ...example.reachable, SMS: { ok: true, ...CALLED } },
};

test('the audience check shows the number that is called, and marks one that may mean another', async () => {
  const answer: DryRunAnswer = {
    dryRun: true,
    channel: 'SMS',
    recipients: { requested: 3, unique: 3 },
    reachable: 2,
    unreachable: { no_address: 1 },
    results: [
      { customUserId: 'ada', reachable: true, ...CALLED },
      { customUserId: 'grace', reachable: true, number: '+4915112345678' },
      { customUserId: 'eve', reachable: false, reason: 'no_address' },
    ],
    warnings: [],
  };
  await using opened = await visit({
    'GET channels': channels('ready'),
    'POST campaigns': { json: answer },
  });
  const { page } = opened;
  await opened.open('/compose');
  await listPeople(page, 'ada, grace, eve');
  await choose(page, 'Channel', 'SMS');
  await choose(page, 'Purpose', 'Transactional');
  await page.getByLabel('Text', { exact: true }).fill('Hello');
  await page.getByRole('button', { name: 'Check audience' }).click();
  await page.getByText('2 of 3 can be reached by SMS.').waitFor();

  expect(await page.getByRole('row').allTextContents()).toEqual([
    'RecipientReachedNumber or reason',
    `adaYes${SHOWN}`,
    'graceYes+4915112345678',
    'eveNoNo address',
  ]);
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test('so does the page of a user, which also names the gender beside the stored text', async () => {
  await using opened = await visit({ 'GET users/ada': { json: USER } });
  await opened.open('/users/ada');
  const row = opened.page.getByRole('row', { name: 'SMS' });
  await row.waitFor();

  expect(await row.textContent()).toBe(`SMSYes${SHOWN}`);
  const gender = opened.page.getByRole('row', { name: 'gender' });
  expect(await gender.textContent()).toBe('genderFemale fstring');
});

test('so does a recipient in the report', async () => {
  const [delivery] = (listDeliveriesEndpoint.answer.example as { items: readonly Delivery[] })
    .items;
  const campaign = { ...buildCampaign({ counts: { successful: 1 } }), channel: 'SMS' } as const;
  await using opened = await visit({
    [`GET campaigns/${CAMPAIGN_ID}`]: { json: campaign },
    [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
    [`GET campaigns/${CAMPAIGN_ID}/deliveries`]: list([{ ...delivery, customUserId: 'ada' }]),
    'GET users/ada': { json: USER },
  });
  const { page } = opened;
  await opened.open(`/campaigns/${CAMPAIGN_ID}?tab=recipients`);
  await page.getByRole('button', { name: 'ada', exact: true }).click();

  await page.getByRole('dialog').getByText('Ambiguous').waitFor();
  expect(await page.getByRole('dialog').textContent()).toContain(`Number now${SHOWN}`);
});
