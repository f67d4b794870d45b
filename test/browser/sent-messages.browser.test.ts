import { describe, expect, test } from '@jest/globals';
import { listDeliveriesEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import type { MemberRole } from '@tidings/contracts/members';
import type { SentMessage, TimelineItem, User } from '@tidings/web/src/api/types.ts';
import type { BrowserContextOptions } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import type { Answer, Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const DELIVERY_ID = '01a1fda0-84a5-7000-8000-000000000001';
const AT = Date.UTC(2026, 4, 3, 9, 30);
const list = (items: readonly unknown[]): Answer => ({ json: { items, nextCursor: null } });

const SENT: SentMessage = {
  message: { title: 'Your cart, Ada', body: '<h1>Ada, the pen waits</h1><p>For you.</p>' },
  isHtml: true,
  text: 'ADA, THE PEN WAITS',
  template: { slug: 'cart', version: 3 },
  variant: 'For Ulm',
  values: { firstName: 'Ada' },
  renderedAt: AT,
};
const nothing = (unknown: NonNullable<SentMessage['unknown']>, values = {}): SentMessage => ({
  unknown,
  template: null,
  variant: null,
  values,
  renderedAt: null,
});

/** The dialog of one recipient. */
async function openDelivery(
  sent: Answers[string],
  {
    role = 'marketer',
    options = {},
  }: { readonly role?: MemberRole; readonly options?: BrowserContextOptions } = {},
) {
  const campaign = buildCampaign({ counts: { successful: 1 } });
  const [delivery] = (listDeliveriesEndpoint.answer.example as { items: readonly object[] }).items;
  const opened = await pages.visit(
    {
      role,
      answers: {
        [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
        [`GET campaigns/${CAMPAIGN_ID}/deliveries`]: list([
          { ...delivery, deliveryId: DELIVERY_ID, customUserId: 'ada' },
        ]),
        [`GET campaigns/${CAMPAIGN_ID}/deliveries/${DELIVERY_ID}/message`]: sent,
      },
    },
    options,
  );
  await opened.open(`/campaigns/${CAMPAIGN_ID}?tab=recipients`);
  await opened.page.getByRole('button', { name: 'ada' }).click();
  return opened;
}

describe('the message that a recipient got', () => {
  test('is shown in the dialog of the recipient, when asked for', async () => {
    await using opened = await openDelivery({ json: SENT });
    const { page } = opened;
    expect(opened.calls.filter(({ name }) => name.endsWith('/message'))).toEqual([]);

    await page.getByRole('button', { name: 'Show the message' }).click();

    await page.getByText('As ada got it on').waitFor();
    expect(await page.getByText('Your cart, Ada').isVisible()).toBe(true);
    await page
      .frameLocator('iframe')
      .getByRole('heading', { name: 'Ada, the pen waits' })
      .waitFor();
    expect(await page.getByText('For Ulm').isVisible()).toBe(true);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Hide the message' }).click();
    expect(await page.getByText('Your cart, Ada').count()).toBe(0);
  });

  test.each([
    ['not_sent', 'no attempt has begun'],
    ['not_kept', 'was not recorded'],
    ['renderer_changed', '"firstName": "Ada"'],
  ] as const)('%s: the dialog says why there is none', async (unknown, text) => {
    await using opened = await openDelivery({ json: nothing(unknown, { firstName: 'Ada' }) });

    await opened.page.getByRole('button', { name: 'Show the message' }).click();

    await opened.page.getByText(text).first().waitFor();
  });

  test('too many questions: the dialog says so, and asks again', async () => {
    let asked = 0;
    const busy: Answer = {
      status: 503,
      json: {
        type: 'about:blank',
        title: 'Unavailable',
        status: 503,
        code: 'unavailable',
        detail: 'Many questions wait.',
        requestId: 'r',
      },
    };
    await using opened = await openDelivery((): Answer => {
      asked += 1;
      return asked < 5 ? busy : { json: SENT };
    });

    await opened.page.getByRole('button', { name: 'Show the message' }).click();
    await opened.page.getByText('Many questions wait.').waitFor();
    await opened.page.getByRole('button', { name: 'Try again' }).click();
    await opened.page.getByText('As ada got it on').waitFor();
  });

  test('is not offered to who may not read it', async () => {
    await using opened = await openDelivery({ json: SENT }, { role: 'viewer' });

    await opened.page.getByText('Delivery ID').waitFor();
    expect(await opened.page.getByRole('button', { name: 'Show the message' }).count()).toBe(0);
  });

  test('is shown on the timeline of the user', async () => {
    const user = { customUserId: 'ada', profile: { firstName: 'Ada' }, serviceUserIds: [] };
    const item = {
      kind: 'message',
      at: AT,
      message: {
        campaignId: CAMPAIGN_ID,
        deliveryId: DELIVERY_ID,
        channel: 'EMAIL',
        status: 'sent',
        reason: null,
      },
    } as unknown as TimelineItem;
    await using opened = await pages.visit({
      role: 'marketer',
      answers: {
        'GET users/ada': { json: user as unknown as User },
        'GET users/ada/timeline': list([item]),
        [`GET campaigns/${CAMPAIGN_ID}/deliveries/${DELIVERY_ID}/message`]: { json: SENT },
      },
    });
    await opened.open('/users/ada?tab=timeline');

    await opened.page.getByRole('button', { name: 'Show the message' }).click();

    await opened.page.getByText('As ada got it on').waitFor();
    expect(await opened.page.getByText('Your cart, Ada').isVisible()).toBe(true);
  });
});
