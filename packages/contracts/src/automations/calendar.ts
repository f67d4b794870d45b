import { LIMITS } from '../limits.ts';
import type { AttributePath, Duration } from '../segments/leaves/parts.ts';
import { oneOfKeys, type KeyedShape } from '../segments/one-of-keys.ts';
import { DURATION, PATH, SLUG } from '../segments/leaves/schemas.ts';

/** In the order of JavaScript's days. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** `user`: the attribute `timeZone`, else that of the device seen last, else the application's. */
export const ZONE_OWNERS = ['user', 'application'] as const;

/** Profile fields that are dates. */
export const DATE_FIELDS = ['birthday', 'registeredAt'] as const;

/** A date of a person. */
export type PersonDate =
  | { readonly attribute: AttributePath; readonly field?: never }
  | { readonly field: (typeof DATE_FIELDS)[number]; readonly attribute?: never };

/** A duration, with `-` before: earlier. */
export type Offset = Duration;

/** The next time that a clock shows it, on an allowed day. */
export type UntilTime = {
  /** `HH:MM`. */
  readonly time: string;
  /** Default: every day. */
  readonly days?: readonly Weekday[];
  /** Whose clock it is. Default: `user`. */
  readonly zone?: (typeof ZONE_OWNERS)[number];
};
/** A date of the person, in their zone. */
export type UntilDate = PersonDate & { readonly offset?: Offset; readonly time?: string };
/** Waits. What is past or missing it does not wait for. */
export type UntilNode = { readonly id: string; readonly until: UntilTime | UntilDate };

/** Enters those who are in a segment, at instants of a clock. */
export type ScheduleTrigger = {
  readonly schedule: {
    /** `minute hour day month weekday`. */
    readonly cron: string;
    /** Default: the application's. */
    readonly timeZone?: string;
  };
  readonly segment: string;
};
/** Enters each person at an instant of their own. */
export type DateTrigger = {
  readonly date: PersonDate;
  readonly offset?: Offset;
  /** `HH:MM` of that day, in the zone of the person. */
  readonly at: string;
  /** Also on this day of each later year. */
  readonly yearly?: boolean;
  /** An instant that is past by more when it becomes known enters no one. Default: 1d. */
  readonly maxAge?: Duration;
};
export const DATE_MAX_AGE = '1d';

const TIME = {
  type: 'string',
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'a time of day, HH:MM',
};
const OFFSET = {
  type: 'string',
  pattern: `^-?${DURATION.pattern.slice(1)}`,
  description: `a whole number and m, h, d or w, with - before it for earlier, at most ${LIMITS.automationDelayDaysMax}d`,
};
const DATE_SHIFT = { offset: OFFSET, time: TIME };

const shape = (properties: object) => ({ properties, additionalProperties: false });
const chosenBy = (key: string, chosen: object, other: object) => ({
  if: { required: [key] },
  // Computed key: an object literal with `then` would look like a promise.
  ['then' as string]: chosen,
  else: other,
});

/** A date has its own key, and may have a time too; else it is a time. */
export const UNTIL = {
  type: 'object',
  ...chosenBy(
    'attribute',
    shape({ attribute: PATH, ...DATE_SHIFT }),
    chosenBy('field', shape({ field: { type: 'string', enum: DATE_FIELDS }, ...DATE_SHIFT }), {
      required: ['time'],
      ...shape({
        time: TIME,
        days: {
          type: 'array',
          minItems: 1,
          maxItems: WEEKDAYS.length,
          uniqueItems: true,
          items: { type: 'string', enum: WEEKDAYS },
        },
        zone: { type: 'string', enum: ZONE_OWNERS },
      }),
    }),
  ),
};

export const SCHEDULE_TRIGGER: KeyedShape = {
  required: ['segment'],
  properties: {
    schedule: {
      type: 'object',
      required: ['cron'],
      ...shape({
        cron: { type: 'string', minLength: 1, maxLength: 256 },
        timeZone: { type: 'string', maxLength: 64 },
      }),
    },
    segment: SLUG,
  },
};
export const DATE_TRIGGER: KeyedShape = {
  required: ['at'],
  properties: {
    date: {
      type: 'object',
      ...oneOfKeys({
        attribute: { properties: { attribute: PATH } },
        field: { properties: { field: { type: 'string', enum: DATE_FIELDS } } },
      }),
    },
    offset: OFFSET,
    at: TIME,
    yearly: { type: 'boolean' },
    maxAge: DURATION,
  },
};
