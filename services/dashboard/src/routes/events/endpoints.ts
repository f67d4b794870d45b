import { EVENT_KINDS } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { CustomUserId, Text, Uuid, oneOf, pageQuery, pageSchema } from '../schemas.ts';
import { EVENT_EXAMPLE, EVENT_FIELDS } from './event-schema.ts';

/** The last millisecond that a date of JavaScript can be. */
const INSTANT_MAX = 8_640_000_000_000_000;

const instant = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: INSTANT_MAX, description }));

const Event = Type.Object({ ...EVENT_FIELDS, requestId: Uuid, customUserId: Type.Optional(CustomUserId) }, { title: 'ListedEvent' });

export const listEventsEndpoint = endpoint({
  method: 'GET',
  path: 'events',
  access: 'reader',
  summary: 'Events of registered users and of no user, newest first by arrival',
  description: 'A page costs a bounded look: with a filter it may have fewer items than the limit, or none, and still a nextCursor.',
  query: Type.Object({
    ...pageQuery,
    definition: Type.Optional(Text),
    type: Type.Optional(oneOf(EVENT_KINDS)),
    from: instant('Arrived at this millisecond since the epoch, or later.'),
    to: instant('Arrived before this millisecond since the epoch.'),
    requestId: Type.Optional(Uuid),
  }),
  answer: {
    status: 200,
    description: 'A page of events.',
    schema: pageSchema(Event),
    example: { items: [{ ...EVENT_EXAMPLE, requestId: '01a1fda0-7f01-73ac-9ab1-82b6d3569097', customUserId: 'ada' }], nextCursor: null },
  },
});
