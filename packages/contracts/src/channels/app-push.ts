import { notificationComposer } from './composer.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import {
  appLink,
  messageSchema,
  notificationFields,
  optionalCount,
  optionalObject,
} from './message-schema.ts';
import { fcmSettings } from './settings/fcm.ts';

export const appPush = {
  slug: 'app-push',
  labels: {
    name: 'App push',
    purpose: 'Push notifications to phones through Firebase Cloud Messaging.',
    testTo: { label: 'Device token', placeholder: 'fGx2:APA91bE…', example: 'fGx2:APA91bE' },
  },
  message: messageSchema({
    ...notificationFields(appLink),
    ttl: optionalCount,
    customContent: optionalObject,
  }),
  templated: {
    title: 'text',
    body: 'text',
    url: 'appLink',
    images: { url: 'appLink' },
    buttons: { label: 'text', link: 'appLink' },
    customContent: 'values',
  },
  composer: {
    ...notificationComposer,
    ttl: {
      label: 'Time to live (seconds)',
      hint: 'Default 30 days; 0 = only if online',
    },
    customContent: { label: 'Custom content', hint: 'A JSON object for the app' },
  },
  preview: 'notification',
  providers: { fcm: fcmSettings },
  address: { kind: 'device', deviceKind: 'fcm' },
  testAddressFields: [],
  expiry: { defaultMs: 30 * DAY_MS, hasTtl: true },
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
