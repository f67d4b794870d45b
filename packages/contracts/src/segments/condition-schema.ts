import { CONDITION_KEYS, CONDITION_VERSION, type ConditionKey } from './conditions.ts';
import { LEAF_DESCRIPTORS, LEAF_KINDS } from './leaves/descriptors.ts';
import { LIMITS } from '../limits.ts';

const NODE = { $ref: '#/$defs/condition' };
const NODES = { type: 'array', minItems: 1, maxItems: LIMITS.conditionLeavesMax, items: NODE };

/** The properties of a condition by its key. Required are the key itself and those named. */
const SHAPES = {
  all: { properties: { all: NODES } },
  any: { properties: { any: NODES } },
  not: { properties: { not: NODE } },
  ...Object.fromEntries(LEAF_KINDS.map((kind) => [kind, LEAF_DESCRIPTORS[kind].schema])),
} as Readonly<Record<ConditionKey, { readonly properties: object }>>;

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
