/**
 * Types of `tidings`, the browser SDK. In a TypeScript page, keep a copy of this file (`GET
 * /sdk/v1/tidings.d.ts`) or refer to it; it declares `window.tidings`.
 */

/** Whether the service accepted the call. Offline calls resolve when the network is back. */
export type TidingsResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export type TidingsOptions = {
  readonly applicationId: string;
  /**
   * A Client key (`ck_…`). It is visible in the page, so it is not secret. Never use a Server key
   * here.
   */
  readonly clientKey: string;
  /** URL of the service. Default: the host of the script. */
  readonly baseUrl?: string;
  /**
   * Path of your service worker, which imports `sw.js`. Registered only if the page has no service
   * worker yet.
   */
  readonly serviceWorker?: string;
  /** Label of the close button for screen readers. */
  readonly closeLabel?: string;
  /** `false`: show no messages, for example on a checkout page. */
  readonly showMessages?: boolean;
  /** Called with errors. The SDK never throws and never writes to the console. */
  readonly onProblem?: (problem: {
    readonly code: string;
    readonly detail?: string | undefined;
  }) => void;
};

/**
 * A text is the name of an event, which is created if new. A slug refers to an event that is
 * defined in the dashboard.
 */
export type TidingsEventName = string | { readonly slug: string };

export type TidingsValue =
  | string
  | number
  | boolean
  | null
  | readonly TidingsValue[]
  | { readonly [key: string]: TidingsValue };
export type TidingsAttributes = { readonly [key: string]: TidingsValue | Date | undefined };

/** Profile fields. `null` removes a field; absent fields stay unchanged. */
export type TidingsUserFields = {
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  readonly phoneNumber?: string | null;
  readonly hashedPhoneNumber?: string | null;
  readonly email?: string | null;
  readonly hashedEmail?: string | null;
  readonly country?: string | null;
  readonly city?: string | null;
  readonly region?: string | null;
  readonly locality?: string | null;
  readonly gender?: string | null;
  /** Milliseconds since 1970; negative for earlier dates. */
  readonly birthday?: number | null;
  /** Top-level values must not be arrays. */
  readonly customAttributes?: TidingsAttributes | null;
};

/**
 * - `unsupported`: by this browser, or without https
 * - `denied`: refused; only the user can change this, in the browser settings
 * - `default`: not asked yet
 * - `unsubscribed`: allowed, but not subscribed
 */
export type TidingsPushState = 'unsupported' | 'denied' | 'default' | 'unsubscribed' | 'subscribed';
export type TidingsPushResult = {
  readonly ok: boolean;
  readonly state: TidingsPushState;
  readonly reason?: string;
};

export interface TidingsPush {
  /** Asks for permission if needed. Call it from a click handler. */
  subscribe(): Promise<TidingsPushResult>;
  unsubscribe(): Promise<TidingsPushResult>;
  state(): Promise<TidingsPushState>;
}

export interface Tidings {
  readonly push: TidingsPush;
  /** Call once per page. Calls before it are queued. */
  init(options: TidingsOptions): Promise<TidingsResult>;
  /**
   * Identifies the user with a user token that your back end signs. Call it at each page load. The
   * SDK sends it once a day, and again when the service says that no token proved this device's
   * user.
   */
  identify(userToken: string): Promise<TidingsResult>;
  /** Logs out: later events belong to a new anonymous user. */
  logout(): Promise<TidingsResult>;
  setUser(fields: TidingsUserFields): void;
  track(event: TidingsEventName, attributes?: TidingsAttributes): void;
  /** `currency`: ISO 4217 in upper case, e.g. EUR. */
  revenue(event: TidingsEventName, amount: number, currency: string): void;
}

declare global {
  interface Window {
    tidings: Tidings;
  }
}
