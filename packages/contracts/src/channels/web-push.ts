import { notificationComposer } from './composer.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import { messageSchema, notificationFields, webLink } from './message-schema.ts';
import { pushServiceSettings } from './settings/push-service.ts';

export const webPush = {
  slug: 'web-push',
  labels: {
    name: 'Web push',
    purpose: 'Push notifications to subscribed browsers, even while your site is closed.',
    testTo: {
      label: 'Push subscription',
      placeholder: '{"endpoint":"https://…","keys":{…}}',
      example: `{"endpoint":"https://fcm.googleapis.com/fcm/send/abc","keys":{"p256dh":"B${'A'.repeat(86)}","auth":"${'A'.repeat(22)}"}}`,
      isLong: true,
    },
  },
  message: messageSchema(notificationFields(webLink)),
  templated: {
    title: 'text',
    body: 'text',
    url: 'webLink',
    images: { url: 'webLink' },
    buttons: { label: 'text', link: 'webLink' },
  },
  composer: notificationComposer,
  preview: 'notification',
  providers: { pushService: pushServiceSettings },
  address: { kind: 'device', deviceKind: 'web_push' },
  testAddressFields: [],
  expiry: { defaultMs: 28 * DAY_MS, hasTtl: false },
  retries: {
    baseMs: 10 * SECOND_MS,
    capMs: 30 * MINUTE_MS,
    attemptsMin: 6,
    ageMinMs: 24 * HOUR_MS,
  },
  repeat: { isIdempotent: true },
  capUnit: 'message',
  isInbox: false,
  hasOutcomePolling: false,
  hasBounces: false,
  suppressionReasons: [],
  reportedStates: ['sent', 'delivered', 'displayed', 'clicked'],
} as const satisfies ChannelDescriptor;
