import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { openShop, type Shop, type Visit } from './support/shop.ts';

jest.setTimeout(120_000);
let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  browser = await launchChromium({ isOneProcess: true });
  shop = await openShop();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

const PATIENT = { timeoutMs: 30_000 };
const SUBSCRIPTION = { endpoint: 'https://push.example/of-this-browser', keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) } };

/** Headless Chromium has no push service, so the page is handed a subscription, which its registration keeps from then on. */
async function handSubscription(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['notifications'], { origin: shop.origin });
  await context.addInitScript((subscription) => {
    const given = { ...subscription, options: {}, toJSON: () => subscription, unsubscribe: () => Promise.resolve(delete sessionStorage['subscribed']) };
    Object.assign(PushManager.prototype, {
      getSubscription: () => Promise.resolve(sessionStorage['subscribed'] === undefined ? null : given),
      subscribe(options: PushSubscriptionOptionsInit) {
        Object.assign(sessionStorage, { subscribed: String((options.applicationServerKey as Uint8Array).length) });
        return Promise.resolve(given);
      },
    });
  }, SUBSCRIPTION);
}

/** Gives the worker a push as the browser would, by the debugging protocol. */
async function openWorker({ page, context }: Visit): Promise<{ push(payload: unknown): Promise<void> }> {
  const session = await context.newCDPSession(page);
  let registrationId = '';
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.find(({ scopeURL, isDeleted }) => scopeURL === shop.url && !isDeleted)?.registrationId ?? registrationId;
  });
  await session.send('ServiceWorker.enable');
  await eventually(() => expect(registrationId).not.toBe(''), PATIENT);
  return { push: (payload) => session.send('ServiceWorker.deliverPushMessage', { origin: shop.origin, registrationId, data: typeof payload === 'string' ? payload : JSON.stringify(payload) }).then(() => undefined) };
}

async function subscribe(visit: Visit): Promise<void> {
  await visit.page.locator('#subscribe').click();
  await visit.page.getByText('Notifications: subscribed').waitFor();
}

const shown = ({ page }: Visit) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map((notification) => {
      const { title, body, icon, tag, data, actions } = notification as Notification & { readonly actions: readonly { readonly action: string; readonly title: string }[] };
      return { title, body, icon, tag, data: data as { deliveryId: string }, actions: actions.map(({ action, title: label }) => ({ action, title: label })) };
    });
  });

const notificationOf = (deliveryId: string) => ({
  deliveryId,
  campaignId: 'campaign',
  title: 'The kettle is on',
  body: 'Two tins for one',
  url: `${shop.url}?from=push`,
  icon: `${shop.origin}/shop/leaf.svg`,
  buttons: [
    { label: 'Show me', link: `${shop.url}?from=button` },
    { label: 'Not now', link: `${shop.url}?from=other` },
  ],
  tag: deliveryId,
});

/**
 * Pushes and reads back what is shown. Headless Chromium has no desktop to show it on and now and then forgets a
 * notification right after it was shown; then it is pushed again, and by its tag it is the same.
 */
const pushed = (visit: Visit, worker: { push(payload: unknown): Promise<void> }, payload: unknown) =>
  eventually(async () => {
    await worker.push(payload);
    return eventually(async () => {
      const found = await shown(visit);
      expect(found).not.toEqual([]);
      return found;
    }, { timeoutMs: 2_000 });
  }, PATIENT);

describe('web push', () => {
  test('the page’s own worker is registered, and the subscription told to the service', async () => {
    await using visit = await shop.visit(browser, { prepare: handSubscription });

    await subscribe(visit);

    const worker = await visit.page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.scriptURL);
    expect(worker).toBe(`${shop.url}worker.js`);
    await eventually(() => expect([...shop.service.devices.values()]).toContainEqual(expect.objectContaining({ kind: 'web_push', subscription: SUBSCRIPTION })), PATIENT);
    // 65 bytes: the point on P-256 that the service named.
    expect(await visit.page.evaluate(() => sessionStorage['subscribed'] as unknown)).toBe('65');
    expect(visit.errors).toEqual([]);
  });

  test('unsubscribing is told, and the device stays for messages on the page', async () => {
    await using visit = await shop.visit(browser, { prepare: handSubscription });
    await subscribe(visit);

    await visit.page.locator('#unsubscribe').click();
    await visit.page.getByText('Notifications: unsubscribed').waitFor();

    const deviceId = await visit.page.evaluate(() => (JSON.parse(Object.entries(localStorage).find(([name]) => name.endsWith(':identity'))?.[1] ?? '{}') as { deviceId?: string }).deviceId ?? '');
    expect(shop.service.devices.get(deviceId)).toMatchObject({ kind: 'none' });
  });

  test('a push becomes a notification with title, body, icon and buttons, and is told to be displayed; one of somebody else does not', async () => {
    await using visit = await shop.visit(browser, { prepare: handSubscription });
    await subscribe(visit);
    const worker = await openWorker(visit);

    await worker.push('not of ours');
    const [notification, ...others] = await pushed(visit, worker, notificationOf('push-1'));
    expect(others).toEqual([]);
    expect(notification).toMatchObject({
      title: 'The kettle is on',
      body: 'Two tins for one',
      icon: `${shop.origin}/shop/leaf.svg`,
      tag: 'push-1',
      actions: [
        { action: 'tidings-0', title: 'Show me' },
        { action: 'tidings-1', title: 'Not now' },
      ],
    });
    await eventually(() => expect(new Set(shop.service.eventsOf('push-1'))).toEqual(new Set(['displayed'])), PATIENT);
  });

  test.each([
    ['', '?from=push', undefined],
    ['tidings-0', '?from=button', 0],
  ])('a click on %j opens its address, and is counted', async (action, address, buttonIndex) => {
    await using visit = await shop.visit(browser, { prepare: handSubscription });
    await subscribe(visit);
    const worker = await openWorker(visit);
    const deliveryId = `clicked-${action}`;
    expect(await pushed(visit, worker, notificationOf(deliveryId))).toHaveLength(1);
    const own = visit.context.serviceWorkers()[0];

    // A window may be opened only after a person's click, so what the worker asks for is observed.
    const opened = await own?.evaluate(async (clicked) => {
      const scope = globalThis as unknown as { registration: ServiceWorkerRegistration; clients: { openWindow(url: string): Promise<null> }; dispatchEvent(event: Event): boolean };
      const [notification] = await scope.registration.getNotifications();
      const urls: string[] = [];
      scope.clients.openWindow = (url) => Promise.resolve(urls.push(url)).then(() => null);
      const Click = (globalThis as unknown as { NotificationEvent: new (type: string, init: object) => Event }).NotificationEvent;
      scope.dispatchEvent(new Click('notificationclick', { notification, action: clicked }));
      for (let turn = 0; turn < 200 && urls.length === 0; turn++) await new Promise((resolve) => setTimeout(resolve, 25));
      return urls;
    }, action);

    expect(opened).toEqual([`${shop.url}${address}`]);
    await eventually(() => expect(shop.service.receipts).toContainEqual(expect.objectContaining({ deliveryId, event: 'clicked', ...(buttonIndex !== undefined && { buttonIndex }) })), PATIENT);
    await eventually(async () => expect(await shown(visit)).toEqual([]), PATIENT);
  });
});
