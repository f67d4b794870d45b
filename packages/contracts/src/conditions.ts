import type { Channel } from './channels.ts';
import type { EventKind, ProfileField } from './ingest.ts';
import type { Purpose } from './purposes.ts';

/** The version of the condition language. It may stand at the top of a condition. */
export const CONDITION_VERSION = 1;

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

/** An event that follows another, at most `in` after it. */
export type FollowingEvent = {
  readonly event: EventReference;
  readonly where?: readonly AttributeComparison[];
  readonly in?: Duration;
};

/** Profile fields of a condition, besides those of a `user` message. */
export const DERIVED_FIELDS = ['registeredAt', 'timeZone'] as const;
export type ConditionField = ProfileField | (typeof DERIVED_FIELDS)[number];

export type FieldCondition = Comparison & {
  readonly field: ConditionField;
  readonly proved?: boolean;
};
export type AttributeCondition = AttributeComparison & { readonly proved?: boolean };
export type EventCondition = EventWindow & {
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
export type SegmentCondition = { readonly segment: string };
export type ReachableCondition = { readonly reachable: Channel; readonly purpose?: Purpose };

export const MESSAGE_MILESTONES = ['sent', 'delivered', 'opened', 'clicked'] as const;
export type MessageMilestone = (typeof MESSAGE_MILESTONES)[number];
export type MessageCondition = EventWindow & {
  readonly message: { readonly campaignId: string };
  readonly was: MessageMilestone;
};

/** A condition over users: true or false of each registered user. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | FieldCondition
  | AttributeCondition
  | EventCondition
  | SegmentCondition
  | ReachableCondition
  | MessageCondition;

/** A condition has exactly one of these keys. */
export const CONDITION_KEYS = [
  'all',
  'any',
  'not',
  'field',
  'attribute',
  'event',
  'segment',
  'reachable',
  'message',
] as const;
export type ConditionKey = (typeof CONDITION_KEYS)[number];
