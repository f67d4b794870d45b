import type { Channel } from './channels.ts';

/** What becomes of a marketing message that may not be sent now: it waits until it may, or it fails. */
export const POLICY_ACTIONS = ['hold', 'drop'] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

/** Local times of day, `HH:MM`, between which nobody gets marketing; over midnight where `from` is the later one, never where both are the same. */
export type QuietHours = {
  readonly from: string;
  readonly to: string;
  /** Default: hold. */ readonly action?: PolicyAction;
};

/** So many marketing messages at most for one user on one channel within any `windowHours`; 0 is no limit. */
export type FrequencyCap = {
  readonly messages: number;
  readonly windowHours: number;
  /** Default: drop. */ readonly action?: PolicyAction;
};

/** Something for each channel; `default` for those without one of their own. */
export type WithDefault<T> = { readonly [channel in Channel | 'default']?: T };

export const FREQUENCY_WINDOW_HOURS_MAX = 30 * 24;

/** The custom attribute of a profile that has the user's time zone, by its IANA name. */
export const TIME_ZONE_ATTRIBUTE = 'timeZone';

export const DEFAULT_TIME_ZONE = 'UTC';
