import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { ListedUser, TimelineItem, User } from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { storedEvents } from './events.ts';
import { AT, LONG, many, uuid, list, one } from './values.ts';

const { id, customUserId, messageId, email, url, words } = LONG;
const timeline: readonly TimelineItem[] = [
  ...storedEvents.map((event): TimelineItem => ({
    kind: 'event',
    at: AT,
    event: { ...event, time: AT },
  })),
  {
    kind: 'message',
    at: AT,
    message: {
      deliveryId: id,
      campaignId: id,
      channel: 'EMAIL',
      status: 'failed',
      reason: 'invalid_address',
      sentAt: AT,
    },
  },
  { kind: 'profile', at: AT, messageId, fields: ['firstName', many('an_attribute_', 64), 'email'] },
];
const user: User = {
  customUserId,
  serviceUserIds: [uuid(1), uuid(2)],
  registeredAt: AT,
  updatedAt: AT,
  profile: {
    firstName: words,
    lastName: words,
    email,
    phoneNumber: '+4915112345678',
    customAttributes: {
      [many('an_attribute_', 64)]: words,
      page: url,
      isMember: true,
      // A short one, too: it could begin at either side.
      lastAction: 'click',
    },
  },
  reachable: {
    ...(Object.fromEntries(
      CHANNELS.map((channel, index) => [
        channel,
        index % 2 === 0 ? { ok: true } : { ok: false, reason: 'channel_not_configured' },
      ]),
    ) as User['reachable']),
    SMS: { ok: true, number: '+494915123456789', otherReading: '+4915123456789' },
  },
  devices: [
    {
      deviceRef: messageId,
      kind: 'web_push',
      reachable: true,
      isProved: true,
      serviceUserId: id,
      timeZone: 'America/Argentina/ComodRivadavia',
      locale: 'ca-ES-valencia',
      createdAt: AT,
      seenAt: AT,
    },
  ],
};
const users: readonly ListedUser[] = [
  {
    customUserId,
    serviceUserIds: [id],
    registeredAt: AT,
    firstName: words,
    lastName: words,
    email,
    phoneNumber: '+4915112345678',
  },
  {
    customUserId: 'ada',
    serviceUserIds: [id],
    registeredAt: AT,
    firstName: 'Ada',
    lastName: null,
    email: 'ada@shop.example',
    phoneNumber: null,
  },
];

export const USER_ANSWERS: Answers = {
  'GET users': list(...users),
  [`GET users/${customUserId}`]: one(user),
  [`GET users/${customUserId}/events`]: list(...storedEvents),
  [`GET users/${customUserId}/timeline`]: list(...timeline),
  [`GET users/${LONG.heldUserId}/held-events`]: list(...storedEvents),
};
