import { API_VERSION } from '@tidings/contracts/http';

const integer = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });
const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});

/** Every response header that Tidings defines, as Header Objects. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The request id. Quote it in support requests.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'API-Version': { ...text('The API version.', API_VERSION), required: true },
  'Retry-After': integer('Seconds to wait before a retry.'),
  Allow: text('Methods of this path.', 'POST, OPTIONS'),
  Location: text(
    'Where to continue. For a new campaign its URL; absent for a dry run.',
    '/api/v1/campaigns/01a1fda0-84a5-72c8-802b-8cdeabd134bc',
  ),
  'Idempotent-Replay': {
    ...text('This is the response to an earlier request with the same Idempotency-Key.', 'true'),
    schema: { type: 'string', enum: ['true'] },
  },
  'Set-Cookie': text('The session cookie.', '__Host-sid=…; Path=/; Secure; HttpOnly; SameSite=Lax'),
  'Content-Disposition': text('File name of the download.', 'attachment; filename="user.json"'),
  'Preference-Applied': text('The preference that was applied.', 'handling=lenient'),
  'RateLimit-Limit': integer(
    'Burst size of the rate limit that is closest to exhaustion, in requests or in body bytes. Sent with every response to valid credentials when a rate limit applies.',
  ),
  'RateLimit-Remaining': integer('Requests or bytes left of it.'),
  'RateLimit-Reset': integer('Seconds until it is full again.'),
  'Access-Control-Allow-Origin': text(
    'Responses to browsers: pages of any origin may read them.',
    '*',
  ),
  'Access-Control-Expose-Headers': text(
    'Responses to browsers: the headers that a page may read.',
    'X-Request-Id, API-Version, Retry-After',
  ),
  'Access-Control-Allow-Methods': text('Methods that pages may call.', 'POST'),
  'Access-Control-Allow-Headers': text(
    'Headers that pages may send.',
    'Content-Type, X-Application-Id, X-API-Key',
  ),
  'Access-Control-Max-Age': integer('Seconds for which a browser may cache the preflight.'),
} as const;

/** References to response headers. Those of every response come first. */
export function headerReferences(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    ['X-Request-Id', 'API-Version', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;
/** Headers of responses to browsers. */
export const PAGE_HEADERS = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
] as const;
export const PREFLIGHT_HEADERS = [
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Max-Age',
  'Allow',
] as const;
