import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { openShop, type Shop, type Visit } from './support/shop.ts';

jest.setTimeout(120_000);
let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  browser = await launchChromium();
  shop = await openShop();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

const LONG_TIMEOUT = { timeoutMs: 30_000 };
const SUBSCRIPTION = {
  endpoint: 'https://push.example/of-this-browser',
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
};

/**
 * Headless Chromium has neither a push service nor notifications. This fakes the permission and a subscription that the
 * registration keeps.
 */
async function fakeSubscription(context: BrowserContext): Promise<void> {
  await context.addInitScript((subscription) => {
    const given = {
      ...subscription,
      options: {},
      toJSON: () => subscription,
      unsubscribe: () => Promise.resolve(delete sessionStorage['subscribed']),
    };
    Object.defineProperty(Notification, 'permission', { value: 'granted' });
    Object.assign(Notification, { requestPermission: () => Promise.resolve('granted') });
    Object.assign(PushManager.prototype, {
      getSubscription: () =>
        Promise.resolve(sessionStorage['subscribed'] === undefined ? null : given),
      subscribe(options: PushSubscriptionOptionsInit) {
        Object.assign(sessionStorage, {
          subscribed: String((options.applicationServerKey as Uint8Array).length),
        });
        return Promise.resolve(given);
      },
    });
  }, SUBSCRIPTION);
}

/** The open notifications and the URLs to open, recorded in the worker: headless Chromium shows neither. */
type Desktop = { readonly shown: Shown[]; readonly opened: string[] };
type WorkerScope = {
  readonly registration: {
    showNotification(title: string, options: Omit<Shown, 'title'>): Promise<void>;
  };
  readonly clients: { openWindow(url: string): Promise<null> };
  desktop: Desktop;
};
type Shown = {
  readonly title: string;
  readonly body: string;
  readonly icon: string;
  readonly tag: string;
  readonly data: { readonly deliveryId: string };
  readonly actions: readonly object[];
};
interface PushWorker {
  /** Delivers a push through the debugging protocol, as the browser would. */
  push(payload: unknown): Promise<void>;
  /** Clicks the notification, or the button of this action. */
  click(action: string): Promise<void>;
  desktop(): Promise<Desktop>;
}

async function openWorker({ page, context }: Visit): Promise<PushWorker> {
  const session = await context.newCDPSession(page);
  let registrationId = '';
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId =
      registrations.find(({ scopeURL, isDeleted }) => scopeURL === shop.url && !isDeleted)
        ?.registrationId ?? registrationId;
  });
  await session.send('ServiceWorker.enable');
  await eventually(() => expect(registrationId).not.toBe(''), LONG_TIMEOUT);
  const [worker] = context.serviceWorkers();
  if (worker === undefined) throw new Error('The page has no service worker.');
  await worker.evaluate(() => {
    const scope = globalThis as unknown as WorkerScope;
    scope.desktop = { shown: [], opened: [] };
    scope.registration.showNotification = (title, options) =>
      Promise.resolve(void scope.desktop.shown.push({ title, ...options }));
    scope.clients.openWindow = (url) =>
      Promise.resolve(scope.desktop.opened.push(url)).then(() => null);
  });
  return {
    push: (payload) =>
      session
        .send('ServiceWorker.deliverPushMessage', {
          origin: shop.origin,
          registrationId,
          data: typeof payload === 'string' ? payload : JSON.stringify(payload),
        })
        .then(() => undefined),
    click: (clicked) =>
      worker.evaluate(async (action) => {
        const { shown } = (globalThis as unknown as WorkerScope).desktop;
        const works: Promise<unknown>[] = [];
        const notification = { ...shown[0], close: () => void shown.shift() };
        dispatchEvent(
          Object.assign(new Event('notificationclick'), {
            notification,
            action,
            waitUntil: (work: Promise<unknown>) => void works.push(work),
          }),
        );
        await Promise.all(works);
      }, clicked),
    desktop: () => worker.evaluate(() => (globalThis as unknown as WorkerScope).desktop),
  };
}

async function subscribe(visit: Visit): Promise<void> {
  await visit.page.locator('#subscribe').click();
  await visit.page.getByText('Notifications: subscribed').waitFor();
}

const buildNotification = (deliveryId: string) => ({
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

describe('web push', () => {
  test('the page’s own service worker is registered, and the subscription is sent to the service', async () => {
    await using visit = await shop.visit(browser, { prepare: fakeSubscription });

    await subscribe(visit);

    const worker = await visit.page.evaluate(
      async () => (await navigator.serviceWorker.getRegistration())?.active?.scriptURL,
    );
    expect(worker).toBe(`${shop.url}worker.js`);
    await eventually(
      () =>
        expect([...shop.service.devices.values()]).toContainEqual(
          expect.objectContaining({ kind: 'web_push', subscription: SUBSCRIPTION }),
        ),
      LONG_TIMEOUT,
    );
    // 65 bytes: the P-256 public key from the service.
    expect(await visit.page.evaluate(() => sessionStorage['subscribed'] as unknown)).toBe('65');
    expect(visit.errors).toEqual([]);
  });

  test('unsubscribing is reported, and the device still receives on-site messages', async () => {
    await using visit = await shop.visit(browser, { prepare: fakeSubscription });
    await subscribe(visit);

    await visit.page.locator('#unsubscribe').click();
    await visit.page.getByText('Notifications: unsubscribed').waitFor();

    const deviceId = await visit.page.evaluate(
      () =>
        (
          JSON.parse(
            Object.entries(localStorage).find(([name]) => name.endsWith(':identity'))?.[1] ?? '{}',
          ) as { deviceId?: string }
        ).deviceId ?? '',
    );
    expect(shop.service.devices.get(deviceId)).toMatchObject({ kind: 'none' });
  });

  test('a push becomes a notification with title, body, icon and buttons, and reports displayed; a foreign push is ignored', async () => {
    await using visit = await shop.visit(browser, { prepare: fakeSubscription });
    await subscribe(visit);
    const worker = await openWorker(visit);

    await worker.push('not one of ours');
    await worker.push(buildNotification('push-1'));
    await eventually(
      () => expect(shop.service.reportedEvents('push-1')).toEqual(['displayed']),
      LONG_TIMEOUT,
    );

    const { shown } = await worker.desktop();
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject({
      title: 'The kettle is on',
      body: 'Two tins for one',
      icon: `${shop.origin}/shop/leaf.svg`,
      tag: 'push-1',
      actions: [
        { action: 'tidings-0', title: 'Show me' },
        { action: 'tidings-1', title: 'Not now' },
      ],
    });
  });

  test.each([
    ['', '?from=push', undefined],
    ['tidings-0', '?from=button', 0],
  ])('a click on %j opens its URL and is counted', async (action, address, buttonIndex) => {
    await using visit = await shop.visit(browser, { prepare: fakeSubscription });
    await subscribe(visit);
    const worker = await openWorker(visit);
    const deliveryId = `clicked-${action}`;
    await worker.push(buildNotification(deliveryId));
    await eventually(
      () => expect(shop.service.reportedEvents(deliveryId)).toEqual(['displayed']),
      LONG_TIMEOUT,
    );

    await worker.click(action);

    expect(await worker.desktop()).toEqual({ shown: [], opened: [`${shop.url}${address}`] });
    await eventually(
      () =>
        expect(shop.service.receipts).toContainEqual(
          expect.objectContaining({
            deliveryId,
            event: 'clicked',
            ...(buttonIndex !== undefined && { buttonIndex }),
          }),
        ),
      LONG_TIMEOUT,
    );
  });
});
