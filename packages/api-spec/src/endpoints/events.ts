import { EVENT_KINDS } from '@tidings/contracts/ingest/ingest';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Text, Uuid, boundedPageSchema, instantQuery, oneOf, pageQuery } from '../schemas.ts';
import { LISTED_EVENT_EXAMPLE, ListedEvent } from '../listed-event.ts';

export const listEventsEndpoint = endpoint({
  name: 'listEvents',
  method: 'GET',
  path: 'events',
  access: 'reader',
  summary: 'List events of registered users and without a user, newest arrival first',
  description:
    'Each page scans a bounded number of rows: with a filter it may have fewer items than `limit`, or none, and still a `nextCursor`. `lookedBackTo` then says how far back it searched.',
  query: Type.Object({
    ...pageQuery,
    definition: Type.Optional(Text),
    type: Type.Optional(oneOf(EVENT_KINDS)),
    from: instantQuery('Arrived at or after this instant (milliseconds since the epoch).'),
    to: instantQuery('Arrived before this instant (milliseconds since the epoch).'),
    requestId: Type.Optional(Uuid),
  }),
  answer: {
    status: 200,
    description: 'A page of events.',
    schema: boundedPageSchema(ListedEvent),
    example: { items: [LISTED_EVENT_EXAMPLE], nextCursor: null },
  },
});
