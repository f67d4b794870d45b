import type { Channel } from './channels/channels.ts';

/** What happens to a marketing message that must not be sent now: it waits or it fails. */
export const POLICY_ACTIONS = ['hold', 'drop'] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

/**
 * Local times of day (`HH:MM`) without marketing. The period spans midnight if `from` is later than
 * `to`, and is empty if both are equal.
 */
export type QuietHours = {
  readonly from: string;
  readonly to: string;
  /** Default: hold. */ readonly action?: PolicyAction;
};

/** Maximum marketing messages for one user on one channel within any `windowHours`; 0: no limit. */
export type FrequencyCap = {
  readonly messages: number;
  readonly windowHours: number;
  /** Default: drop. */ readonly action?: PolicyAction;
};

/** A value per channel; `default` applies to channels without one. */
export type WithDefault<T> = { readonly [channel in Channel | 'default']?: T };

export const FREQUENCY_WINDOW_HOURS_MAX = 30 * 24;

/** The custom attribute of a profile with the user's IANA time zone. */
export const TIME_ZONE_ATTRIBUTE = 'timeZone';

export const DEFAULT_TIME_ZONE = 'UTC';
