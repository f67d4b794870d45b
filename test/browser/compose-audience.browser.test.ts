import { describe, expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import type { SegmentDryRunAnswer } from '@tidings/contracts/push/campaigns';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import {
  accepted,
  beginnings,
  channels,
  posted,
  send,
  sendButton,
  write,
} from './support/composing.ts';
import { fakeDrafts } from './support/drafts.ts';
import { shownDateTime, typeDateTime } from './support/dates.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visitWith = (answers: Answers) =>
  pages.visit({
    role: 'marketer',
    answers: {
      'GET channels': channels('ready'),
      ...fakeDrafts().answersTo('mia@shop.example'),
      ...answers,
    },
  });

const segments = {
  json: {
    items: ['loyal', 'new'].map((slug) => ({
      slug,
      name: slug === 'loyal' ? 'Loyal customers' : 'New ones',
      condition: { field: 'country', is: 'DE' },
      version: 1,
      createdAt: 1,
      updatedAt: 1,
      updatedBy: 'token:x',
      lastCount: null,
      usedBy: [],
    })),
    nextCursor: null,
  },
};

const SEGMENT_DRY_RUN = {
  json: {
    dryRun: true,
    channel: 'EMAIL',
    recipients: { segment: 'loyal', count: 1_200 },
    reachable: 900,
    warnings: [],
  } satisfies SegmentDryRunAnswer,
};

describe('to a segment', () => {
  test('counts its users, then sends to it without the ones of another', async () => {
    await using visit = await visitWith({
      'GET segments': segments,
      'POST campaigns': ({ body }) =>
        (body as { dryRun?: boolean }).dryRun === true ? SEGMENT_DRY_RUN : accepted,
    });
    const { page } = visit;
    await visit.open('/compose?segment=loyal');
    await choose(page, 'Exclude', 'New ones');
    await page.getByLabel('Skip people who left meanwhile').check();
    await choose(page, 'Purpose', 'Transactional');
    await page.getByLabel('Subject').fill('Hello');
    await page.getByLabel('HTML or text').fill('<p>Hello</p>');
    await page.getByRole('button', { name: 'Check audience' }).click();
    await page.getByText('900 of 1,200 can be reached by E-mail.').waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send to segment “Loyal customers”' }).click();
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

    const request = {
      segment: 'loyal',
      exclude: 'new',
      recheck: true,
      channel: 'EMAIL',
      message: { title: 'Hello', body: '<p>Hello</p>' },
      purpose: 'transactional',
    };
    expect(posted(visit).map(({ body }) => body)).toEqual([{ ...request, dryRun: true }, request]);
  });

  test('with a long name has a button that fits a phone', async () => {
    await using visit = await visitWith({ 'GET segments': segments });
    const { page } = visit;
    await page.setViewportSize({ width: 360, height: 800 });
    await visit.open(`/compose?segment=${'german-cart-fillers-'.repeat(3)}${'x'.repeat(60)}`);
    await write(page, { to: null });
    const button = page.getByRole('button', { name: /^Send to segment “german/ });
    await button.waitFor();

    const sizes = await button.evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      const around = element.getBoundingClientRect();
      const { left, right } = text.getBoundingClientRect();
      return {
        isTextInside: left >= around.left && right <= around.right,
        isInPage: around.left >= 0 && around.right <= innerWidth,
      };
    });
    expect(sizes).toEqual({ isTextInside: true, isInPage: true });
  });

  test('without any, a link leads to a new one', async () => {
    await using visit = await visitWith({
      'GET segments': { json: { items: [], nextCursor: null } },
    });
    await visit.open('/compose');
    await visit.page.getByRole('link', { name: 'Create one' }).click();

    await visit.page.getByRole('heading', { name: 'New segment' }).waitFor();
  });
});

describe('an audience of its own', () => {
  const preview = (count: number) => ({
    json: {
      estimate: { count, low: count, high: count, isExact: false },
      sample: ['ada', 'עדה'],
      stillOpen: [],
      warnings: [],
      tookMs: 1,
    },
  });
  const answers: Answers = {
    'POST segments/preview': ({ body }) =>
      preview(JSON.stringify(body).includes('"reachable"') ? 780 : 1_000),
    'POST segments/users': {
      json: {
        items: [
          { customUserId: 'עדה', firstName: null, lastName: null, email: null, phoneNumber: null },
        ],
        nextCursor: null,
      },
    },
    'POST campaigns': accepted,
  };

  test('of few people has their exact number, where an estimate finds none', async () => {
    await using visit = await visitWith({
      ...answers,
      'POST segments/preview': {
        json: {
          estimate: { count: 0, low: 0, high: 92, isExact: false },
          sample: [],
          stillOpen: [],
          warnings: [],
          tookMs: 1,
        },
      },
      'POST segments/count': ({ body }) => ({
        json: { count: JSON.stringify(body).includes('"reachable"') ? 3 : 4, asOf: 1, tookMs: 1 },
      }),
    });
    const { page } = visit;
    await visit.open('/compose');
    await page.getByRole('button', { name: 'Everyone' }).click();
    await page.getByText('3 of 4 can be reached by E-mail').waitFor();
    await page.getByRole('button', { name: 'See who' }).click();

    await page.getByRole('link', { name: 'עדה' }).waitFor();
    expect(await page.getByRole('complementary').innerText()).toMatch(/^Audience\s+4 people/);
  });

  test('is everyone, whom the channel reaches, and who', async () => {
    await using visit = await visitWith(answers);
    const { page } = visit;
    await visit.open('/compose');
    await page.getByRole('button', { name: 'Everyone' }).click();
    await write(page, { to: null });
    await page.getByText('≈ 780 of ≈ 1,000 can be reached by E-mail').waitFor();
    await page.getByText('220 people can’t be reached now').waitFor();
    await page.getByRole('button', { name: 'See who' }).click();
    await page.getByRole('link', { name: 'עדה' }).waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await send(page);
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

    expect(posted(visit)[0]?.body).toMatchObject({
      segment: { condition: { field: 'registeredAt', after: 0 } },
    });
  });

  test('is a condition that is written there, whose faults stand at its fields', async () => {
    await using visit = await visitWith({
      ...answers,
      'POST segments/preview': ({ body }) =>
        JSON.stringify(body).includes('"nowhere"')
          ? {
              status: 400,
              json: {
                status: 400,
                title: 'Invalid',
                errors: [
                  {
                    pointer: '/condition/all/0/attribute',
                    code: 'invalid_value',
                    expected: 'a name of an attribute',
                  },
                ],
              },
            }
          : preview(12),
    });
    const { page } = visit;
    await visit.open('/compose');
    await page.getByRole('button', { name: 'Conditions' }).click();
    await page.getByText(/^Required: all of the conditions/).waitFor();
    await page.getByRole('combobox', { name: 'Attribute' }).fill('nowhere');
    await page.getByRole('combobox', { name: 'Value' }).fill('x');
    await page.getByText(/expected a name of an attribute/).waitFor();
    await page.getByRole('combobox', { name: 'Attribute' }).fill('city');
    await write(page, { to: null });
    await page.getByText('≈ 12 of ≈ 12 can be reached by E-mail').waitFor();
    await send(page);
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

    expect(posted(visit)[0]?.body).toMatchObject({
      segment: { condition: { all: [{ attribute: 'city', is: 'x' }] } },
    });
  });
});

test('listed people are also named by e-mail and phone, and none of several is taken silently', async () => {
  const USERS: Readonly<Record<string, readonly string[]>> = {
    'ada@example.com': ['ada'],
    'team@example.com': ['grace', 'לאה'],
  };
  await using visit = await visitWith({
    'POST users/resolve': ({ body }) => ({
      json: {
        items: (body as { texts: string[] }).texts.map((text) => ({
          text,
          customUserIds: USERS[text] ?? [],
        })),
      },
    }),
    'POST campaigns': accepted,
  });
  const { page } = visit;
  await visit.open('/compose');
  await write(page, { to: 'eve\nada@example.com\nteam@example.com\n+49 151 00000000' });
  await page.getByText('belongs to several people. Whom do you mean?').waitFor();
  await page.getByText('No one has this address, so they get nothing: +49 151 00000000').waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await sendButton(page).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'לאה' }).click();
  await sendButton(page).getByText('Send to 3 people').waitFor();
  await send(page);
  await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

  expect(posted(visit)[0]?.body).toMatchObject({ recipients: ['eve', 'ada', 'לאה'] });
});

test('what is scheduled is taken back from the note about it', async () => {
  await using visit = await visitWith({
    'POST campaigns': accepted,
    [`POST campaigns/${CAMPAIGN_ID}/cancel`]: {
      json: buildCampaign({ status: 'canceled', counts: {} }),
    },
  });
  const { page } = visit;
  await visit.open('/compose');
  await page.getByRole('textbox', { name: 'Name' }).fill('חורף');
  await write(page, { to: 'ada' });
  await beginnings(page).getByText('At a time').click();
  await typeDateTime(page, 'Time', '2046-12-24T09:00');
  await sendButton(page).click();
  await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Taken back. Nothing was sent.').waitFor();
  await page.waitForURL('**/compose?draft=*');

  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('חורף');
  expect(await shownDateTime(page, 'Time')).toBe('2046-12-24T09:00');
  expect(visit.calls.some(({ name }) => name === `POST campaigns/${CAMPAIGN_ID}/cancel`)).toBe(
    true,
  );
});

test('what is taken back too late says who got it', async () => {
  await using visit = await visitWith({
    'POST campaigns': accepted,
    [`POST campaigns/${CAMPAIGN_ID}/cancel`]: {
      json: buildCampaign({ status: 'canceled', counts: { sent: 2 } }),
    },
  });
  const { page } = visit;
  await visit.open('/compose');
  await write(page);
  await send(page);
  await page.getByRole('button', { name: 'Undo' }).click();

  await page.getByText('Canceled. 2 people got it before.').waitFor();
  expect(page.url()).toContain(`/campaigns/${CAMPAIGN_ID}`);
});

describe('later', () => {
  test('schedules at a local time of each recipient', async () => {
    await using visit = await visitWith({ 'POST campaigns': accepted });
    const { page } = visit;
    await visit.open('/compose');
    await write(page, { to: 'ada' });
    await beginnings(page).getByText('Each in their own zone').click();
    expect(await sendButton(page).isDisabled()).toBe(true);
    await typeDateTime(page, 'Time', '2026-12-24T09:00');
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByText(/at 24 Dec.* 09:00 in each recipient’s time zone$/).waitFor();
    await page.getByRole('button', { name: 'Schedule to 1 person' }).click();
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

    expect(posted(visit)[0]?.body).toMatchObject({ sendAtLocal: '2026-12-24T09:00' });
  });

  test('a scheduled campaign says when its recipients appear', async () => {
    const campaign = buildCampaign({ status: 'scheduled', counts: {} });
    const { campaignId } = campaign;
    await using visit = await visitWith({
      [`GET campaigns/${campaignId}/report`]: { json: buildReport(campaign, []) },
      [`GET campaigns/${campaignId}/deliveries`]: { json: { items: [], nextCursor: null } },
    });
    await visit.open(`/campaigns/${campaignId}?tab=recipients`);

    await visit.page.getByText('Recipients appear when the campaign begins.').waitFor();
  });

  test('a scheduled campaign gets another time', async () => {
    const before = Date.UTC(2026, 11, 24, 9);
    const campaign = {
      ...buildCampaign({ status: 'scheduled', counts: {} }),
      schedule: { sendAt: before, sendAtLocal: null, localTimePassed: 0 },
    };
    const { campaignId } = campaign;
    await using visit = await visitWith({
      [`GET campaigns/${campaignId}/report`]: { json: buildReport(campaign, []) },
      [`PATCH campaigns/${campaignId}`]: { json: campaign },
    });
    const { page } = visit;
    await visit.open(`/campaigns/${campaignId}`);
    await page.getByRole('button', { name: 'Change time' }).click();
    await page.getByText('In your time zone, Europe/Berlin').waitFor();
    const shown = await shownDateTime(page, 'Time');
    await typeDateTime(page, 'Time', '2026-12-25T10:30');
    await page.getByRole('dialog').getByRole('button', { name: 'Change time' }).click();
    await page.getByText('Time changed').waitFor();

    const inBrowser = (text: string) =>
      page.evaluate<number>(`new Date(${JSON.stringify(text)}).getTime()`);
    expect(await inBrowser(shown)).toBe(before);
    expect(visit.calls.find(({ name }) => name.startsWith('PATCH'))?.body).toEqual({
      sendAt: await inBrowser('2026-12-25T10:30'),
    });
  });

  test('a local time is changed to another one, or to an instant', async () => {
    const campaign = {
      ...buildCampaign({ status: 'scheduled', counts: {} }),
      schedule: {
        sendAt: Date.UTC(2026, 11, 24, 9),
        sendAtLocal: '2026-12-24T09:00',
        localTimePassed: 0,
      },
    };
    const { campaignId } = campaign;
    await using visit = await visitWith({
      [`GET campaigns/${campaignId}/report`]: { json: buildReport(campaign, []) },
      [`PATCH campaigns/${campaignId}`]: { json: campaign },
    });
    const { page } = visit;
    await visit.open(`/campaigns/${campaignId}`);
    const dialog = page.getByRole('dialog');
    const change = async (when: string | null, time: string) => {
      await page.getByRole('button', { name: 'Change time' }).click();
      await beginnings(dialog)
        .and(page.locator('[aria-pressed=true]'))
        .getByText('Each in their own zone')
        .waitFor();
      expect(await shownDateTime(dialog, 'Time')).toBe('2026-12-24T09:00');
      expect(await beginnings(dialog).count()).toBe(2);
      if (when !== null) await beginnings(dialog).getByText(when).click();
      await typeDateTime(dialog, 'Time', time);
      await dialog.getByRole('button', { name: 'Change time' }).click();
      await dialog.waitFor({ state: 'detached' });
    };

    await change(null, '2026-12-24T10:00');
    await change('At a time', '2026-12-25T10:30');

    const instant = await page.evaluate<number>("new Date('2026-12-25T10:30').getTime()");
    expect(
      visit.calls.filter(({ name }) => name.startsWith('PATCH')).map(({ body }) => body),
    ).toEqual([{ sendAtLocal: '2026-12-24T10:00' }, { sendAt: instant }]);
  });

  test('an error stands at its field, and only others in the list', async () => {
    const campaign = {
      ...buildCampaign({ status: 'scheduled', counts: {} }),
      schedule: { sendAt: Date.UTC(2026, 11, 24, 9), sendAtLocal: null, localTimePassed: 0 },
    };
    const { campaignId } = campaign;
    const errors = [
      { pointer: '/sendAt', code: 'out_of_range', expected: 'a time ahead' },
      { pointer: '/purpose', code: 'required' },
    ];
    await using visit = await visitWith({
      [`GET campaigns/${campaignId}/report`]: { json: buildReport(campaign, []) },
      [`PATCH campaigns/${campaignId}`]: {
        status: 400,
        json: { status: 400, title: 'Invalid', detail: 'The time is not valid.', errors },
      },
    });
    const { page } = visit;
    await visit.open(`/campaigns/${campaignId}`);
    await page.getByRole('button', { name: 'Change time' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change time' }).click();
    await page.getByRole('alert').waitFor();

    expect(await page.locator('.field-error').allInnerTexts()).toEqual([
      expect.stringContaining('expected a time ahead.'),
    ]);
    expect(await page.getByRole('alert').locator('li').allInnerTexts()).toEqual([
      'Purpose: Required.',
    ]);
  });
});
