import { ERROR_CODES, FIELD_CODES } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { UNREACHABLE_REASONS } from '@tidings/contracts/push/deliveries';
import { SLUG_DESCRIPTION, SLUG_PATTERN } from '@tidings/contracts/slug';
import { STORABLE, STORABLE_NOT_BLANK } from '@tidings/contracts/storable-text';
import { Type, type TSchema } from 'typebox';

/** An id that Tidings assigns. */
export const Uuid = Type.Unsafe<string>({ type: 'string', format: 'uuid', description: 'a UUID' });

export const Instant = Type.Unsafe<number>({
  type: 'integer',
  format: 'int64',
  description: 'Milliseconds since the epoch.',
});

/** The largest millisecond of a JavaScript date. Postgres can store it too. */
export const INSTANT_MAX = 8_640_000_000_000_000;

/** A query parameter with an instant. */
export const instantQuery = (description: string, maximum = INSTANT_MAX) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

export const NullableInstant = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  format: 'int64',
  description: 'Milliseconds since the epoch.',
});

export const CountedFrom = Type.Unsafe<number | null>({
  ...NullableInstant,
  description:
    'Events that arrived before this instant (milliseconds since the epoch) are still being counted after an upgrade. Null: all events are counted.',
});

export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });

/** The number of a user on a channel that has one. */
export const CalledNumber = {
  number: Type.Optional(
    Type.String({ description: 'SMS: the number that is called, in E.164. Absent without one.' }),
  ),
  otherReading: Type.Optional(
    Type.String({
      description:
        'SMS: what the number in the profile may mean instead. It has no `+` and begins with the calling code of the default country, which was read as an area code. Send it with `+`.',
    }),
  ),
};

export const Count = Type.Integer({ minimum: 0 });

/** Success rate of a campaign or channel, with its parts. */
export const Attempts = {
  attempted: Type.Unsafe<number>({
    ...Count,
    description:
      '`successful` + `unknown` + `failed` − `notReachable`. Canceled and expired recipients do not count.',
  }),
  notReachable: Type.Unsafe<number>({
    ...Count,
    description: `Recipients that failed with one of ${UNREACHABLE_REASONS.join(', ')}.`,
  }),
  successRate: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    description: '`successful` / `attempted`; null without attempts.',
  }),
};

/** Longer lists of allowed values are not repeated in errors: those refer to the document. */
const LISTED_MAX = 12;

/** An enum of strings. */
export const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({
    type: 'string',
    enum: [...values],
    ...(values.length > LISTED_MAX && { description: 'one of the list in /openapi.json' }),
  });

/** Caller's text that Postgres can store. */
export const Text = Type.String({
  pattern: STORABLE,
  description: 'text without U+0000 or lone surrogates',
});

const SEARCH_CHARS_MAX = 200;

/** The text of a search. */
export const SearchText = Type.String({
  minLength: 1,
  maxLength: SEARCH_CHARS_MAX,
  pattern: STORABLE_NOT_BLANK,
  description: `1 to ${SEARCH_CHARS_MAX} characters, not blank`,
});

export const DeviceReference = Type.Unsafe<string>({
  type: 'string',
  pattern: '^dev_[0-9a-f]{32}$',
  description: 'Identifies a device in lists. It is not the secret deviceId.',
});

/** The user whom a question is about. */
export const AskedUserId = Type.String({
  pattern: STORABLE,
  maxLength: LIMITS.customUserIdCharsMax,
  description: 'text without U+0000 or lone surrogates',
});

export const CustomUserId = Type.String({
  pattern: STORABLE,
  description: 'Your id of the user.',
});

/** Of a segment or template. */
export const Slug = Type.String({ pattern: SLUG_PATTERN, description: SLUG_DESCRIPTION });

const LIMIT_DEFAULT = 50;

/** Query parameters of every list. */
export const pageQuery = {
  cursor: Type.Optional(
    Type.String({ pattern: STORABLE, description: '`nextCursor` of the previous page.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.pageMax, default: LIMIT_DEFAULT }),
  ),
  format: Type.Optional(
    Type.Unsafe<'json' | 'csv'>({
      type: 'string',
      enum: ['json', 'csv'],
      default: 'json',
      description:
        '`csv` downloads the whole list from the cursor on. `Accept: text/csv` does the same.',
    }),
  ),
};

export type PageQuery = {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
};

/** The page size: `limit`, or the default of 50. */
export const getLimit = ({ limit }: PageQuery): number => limit ?? LIMIT_DEFAULT;

/** The schema of a page of a list. */
export const pageSchema = <Item extends TSchema>(item: Item) =>
  Type.Object({ items: Type.Array(item), nextCursor: NullableString });

/** The page schema of a list that scans a bounded number of rows per page, ordered by arrival. */
export const boundedPageSchema = <Item extends TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    nextCursor: NullableString,
    lookedBackTo: Type.Optional(
      Type.Integer({
        description:
          'Present when the scan limit was reached before the page was full. Everything that arrived after this instant (milliseconds since the epoch) was searched; older entries were not. Continue with `nextCursor`.',
      }),
    ),
  });

/** One invalid field of a request. */
export const FieldErrorSchema = Type.Object(
  {
    pointer: Type.String({
      description: 'JSON pointer into the body, or `/` and the name of a query parameter.',
    }),
    code: oneOf(FIELD_CODES),
    expected: Type.Optional(Type.String()),
    index: Type.Optional(Count),
    messageId: Type.Optional(Type.String()),
    line: Type.Optional(Count),
    column: Type.Optional(Count),
  },
  { title: 'FieldError' },
);

/** The body of every response with status 400 or above (RFC 9457). */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: '`urn:tidings:error:` followed by the code.' }),
    title: Type.String(),
    status: Type.Integer(),
    code: oneOf(Object.keys(ERROR_CODES)),
    detail: Type.Optional(Type.String()),
    requestId: Uuid,
    errors: Type.Optional(Type.Array(FieldErrorSchema)),
    errorsTruncated: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        description: 'True when there are more errors than listed.',
      }),
    ),
  },
  { title: 'Problem' },
);
