import type { Channel } from './channels/channels.ts';
import type { Rate, RateName } from './limits.ts';
import type { FrequencyCap, QuietHours, WithDefault } from './policies.ts';
import type { UserTokenRule } from './client-side.ts';

/** Settings of an application that the operator may change. Defaults are given per setting. */
export type ApplicationSettings = {
  /** Subject of an e-mail without a title. */
  readonly defaultSubject?: string;
  /** Whether opens and clicks of e-mails are tracked (default true). */
  readonly tracking?: boolean;
  /** Whether it is kept what was filled into personal messages (default true). */
  readonly keepSentMessages?: boolean;
  /** Whether to send on a channel without a successful test send (default false). */
  readonly sendUntested?: boolean;
  /**
   * ISO 3166-1 alpha-2 country of phone numbers without a country code (default none: such numbers
   * have no E.164 form).
   */
  readonly defaultCountry?: string;
  /**
   * Whether the second duplicate rule (same user and time) also applies to users named by
   * customUserId alone (default false).
   */
  readonly dedupeResolvedUsers?: boolean;
  /**
   * Whether Client keys may change profiles and contacts of all users without a proof (default
   * false).
   */
  readonly clientKeysChangeContacts?: boolean;
  /** Whether a new customName from a Client key creates a definition (default true). */
  readonly clientKeysDefineEvents?: boolean;
  /** Whether Client keys may be used from any address, despite the allow-list (default false). */
  readonly allowListExemptsClientKeys?: boolean;
  /** Request rates of this application. Absent: the operator's default; 0: no limit. */
  readonly rates?: { readonly [name in RateName]?: Rate };
  /** IANA time zone for days, and for quiet hours of users with unknown time zone (default UTC). */
  readonly timeZone?: string;
  /** Times without marketing messages, by channel (default none). */
  readonly quietHours?: WithDefault<QuietHours>;
  /** Maximum marketing messages per user, by channel (default no limit). */
  readonly frequencyCaps?: WithDefault<FrequencyCap>;
  /** Maximum messages sent per day; for SMS, segments. 0 or absent: no limit. */
  readonly dailyCaps?: { readonly [channel in Channel]?: number };
  /** Whether a send with an unknown outcome is repeated (default: if a repeat is idempotent). */
  readonly resendOnUnknown?: { readonly [channel in Channel]?: boolean };
  /** Whether devices may name a customUserId without a user token (default no). */
  readonly userTokens?: UserTokenRule;
  /** Retention of events in days (default: the operator's). */
  readonly eventRetentionDays?: number;
};
