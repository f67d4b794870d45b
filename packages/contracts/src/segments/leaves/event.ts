import { EVENT_CURRENCIES } from '../../currencies.ts';
import { EVENT_KINDS } from '../../ingest/ingest.ts';
import { LIMITS } from '../../limits.ts';
import type { LeafDescriptor, Phrases } from './descriptor.ts';
import type {
  AttributeComparison,
  Duration,
  EventReference,
  EventWindow,
  NumberRange,
} from './parts.ts';
import {
  comparison,
  DURATION,
  PATH,
  PROVED,
  RANGE,
  STORABLE_TEXT,
  TEXT,
  window,
} from './schemas.ts';

/** An event that follows another, at most `in` after it. */
export type FollowingEvent = {
  readonly event: EventReference;
  readonly where?: readonly AttributeComparison[];
  readonly in?: Duration;
};

type EventCondition = EventWindow & {
  readonly event: EventReference;
  readonly where?: readonly AttributeComparison[];
  /** Default: at least one. */
  readonly count?: NumberRange;
  /** Revenue in `currency`. */
  readonly sum?: NumberRange;
  readonly currency?: string;
  readonly followedBy?: FollowingEvent;
  readonly notFollowedBy?: FollowingEvent;
  /** Only events whose sender is known to speak for the user. */
  readonly proved?: boolean;
};

const EVENT = {
  type: ['string', 'object'],
  minLength: 1,
  maxLength: LIMITS.nameCharsMax,
  ...STORABLE_TEXT,
  required: ['kind', 'name'],
  properties: {
    kind: { type: 'string', enum: [...EVENT_KINDS] },
    name: { ...TEXT, maxLength: LIMITS.customNameCharsMax },
  },
  additionalProperties: false,
};
const WHERE = {
  type: 'array',
  minItems: 1,
  maxItems: LIMITS.conditionLeavesMax,
  items: {
    type: 'object',
    required: ['attribute'],
    properties: { attribute: PATH, ...comparison },
    additionalProperties: false,
  },
};
const FOLLOWING = {
  type: 'object',
  required: ['event'],
  properties: { event: EVENT, where: WHERE, in: DURATION },
  additionalProperties: false,
};

export const event = {
  meaning:
    '`count` events (default `{"gte": 1}`) of this definition, with `where` and in the window. A definition is a slug, or `{"kind", "name"}`',
  schema: {
    properties: {
      event: EVENT,
      ...window,
      where: WHERE,
      count: RANGE,
      sum: RANGE,
      currency: {
        type: 'string',
        enum: EVENT_CURRENCIES,
        description: 'an ISO 4217 code in capitals',
      },
      followedBy: FOLLOWING,
      notFollowedBy: FOLLOWING,
      proved: PROVED,
    },
  },
  label: 'Event',
  initial: { event: '', count: { gte: 1 }, within: '30d' },
  names: ['event'],
  words: describeEvent,
  fields: null,
} as const satisfies LeafDescriptor<EventCondition>;

function describeEvent(node: EventCondition, say: Phrases): string {
  const { count = { gte: 1 }, sum, currency = '', where } = node;
  const parts = [
    `“${say.event(node.event)}” ${say.times(count)}`,
    ...(sum === undefined ? [] : [`with revenue ${say.range(sum)} ${currency}`.trimEnd()]),
    ...(where === undefined ? [] : [`where ${whereText(where, say)}`]),
  ];
  const following = (['followedBy', 'notFollowedBy'] as const).flatMap((key) => {
    const step = node[key];
    if (step === undefined) return [];
    const such = step.where === undefined ? '' : ` where ${whereText(step.where, say)}`;
    const within = step.in === undefined ? '' : ` within ${say.duration(step.in)}`;
    const word = key === 'followedBy' ? 'followed by' : 'not followed by';
    return [`${word} “${say.event(step.event)}”${such}${within}`];
  });
  const then = following.length > 0 ? `, ${following.join(', ')}` : '';
  return `${parts.join(' ')}${say.window(node)}${then}${say.proof(node)}`;
}

const whereText = (where: readonly AttributeComparison[], say: Phrases): string =>
  where.map((each) => `${say.path(each.attribute)} ${say.comparison(each)}`).join(' and ');
