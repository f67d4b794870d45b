import { EVENT_KINDS } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Text, Uuid, boundedPageSchema, instantQuery, oneOf, pageQuery } from '../schemas.ts';
import { LISTED_EVENT_EXAMPLE, ListedEvent } from '../listed-event.ts';

export const listEventsEndpoint = endpoint({
  name: 'listEvents',
  method: 'GET',
  path: 'events',
  access: 'reader',
  summary: 'Events of registered users and of no user, newest first by arrival',
  description:
    'A page costs a bounded look: with a filter it may have fewer items than the limit, or none, and still a nextCursor, and `lookedBackTo` then says how far it came.',
  query: Type.Object({
    ...pageQuery,
    definition: Type.Optional(Text),
    type: Type.Optional(oneOf(EVENT_KINDS)),
    from: instantQuery('Arrived at this millisecond since the epoch, or later.'),
    to: instantQuery('Arrived before this millisecond since the epoch.'),
    requestId: Type.Optional(Uuid),
  }),
  answer: {
    status: 200,
    description: 'A page of events.',
    schema: boundedPageSchema(ListedEvent),
    example: { items: [LISTED_EVENT_EXAMPLE], nextCursor: null },
  },
});
