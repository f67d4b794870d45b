import { EVENT_KINDS } from '@tidings/contracts/ingest/ingest';
import { Type } from 'typebox';
import { Instant, oneOf } from './schemas.ts';

/** An event in a list. */
export const EVENT_FIELDS = {
  id: Type.String(),
  type: oneOf(EVENT_KINDS),
  slug: Type.String({ description: 'Slug of the current definition, after merges.' }),
  name: Type.String(),
  time: Type.Unsafe<number | bigint>({
    type: 'integer',
    format: 'int64',
    description: 'Event time as sent by the caller.',
  }),
  receivedAt: Instant,
  attributes: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
  revenue: Type.Optional(Type.Number()),
  currency: Type.Optional(Type.String()),
};

export const EVENT_EXAMPLE = {
  id: 'm2',
  type: 'action',
  slug: 'qwert',
  name: 'item_viewed',
  time: 1_760_000_000_001,
  receivedAt: 1_795_256_516_534,
  attributes: { price: 9.9 },
};
