import { LIMITS } from '../../limits.ts';
import { SLUG_DESCRIPTION, SLUG_PATTERN } from '../../slug.ts';
import { STORABLE } from '../../storable-text.ts';

/** JSON Schemas of the parts that conditions of several kinds have. */

export const DURATION = {
  type: 'string',
  pattern: '^[1-9][0-9]{0,6}[mhdw]$',
  description: 'a whole number and m, h, d or w, from 1m to 3650d',
};
export const STORABLE_TEXT = {
  pattern: STORABLE,
  description: 'text without U+0000 or lone surrogates',
};
export const TEXT = {
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
const VALUES = {
  type: 'array',
  minItems: 1,
  maxItems: LIMITS.conditionValuesMax,
  items: VALUE,
};
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
export const RANGE = {
  type: 'object',
  properties: bounds,
  minProperties: 1,
  additionalProperties: false,
};
export const comparison = {
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
export const PATH = {
  type: ['string', 'array'],
  minLength: 1,
  maxLength: LIMITS.conditionTextCharsMax,
  ...STORABLE_TEXT,
  minItems: 1,
  maxItems: LIMITS.messageDepthMax,
  items: TEXT,
};
export const window = { within: DURATION, from: INSTANT, to: INSTANT };
export const PROVED = { type: 'boolean' };
export const SLUG = {
  type: 'string',
  pattern: SLUG_PATTERN,
  description: SLUG_DESCRIPTION,
};
