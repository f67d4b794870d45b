import type { Channel } from './channels.ts';
import type { Rate, RateName } from './limits.ts';
import type { FrequencyCap, QuietHours, WithDefault } from './policies.ts';
import type { UserTokenRule } from './client-side.ts';

/** Settings of an application that the operator may change; absent ones have the default named here. */
export type ApplicationSettings = {
  /** Subject of an e-mail without a title. */
  readonly defaultSubject?: string;
  /** Whether e-mails tell when they are opened and their links followed (default true). */
  readonly tracking?: boolean;
  /** Send through a channel whose test send never succeeded (default false). */
  readonly sendUntested?: boolean;
  /** ISO 3166-1 alpha-2 country of phone numbers that come without one (default: none, such numbers have no E.164 form). */
  readonly defaultCountry?: string;
  /** The second duplicate rule also for users that a message names by customUserId alone (default false). */
  readonly dedupeResolvedUsers?: boolean;
  /** Client keys may change profiles and contacts of all users without a proof (default false). */
  readonly clientKeysChangeContacts?: boolean;
  /** A new customName that a Client key sends makes a definition (default true). */
  readonly clientKeysDefineEvents?: boolean;
  /** Client keys may call from any address, whatever the allow-list says (default false). */
  readonly allowListExemptsClientKeys?: boolean;
  /** Rates of this application's requests; what is absent is the operator's default, 0 is no limit. */
  readonly rates?: { readonly [name in RateName]?: Rate };
  /** IANA name of the time zone that days are counted in, and quiet hours of users whose own is not known (default UTC). */
  readonly timeZone?: string;
  /** When nobody gets marketing, by channel (default: never). */
  readonly quietHours?: WithDefault<QuietHours>;
  /** How much marketing a user gets, by channel (default: no limit). */
  readonly frequencyCaps?: WithDefault<FrequencyCap>;
  /** Messages handed over on one day, of SMS segments; 0 and absent: no limit. */
  readonly dailyCaps?: { readonly [channel in Channel]?: number };
  /** Whether a send whose outcome is unknown is made again (default: where a repeat does no harm). */
  readonly resendOnUnknown?: { readonly [channel in Channel]?: boolean };
  /** Whether devices may name a customUserId without a user token (default: they may not). */
  readonly userTokens?: UserTokenRule;
  /** Days that events are kept (default: as long as the operator keeps them). */
  readonly eventRetentionDays?: number;
};
