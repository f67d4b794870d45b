import type { EventKind } from '../../ingest/ingest.ts';

/** A whole number and its unit: minutes, hours, days of 24 hours, or weeks. From 1m to 3650d. */
export type Duration = string;
export type ConditionValue = string | number | boolean;
/** Milliseconds since the epoch, or an instant before or after the moment of the question. */
export type ConditionInstant = number | { readonly ago: Duration } | { readonly ahead: Duration };

/** Numbers, with at least one bound. */
export type NumberRange = {
  readonly gt?: number;
  readonly gte?: number;
  readonly lt?: number;
  readonly lte?: number;
};

/**
 * What a value is compared with: one operator, or one group of bounds. A value of another type, or
 * none, makes it false; `isNot` and `notIn` are the opposite of `is` and `in`.
 */
export type Comparison = NumberRange & {
  readonly is?: ConditionValue;
  readonly isNot?: ConditionValue;
  readonly in?: readonly ConditionValue[];
  readonly notIn?: readonly ConditionValue[];
  readonly exists?: boolean;
  readonly contains?: string;
  readonly startsWith?: string;
  readonly before?: ConditionInstant;
  readonly after?: ConditionInstant;
};

/** Operators that stand alone, and groups whose members stand together. */
export const COMPARISON_GROUPS = [
  ['is'],
  ['isNot'],
  ['in'],
  ['notIn'],
  ['exists'],
  ['contains'],
  ['startsWith'],
  ['gt', 'gte', 'lt', 'lte'],
  ['before', 'after'],
] as const satisfies readonly (readonly (keyof Comparison)[])[];

/** The last `within` up to now, or from an instant (included) to another (excluded). */
export type EventWindow = {
  readonly within?: Duration;
  readonly from?: number;
  readonly to?: number;
};

/** A key, or the keys on the way to a nested value. */
export type AttributePath = string | readonly string[];
export type AttributeComparison = Comparison & { readonly attribute: AttributePath };

/** A definition by its slug, or by kind and name. */
export type EventReference = string | { readonly kind: EventKind; readonly name: string };
