import { describe, expect, test } from '@jest/globals';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { MEMBER_ROLES } from '@tidings/contracts/members';
import type { DryRunAnswer } from '@tidings/contracts/push/campaigns';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { accepted, channels, posted, send, sendButton, write } from './support/composing.ts';
import { fakeDrafts } from './support/drafts.ts';
import type { Answers } from './support/answer-calls.ts';
import { APPLICATION_ID } from './support/pages.ts';
import { choose, chosen } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const DRY_RUN: DryRunAnswer = {
  dryRun: true,
  channel: 'EMAIL',
  recipients: { requested: 3, unique: 3 },
  reachable: 1,
  unreachable: { unknown_user: 1, no_address: 1 },
  results: [
    { customUserId: 'ada', reachable: true },
    { customUserId: 'grace', reachable: false, reason: 'no_address' },
    { customUserId: 'eve', reachable: false, reason: 'unknown_user' },
  ],
  warnings: [
    {
      code: 'channel_untested',
      pointer: '/channel',
      detail: 'No test send of this channel has succeeded.',
    },
  ],
};

const visitAs = (role: (typeof MEMBER_ROLES)[number], answers: Answers = {}) =>
  pages.visit({
    role,
    answers: {
      'GET channels': channels('ready'),
      ...fakeDrafts().answersTo('mia@shop.example'),
      ...answers,
    },
  });

describe('composing is available to', () => {
  test.each(MEMBER_ROLES)('%s', async (role) => {
    await using visit = await visitAs(role, {
      'GET campaigns': { json: { items: [], nextCursor: null } },
    });
    await visit.open('/campaigns');
    await visit.page.getByRole('heading', { name: 'No campaigns yet' }).waitFor();
    const offered = await visit.page.getByRole('link', { name: 'New campaign' }).count();
    await visit.open('/compose');
    await visit.page.locator('h1').waitFor();

    const may = ['owner', 'admin', 'marketer'].includes(role);
    // Beside the title, and in the empty list.
    expect(offered).toBe(may ? 2 : 0);
    expect(await visit.page.getByText('Your role can’t send campaigns').count()).toBe(may ? 0 : 1);
  });
});

describe('the audience check', () => {
  test('shows who can be reached, why others can’t, and the warnings of the service', async () => {
    await using visit = await visitAs('marketer', { 'POST campaigns': { json: DRY_RUN } });
    const { page } = visit;
    await visit.open('/compose');
    await write(page);
    await page.getByRole('button', { name: 'Check audience' }).click();
    await page.getByText('1 of 3 can be reached by E-mail.').waitFor();

    expect(posted(visit).map(({ body }) => body)).toEqual([
      {
        recipients: ['ada', 'grace', 'eve'],
        channel: 'EMAIL',
        message: { title: 'Hello', body: '<p>Hello</p>' },
        purpose: 'transactional',
        dryRun: true,
      },
    ]);
    expect(posted(visit)[0]?.headers['idempotency-key']).toBeUndefined();
    expect(await page.locator('.compose-side').getByRole('status').textContent()).toMatch(
      /1 unknown user: No user.*1 no address: .*Channel: No test send/s,
    );
    expect(await page.getByRole('row').allTextContents()).toEqual([
      'RecipientReachedReason',
      'adaYes–',
      'graceNoNo address',
      'eveNoUnknown user',
    ]);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('disappears when the draft changes', async () => {
    await using visit = await visitAs('marketer', { 'POST campaigns': { json: DRY_RUN } });
    await visit.open('/compose');
    await write(visit.page);
    await visit.page.getByRole('button', { name: 'Check audience' }).click();
    await visit.page.getByRole('heading', { name: 'Audience check' }).waitFor();
    await visit.page.getByRole('textbox', { name: 'Recipients' }).fill('alan');

    await visit.page
      .getByRole('heading', { name: 'Audience check' })
      .waitFor({ state: 'detached' });
  });
});

describe('sending', () => {
  test('is held for a moment, and opens the report', async () => {
    await using visit = await visitAs('owner', { 'POST campaigns': accepted });
    await visit.open('/compose?channel=SMS&to=ada,grace');
    await visit.page.getByLabel('Text').fill('Hello');
    await choose(visit.page, 'Purpose', 'Marketing');
    await visit.page.getByRole('button', { name: 'Send to 2 people' }).click();
    await visit.page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);
    await visit.page.getByText('Sending begins in 10 seconds').waitFor();

    expect(posted(visit)).toEqual([
      expect.objectContaining({
        query: expect.objectContaining({ holdSeconds: '10' }),
        body: {
          recipients: ['ada', 'grace'],
          channel: 'SMS',
          message: { body: 'Hello' },
          purpose: 'marketing',
        },
      }),
    ]);
    expect(posted(visit)[0]?.headers).toMatchObject({
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
      'x-csrf-token': 'csrf',
    });
  });

  test('again after a lost response repeats the idempotency key; a changed message gets a new one', async () => {
    let tries = 0;
    await using visit = await visitAs('owner', {
      'POST campaigns': () => (++tries < 3 ? 'lost' : accepted),
    });
    const { page } = visit;
    await visit.open('/compose');
    await write(page);
    for (let count = 0; count < 2; count++) {
      await send(page);
      await eventually(() => expect(posted(visit)).toHaveLength(count + 1));
      await page
        .getByText('Can’t reach the service. Check your connection and try again.')
        .waitFor();
    }
    await page.getByLabel('HTML or text').fill('<p>Another</p>');
    await send(page);
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

    const [first, second, third] = posted(visit).map(({ headers }) => headers['idempotency-key']);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('shows each error at its field', async () => {
    const errors = [
      {
        pointer: '/message/url',
        code: 'invalid_value',
        expected: 'a link that begins with http:// or https://',
      },
    ];
    await using visit = await visitAs('owner', {
      'POST campaigns': {
        status: 400,
        json: {
          type: 'urn:tidings:error:validation_failed',
          title: 'Not valid',
          status: 400,
          code: 'validation_failed',
          requestId: CAMPAIGN_ID,
          errors,
        },
      },
    });
    const { page } = visit;
    await visit.open('/compose?channel=WEB_PUSH&to=ada');
    await page.getByLabel('Text').fill('Hello');
    await choose(page, 'Purpose', 'Transactional');
    await page.getByLabel('Link').fill('javascript:alert(1)');
    await send(page);
    await page.locator('[aria-invalid=true]').waitFor();

    expect(await page.getByLabel('Link').getAttribute('aria-invalid')).toBe('true');
    await page.locator('[aria-invalid=true]:focus').waitFor();
    expect(await page.locator(':focus').inputValue()).toBe('javascript:alert(1)');
  });
});

describe('before a draft is sent', () => {
  test('another channel takes the words, and the one link of a mail as its link', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/compose?to=ada');
    await write(page, { to: 'ada', text: '<p>Your <a href="https://shop.test/cart">cart</a></p>' });
    await choose(page, 'Channel', 'Web push');

    expect(await page.getByLabel('Link').inputValue()).toBe('https://shop.test/cart');
    expect(await page.getByLabel('Text').innerText()).toBe('Your cart');
  });

  test('it is marketing until another purpose is chosen, and an e-mail needs a subject', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/compose?to=ada');
    const button = sendButton(page);
    await page.getByText('Required: a subject, a text').waitFor();
    const purpose = await chosen(page, 'Purpose');
    await write(page, { to: 'ada' });
    const isReady = await button.isEnabled();
    await page.getByLabel('Subject').fill(' ');
    await page.getByText('Required: a subject').waitFor();

    expect({ purpose, isReady, isReadyWithoutSubject: await button.isEnabled() }).toEqual({
      purpose: 'Marketing',
      isReady: true,
      isReadyWithoutSubject: false,
    });
    expect(posted(visit)).toEqual([]);
  });

  test.each(['<p>Hello</p>', 'Hello'])(
    'a marketing e-mail (%s) without an unsubscribe link shows a warning that can insert one',
    async (text) => {
      await using visit = await visitAs('marketer', { 'POST campaigns': { json: DRY_RUN } });
      const { page } = visit;
      await visit.open('/compose');
      await write(page, { text });
      const forTransactional = await page.getByText('No unsubscribe link.').count();
      await choose(page, 'Purpose', 'Marketing');
      await page.getByText('No unsubscribe link.').waitFor();
      await injectAxe(page);
      const findings = await seriousFindings(page);
      await page.getByRole('button', { name: 'Insert unsubscribe link' }).click();
      await page.getByText('No unsubscribe link.').waitFor({ state: 'detached' });
      await page
        .getByRole('region', { name: 'Preview' })
        .locator('iframe')
        .contentFrame()
        .getByText('Unsubscribe')
        .waitFor();
      await page.getByRole('button', { name: 'Check audience' }).click();
      await eventually(() => expect(posted(visit)).toHaveLength(1));

      expect({ forTransactional, findings }).toEqual({ forTransactional: 0, findings: [] });
      expect(posted(visit)).toMatchObject([
        {
          body: {
            purpose: 'marketing',
            message: { body: expect.stringContaining('{{unsubscribeUrl}}') },
          },
        },
      ]);
      expect(await page.getByText('Unknown placeholder.').count()).toBe(0);
    },
  );

  test.each([
    '<!-- <a href="{{unsubscribeUrl}}">Unsubscribe</a> -->',
    '<a data-href="{{unsubscribeUrl}}">Unsubscribe</a>',
    '<link href={{unsubscribeUrl}}>',
  ])('an unsubscribe link that readers do not see shows a warning: %s', async (link) => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/compose');
    await write(page, { text: `<p>Hello</p>${link}` });
    await choose(page, 'Purpose', 'Marketing');
    await page.getByText('No unsubscribe link.').waitFor();
    await page.getByRole('button', { name: 'Insert unsubscribe link' }).click();
    await page.getByText('No unsubscribe link.').waitFor({ state: 'detached' });

    expect(await page.getByText('Unknown placeholder.').count()).toBe(0);
  });

  test('an unknown placeholder shows a warning with its field', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/compose');
    await write(page, { text: '<p>Hello {{firstName}}</p>' });
    await page.getByText('Unknown placeholder.').waitFor();

    expect(await page.locator('.compose-side').getByRole('listitem').allInnerTexts()).toEqual([
      'Text',
    ]);
    expect(await sendButton(page).isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Personalise it' }).click();
    await page.getByText('Unknown placeholder.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Personalise this message').isChecked()).toBe(true);
  });
});

test('the purpose names what it ignores and promises no delivery', async () => {
  await using visit = await visitAs('marketer');
  const { page } = visit;
  await visit.open('/compose');
  await page
    .getByText(
      'Respects unsubscribes, quiet hours and frequency caps. Choose Transactional for receipts and password resets.',
    )
    .waitFor();

  await choose(page, 'Purpose', 'Transactional');

  await page
    .getByText('Receipts, password resets. Ignores unsubscribes, quiet hours and frequency caps.')
    .waitFor();
  expect(await page.getByText('always delivered').count()).toBe(0);
});

test.each([
  ['from the settings', 'owner', 'Tidings of the week', 'Tidings of the week'],
  ['from the service', 'owner', null, 'A message for you'],
  [
    'from the settings, for a role that sends',
    'marketer',
    'Tidings of the week',
    'Tidings of the week',
  ],
  [
    'from the settings, for a read-only role',
    'viewer',
    'Tidings of the week',
    'Tidings of the week',
  ],
] as const)(
  'an e-mail without a title is shown with its actual subject: %s',
  async (_what, role, defaultSubject, shown) => {
    const campaign = buildCampaign({ counts: { successful: 1 }, message: { body: 'Hello' } });
    const application = {
      applicationId: APPLICATION_ID,
      name: 'Demonstration',
      createdAt: 0,
      settings: { defaultSubject },
    };
    await using visit = await pages.visit({
      role,
      answers: {
        [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
        [`GET applications/${APPLICATION_ID}`]: { json: application },
      },
    });
    await visit.open(`/campaigns/${CAMPAIGN_ID}?tab=message`);

    await visit.page.locator('.bar-line').getByText(shown, { exact: true }).waitFor();
  },
);

const bodyLabel = (channel: Channel): string =>
  CHANNEL_DESCRIPTORS[channel].composer['body']?.label ?? '';

test.each(CHANNELS)('%s has a preview of the draft, and fits a phone', async (channel) => {
  await using visit = await pages.visit(
    { role: 'owner', answers: { 'GET channels': channels('untested') } },
    { viewport: { width: 360, height: 700 } },
  );
  const { page } = visit;
  await visit.open(`/compose?channel=${channel}&to=ada`);
  await page.getByLabel(bodyLabel(channel), { exact: true }).fill('Something to read');
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.waitFor();

  const frames = preview.locator('iframe');
  const shown = (await frames.count()) > 0 ? frames.contentFrame().locator('body') : preview;
  await shown.getByText('Something to read').first().waitFor();
  expect(await page.getByRole('link', { name: 'Open channel' }).getAttribute('href')).toBe(
    `/dashboard/channels/${channel}`,
  );
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
});
