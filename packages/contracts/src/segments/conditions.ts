import {
  LEAF_KINDS,
  type FactCondition,
  type FactKind,
  type LeafCondition,
  type LeafKind,
  type LeafOf,
} from './leaves/descriptors.ts';

/** The version of the condition language. It may stand at the top of a condition. */
export const CONDITION_VERSION = 1;

/** A condition over users: true or false of each registered user. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | LeafCondition;

/** A condition has exactly one of these keys. */
export type ConditionKey = 'all' | 'any' | 'not' | LeafKind;
export const CONDITION_KEYS: readonly ConditionKey[] = ['all', 'any', 'not', ...LEAF_KINDS];

/** A condition by its structure, so that a `switch` tells its forms apart. */
export type ConditionNode =
  | {
      readonly type: 'group';
      readonly key: 'all' | 'any';
      readonly children: readonly Condition[];
    }
  | { readonly type: 'not'; readonly key: 'not'; readonly child: Condition }
  | { readonly type: 'segment'; readonly key: 'segment'; readonly leaf: LeafOf<'segment'> }
  | { readonly type: 'fact'; readonly key: FactKind; readonly leaf: FactCondition };

/** @throws {TypeError} for an object with none of the keys, which no valid condition is */
export function nodeOf(condition: Condition): ConditionNode {
  const key = CONDITION_KEYS.find((each) => Object.hasOwn(condition, each));
  if (key === undefined) throw new TypeError('a condition has one of its keys');
  const value = (condition as Readonly<Record<string, unknown>>)[key];
  if (key === 'all' || key === 'any')
    return { type: 'group', key, children: value as readonly Condition[] };
  if (key === 'not') return { type: 'not', key, child: value as Condition };
  if (key === 'segment') return { type: 'segment', key, leaf: condition as LeafOf<'segment'> };
  return { type: 'fact', key, leaf: condition as FactCondition };
}
