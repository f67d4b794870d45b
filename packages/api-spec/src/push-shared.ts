import type { Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';

// Shared by `/push` and `POST /api/v1/campaigns`.

export const PUSH_RULES =
  'Unknown and unreachable recipients never fail the request: each gets its own outcome. ' +
  'Unknown fields, and fields that the channel does not have, are ignored with a warning. `null` counts as absent.';

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyCharsMax },
  example: 'order-4711-shipped',
  description:
    'Makes retries safe: repeats with the same key and the same body bytes return the first response and create no second campaign. The same key with another body gets 409. Keys are kept for 7 days. A rejected request does not use up its key.',
};

/** A push by each channel, with the fields that only this channel has. */
const PUSH_EXAMPLE_MESSAGES = {
  EMAIL: { title: 'Hello', body: '<p>Hello</p>' },
  SMS: { body: 'Your order has shipped.' },
  WEB_PUSH: {
    title: 'Your order has shipped',
    body: 'It arrives tomorrow.',
    url: 'https://shop.example/orders/4711',
    buttons: [{ label: 'Track', link: 'https://shop.example/track/4711' }],
  },
  APP_PUSH: {
    title: 'Your order has shipped',
    body: 'It arrives tomorrow.',
    url: 'shop://orders/4711',
    ttl: 86_400,
    customContent: { order: '4711' },
  },
  WEB_HOOK: { body: '{"order":"4711","status":"shipped"}' },
  IN_APP: { title: 'Hello', body: '<p>Welcome back.</p>', duration: 5_000, alignment: 'TOP' },
  ON_SITE: { title: 'Hello', body: '<p>Free shipping today.</p>', alignment: 'BOTTOM' },
} as const satisfies Record<Channel, object>;

export const PUSH_EXAMPLES = Object.fromEntries(
  Object.entries(PUSH_EXAMPLE_MESSAGES).map(([channel, message]) => [
    channel,
    { recipients: ['ada', 'bob'], channel, message },
  ]),
);
export const PUSH_EXAMPLE = PUSH_EXAMPLES['EMAIL'];

export const PUSH_ANSWERS =
  'The campaign was accepted. With `dryRun` nothing is sent or stored; the response says who would be reached.';
export const PUSH_ANSWER_HEADERS = ['Location', 'Idempotent-Replay'] as const;
export const PUSH_ANSWER_EXAMPLE = {
  campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
  status: 'queued',
  channel: 'EMAIL',
  recipients: { requested: 2, unique: 2 },
  createdAt: 1_795_256_517_797,
  requestId: '01a1fda0-7f01-73ac-9ab1-82b6d3569097',
  warnings: [],
};
