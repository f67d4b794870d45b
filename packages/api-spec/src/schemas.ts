import {
  ERROR_CODES,
  FIELD_CODES,
  LIMITS,
  STORABLE,
  UNREACHABLE_REASONS,
} from '@tidings/contracts';
import { Type, type TSchema } from 'typebox';

/** An id of ours. */
export const Uuid = Type.Unsafe<string>({ type: 'string', format: 'uuid', description: 'a UUID' });

export const Instant = Type.Unsafe<number>({
  type: 'integer',
  format: 'int64',
  description: 'Milliseconds since the epoch.',
});

/** The last millisecond that a date of JavaScript can be; Postgres has a place for it too. */
export const INSTANT_MAX = 8_640_000_000_000_000;

/** An instant as a filter. */
export const instantQuery = (description: string, maximum = INSTANT_MAX) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

export const NullableInstant = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  format: 'int64',
  description: 'Milliseconds since the epoch.',
});

/** Of charts. */
export const CountedFrom = Type.Unsafe<number | null>({
  ...NullableInstant,
  description:
    'After an upgrade: events that arrived before this instant (milliseconds since the epoch) are still being counted. Null: all are counted.',
});

export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const Count = Type.Integer({ minimum: 0 });

/** What rates are made of, of a campaign or a channel. */
export const Attempts = {
  attempted: Type.Unsafe<number>({
    ...Count,
    description:
      'Successful + unknown + failed, without `notReachable`. Canceled and expired recipients are no attempts.',
  }),
  notReachable: Type.Unsafe<number>({
    ...Count,
    description: `Failed by one of ${UNREACHABLE_REASONS.join(', ')}.`,
  }),
  successRate: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    description: 'Successful of attempted; null without an attempt.',
  }),
};

/** So many values are listed in an error; more are left to the document. */
const LISTED_MAX = 12;

/** One of a closed list. */
export const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({
    type: 'string',
    enum: [...values],
    ...(values.length > LISTED_MAX && { description: 'one of the list in /openapi.json' }),
  });

/** Text of a caller that goes to Postgres. */
export const Text = Type.String({
  pattern: STORABLE,
  description: 'text without U+0000 or lone surrogates',
});

export const DeviceReference = Type.Unsafe<string>({
  type: 'string',
  pattern: '^dev_[0-9a-f]{32}$',
  description: 'Tells devices apart; not the id by which a device proves itself.',
});

export const CustomUserId = Type.String({
  pattern: STORABLE,
  description: 'The id that the caller gave the user.',
});

const LIMIT_DEFAULT = 50;

/** The query parameters of every list. */
export const pageQuery = {
  cursor: Type.Optional(
    Type.String({ pattern: STORABLE, description: 'The nextCursor of the page before.' }),
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
        'csv: the whole list from the cursor on, as a file. Accept: text/csv asks for it too.',
    }),
  ),
};

export type PageQuery = {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
};

/** What `limit` is when it is absent. */
export const getLimit = ({ limit }: PageQuery): number => limit ?? LIMIT_DEFAULT;

/** A page of a list. */
export const pageSchema = <Item extends TSchema>(item: Item) =>
  Type.Object({ items: Type.Array(item), nextCursor: NullableString });

/** Of a list whose pages each cost a bounded look, by arrival. */
export const boundedPageSchema = <Item extends TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    nextCursor: NullableString,
    lookedBackTo: Type.Optional(
      Type.Integer({
        description:
          'Present where the look ended before the page was full: all that arrived after this instant (milliseconds since the epoch) is looked through, what came before is not yet.',
      }),
    ),
  });

/** One fault of a request. */
export const FieldErrorSchema = Type.Object(
  {
    pointer: Type.String({
      description: 'A JSON pointer into the body; of a query parameter, its name.',
    }),
    code: oneOf(FIELD_CODES),
    expected: Type.Optional(Type.String()),
    index: Type.Optional(Count),
    messageId: Type.Optional(Type.String()),
  },
  { title: 'FieldError' },
);

/** The body of every answer of 400 and above. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'urn:tidings:error: and the code.' }),
    title: Type.String(),
    status: Type.Integer(),
    code: oneOf(Object.keys(ERROR_CODES)),
    detail: Type.Optional(Type.String()),
    requestId: Uuid,
    errors: Type.Optional(Type.Array(FieldErrorSchema)),
    errorsTruncated: Type.Optional(
      Type.Unsafe<true>({ type: 'boolean', description: 'true: there are more.' }),
    ),
  },
  { title: 'Problem' },
);
