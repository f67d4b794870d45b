import { expect, test } from '@jest/globals';
import type { ReceivedEvent } from '../../load/webhook-receiver.ts';
import { checkWebhooks } from './webhooks.ts';

const stored = {
  campaigns: [
    { campaignId: 'c1', status: 'completed', isTest: false },
    { campaignId: 'c0', status: 'completed', isTest: true },
  ],
  deliveries: [{ deliveryId: 'd1', state: 'sent' }],
};
const told = (...list: readonly ReceivedEvent[]): ReadonlyMap<string, ReceivedEvent> =>
  new Map(list.map((one, index) => [`event-${index}`, one]));
const SENT: ReceivedEvent = { type: 'message.sent', of: 'd1', times: 1 };
const COMPLETED: ReceivedEvent = { type: 'campaign.completed', of: 'c1', times: 1 };

test.each<[string, readonly ReceivedEvent[], Partial<ReturnType<typeof checkWebhooks>>]>([
  ['all was told once', [SENT, COMPLETED, { type: 'campaign.started', of: 'c1', times: 1 }], {}],
  [
    'devices registered',
    [
      SENT,
      COMPLETED,
      { type: 'subscription.created', of: 'undefined', times: 1 },
      { type: 'subscription.created', of: 'undefined', times: 1 },
    ],
    {},
  ],
  ['a last state is missing', [COMPLETED], { missing: ['no event: message.sent of d1'] }],
  ['an end is missing', [SENT], { missing: ['no event: campaign.completed of c1'] }],
  [
    'something was told again by its id',
    [SENT, { ...COMPLETED, times: 2 }],
    { repeated: ['campaign.completed of c1: 2 times by one id'] },
  ],
  [
    'something was told by another id',
    [SENT, SENT, COMPLETED],
    { twice: ['message.sent of d1: by 2 ids'] },
  ],
])('%s', (_name, list, findings) => {
  expect(checkWebhooks(told(...list), stored)).toEqual({
    missing: [],
    twice: [],
    repeated: [],
    ...findings,
  });
});
