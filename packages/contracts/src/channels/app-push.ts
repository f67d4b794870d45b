import type { ChannelDescriptor } from './descriptor.ts';
import {
  appLink,
  messageOf,
  notificationFields,
  optionalCount,
  optionalObject,
} from './message-schema.ts';

export const appPush = {
  slug: 'app-push',
  labels: {
    name: 'App push',
    purpose: 'To phones, through Firebase Cloud Messaging.',
    testTo: { label: 'To the device token', placeholder: 'fGx2:APA91bE…' },
  },
  message: messageOf({
    ...notificationFields(appLink),
    ttl: optionalCount,
    customContent: optionalObject,
  }),
  address: { kind: 'device', deviceKind: 'fcm' },
  isInbox: false,
  hasOutcomeLookup: false,
  reportedStates: ['sent', 'delivered', 'displayed', 'clicked'],
} as const satisfies ChannelDescriptor;
