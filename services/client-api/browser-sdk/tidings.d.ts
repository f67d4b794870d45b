/**
 * The types of `tidings`, the browser SDK. A page in TypeScript keeps a copy of this file
 * (`GET /sdk/v1/tidings.d.ts`), or refers to it, and `window.tidings` is known.
 */

/** Whether the service took a request; calls while offline answer when the network is back. */
export type TidingsResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export type TidingsOptions = {
  readonly applicationId: string;
  /** A Client key (`ck_…`): it stands in the page, so it is no secret. Never a Server key. */
  readonly clientKey: string;
  /** Where the service is; by default where the script came from. */
  readonly baseUrl?: string;
  /** The page's own service worker, which imports `sw.js`; registered only where the page has no worker yet. */
  readonly serviceWorker?: string;
  /** The text of the close button, read to those who cannot see it. */
  readonly closeLabel?: string;
  /** `false`: messages are not shown. For pages such as a checkout. */
  readonly showMessages?: boolean;
  /** Is told what went wrong; the SDK itself never throws and never writes to the console. */
  readonly onProblem?: (problem: {
    readonly code: string;
    readonly detail?: string | undefined;
  }) => void;
};

/** A text names an event, which is made when it is new; a slug names one that the dashboard knows. */
export type TidingsEventName = string | { readonly slug: string };

export type TidingsValue =
  | string
  | number
  | boolean
  | null
  | readonly TidingsValue[]
  | { readonly [key: string]: TidingsValue };
export type TidingsAttributes = { readonly [key: string]: TidingsValue | Date | undefined };

/** Fields of the profile. `null` clears a field, what is absent stays. */
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
  /** Milliseconds since 1970; negative before. */
  readonly birthday?: number | null;
  /** No array at the top level. */
  readonly customAttributes?: TidingsAttributes | null;
};

/**
 * `unsupported`: not this browser, or not over https; `denied`: the person said no, and only they can change that in the
 * browser's settings; `default`: nobody has been asked; `unsubscribed`: allowed, but not subscribed.
 */
export type TidingsPushState = 'unsupported' | 'denied' | 'default' | 'unsubscribed' | 'subscribed';
export type TidingsPushResult = {
  readonly ok: boolean;
  readonly state: TidingsPushState;
  readonly reason?: string;
};

export interface TidingsPush {
  /** Asks for permission where nobody has been asked: call it when the person has clicked something. */
  subscribe(): Promise<TidingsPushResult>;
  unsubscribe(): Promise<TidingsPushResult>;
  state(): Promise<TidingsPushState>;
}

export interface Tidings {
  readonly push: TidingsPush;
  /** Once for each page, before or after any other call: what is called earlier waits for it. */
  init(options: TidingsOptions): Promise<TidingsResult>;
  /**
   * Who the person is: a user token, which only the back end can sign. Call it at each load of the page. The token is sent
   * once a day, and again at once when the service says that no token has proved whose device this is.
   */
  identify(userToken: string): Promise<TidingsResult>;
  /** The person has gone: what comes now is of a new, unknown one. */
  logout(): Promise<TidingsResult>;
  setUser(fields: TidingsUserFields): void;
  track(event: TidingsEventName, attributes?: TidingsAttributes): void;
  /** `currency`: ISO 4217, in capitals. */
  revenue(event: TidingsEventName, amount: number, currency: string): void;
}

declare global {
  interface Window {
    tidings: Tidings;
  }
}
