import { CHANNELS } from './channels.ts';
import {
  CONDITION_KEYS,
  CONDITION_VERSION,
  DERIVED_FIELDS,
  MESSAGE_MILESTONES,
  type ConditionKey,
} from './conditions.ts';
import { EVENT_CURRENCIES } from './currencies.ts';
import { EVENT_KINDS, PROFILE_FIELDS } from './ingest.ts';
import { LIMITS } from './limits.ts';
import { PURPOSES } from './purposes.ts';
import { SLUG_DESCRIPTION, SLUG_PATTERN } from './slug.ts';
import { STORABLE } from './storable-text.ts';

const DURATION = {
  type: 'string',
  pattern: '^[1-9][0-9]{0,6}[mhdw]$',
  description: 'a whole number and m, h, d or w, from 1m to 3650d',
};
const STORABLE_TEXT = {
  pattern: STORABLE,
  description: 'text without U+0000 or lone surrogates',
};
const TEXT = {
  type: 'string',
  minLength: 1,
  maxLength: LIMITS.conditionTextCharsMax,
  ...STORABLE_TEXT,
};
/** The range of a JavaScript date. */
const INSTANT_MS_MAX = 8_640_000_000_000_000;
const INSTANT = {
  type: 'integer',
  minimum: -INSTANT_MS_MAX,
  maximum: INSTANT_MS_MAX,
  description: 'milliseconds since the epoch',
};
const NUMBER = { type: 'number' };
/** Text may be empty here: a profile may hold an empty text. */
const VALUE = {
  type: ['string', 'number', 'boolean'],
  maxLength: LIMITS.conditionTextCharsMax,
  ...STORABLE_TEXT,
};
const VALUES = { type: 'array', minItems: 1, maxItems: LIMITS.conditionValuesMax, items: VALUE };
const MOMENT = {
  type: ['integer', 'object'],
  minimum: -INSTANT_MS_MAX,
  maximum: INSTANT_MS_MAX,
  properties: { ago: DURATION, ahead: DURATION },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
};

const bounds = { gt: NUMBER, gte: NUMBER, lt: NUMBER, lte: NUMBER };
const RANGE = { type: 'object', properties: bounds, minProperties: 1, additionalProperties: false };
const comparison = {
  ...bounds,
  is: VALUE,
  isNot: VALUE,
  in: VALUES,
  notIn: VALUES,
  exists: { type: 'boolean' },
  contains: TEXT,
  startsWith: TEXT,
  before: MOMENT,
  after: MOMENT,
};
const PATH = {
  type: ['string', 'array'],
  minLength: 1,
  maxLength: LIMITS.conditionTextCharsMax,
  ...STORABLE_TEXT,
  minItems: 1,
  maxItems: LIMITS.messageDepthMax,
  items: TEXT,
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
const window = { within: DURATION, from: INSTANT, to: INSTANT };
const PROVED = { type: 'boolean' };
const SLUG = {
  type: 'string',
  pattern: SLUG_PATTERN,
  description: SLUG_DESCRIPTION,
};

const NODE = { $ref: '#/$defs/condition' };
const NODES = { type: 'array', minItems: 1, maxItems: LIMITS.conditionLeavesMax, items: NODE };

/** The properties of a condition by its key. Required are the key itself and those named. */
const SHAPES = {
  all: { properties: { all: NODES } },
  any: { properties: { any: NODES } },
  not: { properties: { not: NODE } },
  field: {
    properties: {
      field: {
        type: 'string',
        enum: [...PROFILE_FIELDS, ...DERIVED_FIELDS],
        description: 'a profile field, registeredAt or timeZone',
      },
      ...comparison,
      proved: PROVED,
    },
  },
  attribute: { properties: { attribute: PATH, ...comparison, proved: PROVED } },
  event: {
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
  segment: { properties: { segment: SLUG } },
  reachable: {
    properties: {
      reachable: { type: 'string', enum: [...CHANNELS] },
      purpose: { type: 'string', enum: [...PURPOSES] },
    },
  },
  message: {
    required: ['was'],
    properties: {
      message: {
        type: 'object',
        required: ['campaignId'],
        properties: { campaignId: { type: 'string', format: 'uuid', description: 'a UUID' } },
        additionalProperties: false,
      },
      was: { type: 'string', enum: [...MESSAGE_MILESTONES] },
      ...window,
    },
  },
} as const satisfies Record<ConditionKey, object>;

/** The first of its keys decides the shape: a chain, so that a fault is reported once. */
function chainOf(keys: readonly ConditionKey[], version: object): object {
  const [key, ...others] = keys;
  if (key === undefined) return {};
  const { properties, ...rest } = SHAPES[key];
  return {
    if: { required: [key] },
    // Computed key: an object literal with `then` would look like a promise.
    ['then' as string]: {
      ...rest,
      properties: { ...properties, ...version },
      additionalProperties: false,
    },
    else: chainOf(others, version),
  };
}

const condition = (version: object): object => ({
  type: 'object',
  oneOf: CONDITION_KEYS.map((key) => ({ required: [key] })),
  ...chainOf(CONDITION_KEYS, version),
});

/**
 * The JSON Schema of a condition. Not in it: rules that need the application (definitions,
 * segments) and bounds of the whole; `@tidings/segments` checks these.
 */
export const ConditionSchema: object = {
  ...condition({ version: { const: CONDITION_VERSION } }),
  $defs: { condition: condition({}) },
};

/** The slug of a segment. */
export const SegmentSlugSchema: object = SLUG;
