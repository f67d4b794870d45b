import { call } from '../shared/api.ts';
import { parseJson } from '../shared/json.ts';
import { readSettings, type Receipt } from '../shared/worker-storage.ts';
import { clickedOn, drawNotification, readFacts } from './notification.ts';
import { sendReceipt } from './send-receipt.ts';

// The worker belongs to the page: events that are not ours go to its other listeners.
declare const self: ServiceWorkerGlobalScope;

self.addEventListener('push', (event) => {
  const drawn = drawNotification(parseJson(event.data?.text()));
  if (drawn === undefined) return;
  event.stopImmediatePropagation();
  const { deliveryId } = drawn.options.data;
  event.waitUntil(
    self.registration.showNotification(drawn.title, drawn.options as NotificationOptions).then(
      () => sendReceipt({ deliveryId, event: 'displayed', at: Date.now() }),
      // Permission was revoked: received, but not shown.
      () => sendReceipt({ deliveryId, event: 'received', at: Date.now() }),
    ),
  );
});

self.addEventListener('notificationclick', (event) => {
  const facts = readFacts(event.notification);
  if (facts === undefined) return;
  event.stopImmediatePropagation();
  event.notification.close();
  const { url, buttonIndex } = clickedOn(facts, event.action);
  const receipt: Receipt = {
    deliveryId: facts.deliveryId,
    event: 'clicked',
    at: Date.now(),
    buttonIndex,
  };
  event.waitUntil(Promise.all([show(url), sendReceipt(receipt)]));
});

self.addEventListener('notificationclose', (event) => {
  const facts = readFacts(event.notification);
  if (facts === undefined) return;
  event.stopImmediatePropagation();
  event.waitUntil(
    sendReceipt({ deliveryId: facts.deliveryId, event: 'dismissed', at: Date.now() }),
  );
});

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));

/** Focuses a window that already shows the URL, or opens a new one. */
async function show(url: string = self.registration.scope): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find((window) => window.url === new URL(url, self.registration.scope).href);
  await (open === undefined ? self.clients.openWindow(url) : open.focus()).catch(() => null);
}

/** The browser replaced or dropped the subscription. */
async function renew({
  newSubscription,
  oldSubscription,
}: PushSubscriptionChangeEvent): Promise<void> {
  const settings = await readSettings();
  const applicationServerKey =
    oldSubscription?.options.applicationServerKey ?? settings?.vapidPublicKey;
  if (settings === undefined || applicationServerKey === undefined) return;
  const subscription =
    newSubscription ??
    (await self.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey,
    }));
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  await call(settings, '/sdk/v1/devices', {
    body: {
      deviceId: settings.deviceId,
      kind: 'web_push',
      subscription: subscription.toJSON(),
      timeZone,
      locale,
    },
  });
}
