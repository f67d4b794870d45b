import { CHANNELS } from '@tidings/contracts/channels/channels';
import { EVENT_EXAMPLE } from '../event-schema.ts';
import { DELIVERY_EXAMPLE } from './campaigns.ts';

const identity = {
  customUserId: 'ada',
  serviceUserIds: ['3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001'],
  registeredAt: 1_795_256_516_534,
};
const user = {
  ...identity,
  updatedAt: 1_795_256_516_534,
  profile: { firstName: 'Ada', email: 'ada@example.com', customAttributes: { plan: 'pro' } },
};

export const LISTED_USER_EXAMPLE = {
  ...identity,
  firstName: 'Ada',
  lastName: null,
  email: 'ada@example.com',
  phoneNumber: null,
};

const device = {
  deviceRef: 'dev_5b1d1f0a52a3c0d10b9a2f6e8f8b4d7c',
  kind: 'web_push',
  serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001',
  isProved: true,
  timeZone: 'Europe/Berlin',
  locale: 'de-DE',
  createdAt: 1_795_256_516_534,
  seenAt: 1_795_256_516_534,
};

export const USER_EXAMPLE = {
  ...user,
  reachable: Object.fromEntries(
    CHANNELS.map((channel) => [
      channel,
      channel === 'EMAIL' ? { ok: true } : { ok: false, reason: 'channel_not_configured' },
    ]),
  ),
  devices: [{ ...device, reachable: true }],
};

const { deliveryId, status, reason, attempts, createdAt, sentAt } = DELIVERY_EXAMPLE;
export const EXPORT_EXAMPLE = {
  user,
  devices: [{ ...device, reachable: true, address: '{"endpoint":"https://push.example/abc"}' }],
  events: [EVENT_EXAMPLE],
  deliveries: [
    {
      deliveryId,
      campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
      channel: 'EMAIL',
      status,
      reason,
      attempts,
      createdAt,
      sentAt,
      values: null,
      run: null,
    },
  ],
  automations: {
    runs: [
      {
        runId: '01a1fda0-84a5-72c8-802b-8cdeabd134bd',
        automation: 'cart',
        version: 2,
        status: 'active',
        key: '',
        eventId: 'm-17',
        time: 1_795_256_516_000,
        data: null,
        enteredAt: 1_795_256_516_534,
        endedAt: null,
        goalAt: null,
        trace: [
          {
            node: '',
            at: 1_795_256_516_534,
            outcome: 'entered',
            reason: null,
            campaignId: null,
            deliveryId: null,
          },
        ],
      },
    ],
    triggers: [
      {
        automation: 'cart',
        kind: null,
        occurredAt: null,
        requestId: '01a1fda0-84a5-72c8-802b-8cdeabd134be',
        messageIndex: 0,
        at: 1_795_256_516_534,
        result: 'entered',
        runId: '01a1fda0-84a5-72c8-802b-8cdeabd134bd',
      },
    ],
    entries: [{ automation: 'cart', key: '', entries: 1, lastEnteredAt: 1_795_256_516_534 }],
  },
};
