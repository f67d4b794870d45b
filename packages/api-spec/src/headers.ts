import { API_VERSION } from '@tidings/contracts';

const integer = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });
const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});

/** Every header of ours that an answer may have, as Header Objects. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'API-Version': { ...text('The version of the interface.', API_VERSION), required: true },
  'Retry-After': integer('Seconds after which to try again.'),
  Allow: text('The methods of this address.', 'POST, OPTIONS'),
  Location: text(
    'Where to go on; of a campaign, where it can be read, and none for a dry run.',
    '/api/v1/campaigns/01a1fda0-84a5-72c8-802b-8cdeabd134bc',
  ),
  'Idempotent-Replay': {
    ...text('The answer is that of an earlier request with this Idempotency-Key.', 'true'),
    schema: { type: 'string', enum: ['true'] },
  },
  'Set-Cookie': text('The session.', '__Host-sid=…; Path=/; Secure; HttpOnly; SameSite=Lax'),
  'Content-Disposition': text('A name for the file.', 'attachment; filename="user.json"'),
  'Preference-Applied': text('The preference that was followed.', 'handling=lenient'),
  'RateLimit-Limit': integer(
    'Requests at once, of the rate that is nearest to its end; bytes, where that is the rate of bodies. On every answer to valid credentials, where there is a rate, as the two below.',
  ),
  'RateLimit-Remaining': integer('What is left of it now.'),
  'RateLimit-Reset': integer('Seconds until all of it is left again.'),
  'Access-Control-Allow-Origin': text('On answers to pages: any page may read them.', '*'),
  'Access-Control-Expose-Headers': text(
    'On answers to pages: the headers that they may read.',
    'X-Request-Id, API-Version, Retry-After',
  ),
  'Access-Control-Allow-Methods': text('The methods that pages may call.', 'POST'),
  'Access-Control-Allow-Headers': text(
    'The headers that pages may send.',
    'Content-Type, X-Application-Id, X-API-Key',
  ),
  'Access-Control-Max-Age': integer('Seconds for which a browser need not ask again.'),
} as const;

/** Headers of a response, by reference; those of every answer come first. */
export function headerReferences(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    ['X-Request-Id', 'API-Version', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;
/** Of answers to a page of a browser. */
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
