import type { ChannelDescriptor } from './descriptor.ts';
import { messageOf, notificationFields, webLink } from './message-schema.ts';

export const webPush = {
  slug: 'web-push',
  labels: {
    name: 'Web push',
    purpose: 'To browsers that have subscribed, even while the page is closed.',
    testTo: { label: 'To the subscription', placeholder: '{"endpoint":"https://…","keys":{…}}' },
  },
  message: messageOf(notificationFields(webLink)),
  address: { kind: 'device', deviceKind: 'web_push' },
  isInbox: false,
  hasOutcomeLookup: false,
  reportedStates: ['sent', 'delivered', 'displayed', 'clicked'],
} as const satisfies ChannelDescriptor;
