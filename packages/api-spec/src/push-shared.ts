import { LIMITS } from '@tidings/contracts';

// What `/push` and `POST /api/v1/campaigns` have in common.

export const PUSH_RULES =
  'Recipients that nobody knows or that cannot be reached never fail the request: each has its outcome. ' +
  'Fields that the channel does not have, and unknown ones, are ignored with a warning; null counts as absent.';

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyCharsMax },
  example: 'order-4711-shipped',
  description:
    'With the same key and the same body, byte for byte, there is one campaign and one answer, however often it is sent; with another body the answer is 409. Kept for 7 days. A refused request does not use it up.',
};

export const PUSH_EXAMPLE = {
  recipients: ['ada', 'bob'],
  channel: 'EMAIL',
  message: { title: 'Hello', body: '<p>Hello</p>' },
};

export const PUSH_ANSWERS =
  'The campaign is accepted; with `dryRun` nothing is sent or stored, and the answer says who would be reached.';
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
