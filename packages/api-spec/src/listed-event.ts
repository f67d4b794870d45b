import { Type } from 'typebox';
import { CustomUserId, Uuid } from './schemas.ts';
import { EVENT_EXAMPLE, EVENT_FIELDS } from './event-schema.ts';

/** An event in a list of all users' events. */
export const ListedEvent = Type.Object(
  { ...EVENT_FIELDS, requestId: Uuid, customUserId: Type.Optional(CustomUserId) },
  { title: 'ListedEvent' },
);

export const LISTED_EVENT_EXAMPLE = {
  ...EVENT_EXAMPLE,
  requestId: '01a1fda0-7f01-73ac-9ab1-82b6d3569097',
  customUserId: 'ada',
};
