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

/** How a condition asks about a later event. */
export const FOLLOWINGS = ['followedBy', 'notFollowedBy', 'neverFollowedBy'] as const;

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
  /** Only events that it follows, or does not follow, are counted. */
  readonly followedBy?: FollowingEvent;
  readonly notFollowedBy?: FollowingEvent;
  /** Of a person: it follows none of the counted events. */
  readonly neverFollowedBy?: FollowingEvent;
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
/** An event of a definition, with `where`: what conditions and automations name. */
export const EVENT_PARTS = { event: EVENT, where: WHERE };
const FOLLOWING = {
  type: 'object',
  required: ['event'],
  properties: { ...EVENT_PARTS, in: DURATION },
  additionalProperties: false,
};

export const event = {
  meaning:
    '`count` events (default `{"gte": 1}`) of this definition, with `where` and in the window. A definition is a slug, or `{"kind", "name"}`',
  schema: {
    properties: {
      ...EVENT_PARTS,
      ...window,
      count: RANGE,
      sum: RANGE,
      currency: {
        type: 'string',
        enum: EVENT_CURRENCIES,
        description: 'an ISO 4217 code in capitals',
      },
      followedBy: FOLLOWING,
      notFollowedBy: FOLLOWING,
      neverFollowedBy: FOLLOWING,
      proved: PROVED,
    },
  },
  label: 'Event',
  begins: ['did', 'did not'],
  initial: { event: '', count: { gte: 1 }, within: '30d' },
  names: ['event'],
  words: describeEvent,
  fields: null,
} as const satisfies LeafDescriptor<EventCondition>;

function describeEvent(node: EventCondition, say: Phrases): string {
  const { count = { gte: 1 }, sum, currency = '', where } = node;
  const { followedBy, notFollowedBy, neverFollowedBy } = node;
  const named = (step: FollowingEvent): string =>
    `“${say.event(step.event)}”${step.where === undefined ? '' : ` where ${whereText(step.where, say)}`}`;
  const within = ({ in: time }: FollowingEvent): string =>
    time === undefined ? '' : ` within ${say.duration(time)}`;
  const parts = [
    `“${say.event(node.event)}” ${say.times(count)}`,
    ...(sum === undefined ? [] : [`with revenue ${say.range(sum)} ${currency}`.trimEnd()]),
    ...(where === undefined ? [] : [`where ${whereText(where, say)}`]),
  ];
  const following = [
    ...(followedBy === undefined ? [] : [`followed by ${named(followedBy)}${within(followedBy)}`]),
    ...(notFollowedBy === undefined
      ? []
      : [`each without ${named(notFollowedBy)}${within(notFollowedBy)} after it`]),
    ...(neverFollowedBy === undefined
      ? []
      : [`and never ${named(neverFollowedBy)}${within(neverFollowedBy)} after any of them`]),
  ];
  const then = following.map((text) => `, ${text}`).join('');
  return `${parts.join(' ')}${say.window(node)}${then}${say.proof(node)}`;
}

const whereText = (where: readonly AttributeComparison[], say: Phrases): string =>
  where.map((each) => `${say.path(each.attribute)} ${say.comparison(each)}`).join(' and ');
