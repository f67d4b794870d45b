import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { WARNING_CODES } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { Type } from 'typebox';
import { PERSON_EXAMPLE, PersonSchema } from './person-schema.ts';
import { Count, NullableInstant, oneOf, pageSchema, Slug } from './schemas.ts';

/** What funnels, trends and retention are asked by, and answer. */

export const described = <T>(schema: object, description: string) =>
  Type.Unsafe<T>({ ...schema, description });

/** Local dates need a four-digit year, also those of periods after the range. */
const INSTANT_MAX = Date.UTC(9900, 0, 1);
const instant = (description: string) =>
  Type.Integer({ minimum: 0, maximum: INSTANT_MAX, description });

export const OF_SEGMENT = Type.Optional(
  described<string>(Slug, 'Of its members alone, as they are now.'),
);
export const WARNINGS = Type.Array(
  Type.Object({ code: oneOf(WARNING_CODES), pointer: Type.String(), detail: Type.String() }),
);

/** What a question is about besides its events. */
export const ASKED = {
  from: instant('Milliseconds since the epoch.'),
  to: instant(`The end, at most ${LIMITS.analyticsRangeDaysMax} days later.`),
  timeZone: Type.Optional(
    Type.String({ description: 'An IANA name. Default: that of the application.' }),
  ),
  segment: OF_SEGMENT,
};
export const RANGE_EXAMPLE = { from: 1_792_664_400_000, to: 1_795_256_400_000 };

/** An event as in a condition. */
export const namedEvent = (description: string) =>
  described<FunnelStep>({ type: 'object' }, description);

/** When and how it was answered. */
export const ANSWER = {
  asOf: described<number>({ type: 'integer', format: 'int64' }, 'The moment of the answer, in ms.'),
  tookMs: Count,
  store: oneOf(['postgres']),
};
export const ANSWER_EXAMPLE = {
  asOf: 1_795_256_516_534,
  tookMs: 900,
  store: 'postgres',
} as const;

export const ANSWERED = {
  timeZone: Type.String(),
  partialFrom: described<number | null>(
    NullableInstant,
    'The start of the first period that is not over at `asOf`; null when all are.',
  ),
  warnings: WARNINGS,
  ...ANSWER,
};
export const ANSWERED_EXAMPLE = {
  timeZone: 'Asia/Kathmandu',
  partialFrom: null,
  warnings: [],
  ...ANSWER_EXAMPLE,
} as const;

/** When a question waits for others, or is too slow. */
export const BUSY =
  '503 when the answer takes more than 15 s, waits for others for more than 30 s, or too many wait.';

export const PEOPLE = {
  status: 200,
  description: 'A page of people.',
  schema: pageSchema(PersonSchema),
  example: { items: [PERSON_EXAMPLE], nextCursor: null },
} as const;
