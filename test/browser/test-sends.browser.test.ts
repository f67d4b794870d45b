import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { CAMPAIGN_ID } from './support/campaigns.ts';
import { channels } from './support/composing.ts';
import { fakeDrafts } from './support/drafts.ts';
import type { Answers } from './support/answer-calls.ts';
import type { PagesVisit } from './support/pages.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visitWith = (answers: Answers, role: 'marketer' | 'viewer' = 'marketer') =>
  pages.visit({
    role,
    answers: {
      'GET channels': channels('ready'),
      'GET segments': { json: { items: [], nextCursor: null } },
      'GET test-sends/addresses': { json: { addresses: [] } },
      'PUT test-sends/addresses': ({ body }) => ({ json: body }),
      ...fakeDrafts().answersTo('mia@shop.example'),
      ...answers,
    },
  });
const asked = ({ calls }: PagesVisit, name: string) =>
  calls.filter((call) => call.name === name).map(({ body }) => body);
const sent = (changes: object = {}) => ({
  to: 'mia@shop.example',
  customUserId: null,
  template: null,
  campaignId: CAMPAIGN_ID,
  ok: true,
  status: 'sent',
  ...changes,
});

describe('a test of a draft', () => {
  test('goes to the member, as it is, and says what became of it', async () => {
    await using visit = await visitWith({
      'POST test-sends': { json: { channel: 'EMAIL', items: [sent()] } },
    });
    const { page } = visit;
    await visit.open('/compose');
    const button = page.getByRole('button', { name: 'Send test to me' });
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel('Subject').fill('Only today');
    await page.getByLabel('HTML or text').fill('<p>Hello</p>');
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Send a test' });
    await eventually(async () =>
      expect(await dialog.getByLabel('To').inputValue()).toBe('mia@shop.example'),
    );
    expect(await dialog.getByLabel('With the values of').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('Sent', { exact: true }).waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);

    expect(asked(visit, 'POST test-sends')).toEqual([
      {
        content: {
          channel: 'EMAIL',
          message: { title: 'Only today', body: '<p>Hello</p>' },
          purpose: 'marketing',
          segment: '',
        },
        to: ['mia@shop.example'],
      },
    ]);
    expect(asked(visit, 'PUT test-sends/addresses')).toEqual([{ addresses: ['mia@shop.example'] }]);
  });

  test('is addressed once the kept addresses are there, which are not mixed with typed ones', async () => {
    await using visit = await visitWith({
      'POST test-sends': { json: { channel: 'EMAIL', items: [sent({ to: 'ada' })] } },
    });
    const { page } = visit;
    const { promise: isTyping, resolve: typed } = Promise.withResolvers<void>();
    await page.route('**/test-sends/addresses', async (route) => {
      await isTyping;
      await route.fallback();
    });
    await visit.open('/compose');
    await page.getByLabel('Subject').fill('Only today');
    await page.getByLabel('HTML or text').fill('<p>Hello</p>');
    await page.getByRole('button', { name: 'Send test to me' }).click();
    const to = page.getByRole('dialog').getByLabel('To');
    await to.pressSequentially('bob');
    expect(await to.inputValue()).toBe('');
    typed();
    await to.fill('ada');
    await page.getByRole('dialog').getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('dialog').getByText('Sent', { exact: true }).waitFor();

    expect(asked(visit, 'POST test-sends')).toMatchObject([{ to: ['ada'] }]);
  });

  test('goes to those who are kept, with the values of a user, and says why one is not sent', async () => {
    await using visit = await visitWith({
      'GET test-sends/addresses': { json: { addresses: ['ada', 'new@shop.example'] } },
      'POST test-sends': {
        json: {
          channel: 'EMAIL',
          items: [
            sent({
              to: 'ada',
              customUserId: 'ada',
              status: 'failed',
              ok: false,
              reason: 'no_address',
            }),
            sent({
              to: 'new@shop.example',
              campaignId: null,
              ok: false,
              status: 'not_sent',
              detail: 'No user grace is registered.',
            }),
          ],
        },
      },
    });
    const { page } = visit;
    await visit.open('/compose');
    await page.getByLabel('Subject').fill('Hi {{ user.firstName }}');
    await page.getByLabel('HTML or text').fill('Hello');
    await page.getByLabel('Personalise this message').check();
    await page.getByRole('button', { name: 'Send test to me' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('With the values of').fill('grace');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('No user grace is registered.').waitFor();
    await dialog.getByText('No address').waitFor();

    expect(asked(visit, 'POST test-sends')).toMatchObject([
      { to: ['ada', 'new@shop.example'], valuesOf: 'grace', content: { personalize: true } },
    ]);
  });
});
