import { CONDITION_VERSION } from './conditions.ts';
import { LEAF_DESCRIPTORS, LEAF_KINDS } from './leaves/descriptors.ts';
import { LIMITS } from '../limits.ts';
import { oneOfKeys, type KeyedShape } from './one-of-keys.ts';

const NODE = { $ref: '#/$defs/condition' };
const NODES = { type: 'array', minItems: 1, maxItems: LIMITS.conditionLeavesMax, items: NODE };

/** The shapes of a condition by its key. */
const SHAPES: Readonly<Record<string, KeyedShape>> = {
  all: { properties: { all: NODES } },
  any: { properties: { any: NODES } },
  not: { properties: { not: NODE } },
  ...Object.fromEntries(LEAF_KINDS.map((kind) => [kind, LEAF_DESCRIPTORS[kind].schema])),
};

const condition = (version: Readonly<Record<string, object>>): object => ({
  type: 'object',
  ...oneOfKeys(
    Object.fromEntries(
      Object.entries(SHAPES).map(([key, { properties, ...rest }]) => [
        key,
        { ...rest, properties: { ...properties, ...version } },
      ]),
    ),
  ),
});

/**
 * The JSON Schema of a condition. Not in it: rules that need the application (definitions,
 * segments) and bounds of the whole; `@tidings/segments` checks these.
 */
export const ConditionSchema: object = {
  ...condition({ version: { const: CONDITION_VERSION } }),
  $defs: { condition: condition({}) },
};
