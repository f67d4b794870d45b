import type { Member } from '@tidings/accounts/members/member';
import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import { requestValue } from '@tidings/http/request-value';
import type { Recorder } from './recorder.ts';
import type { Cookies } from './session-cookie.ts';

/** The member who is signed in, and the token of the session. */
export type SignedIn = { readonly member: Member; readonly token: string };

/** How every request came in. The address is null when the proxies name none. */
export const connection = requestValue<{
  readonly address: string | null;
  readonly cookies: Cookies;
}>('arrival');

/** The authenticated caller. */
export const caller = requestValue<{
  /** Of the key, the administrator token or the member. */
  readonly id: string;
  readonly actor: string;
  readonly isInstallationAdministrator: boolean;
  /** Null for a key or an administrator token. */
  readonly session: SignedIn | null;
  readonly recorder: Recorder;
}>('caller');

/** The application of the request, with its settings at that time. */
export const application = requestValue<{
  readonly applicationId: string;
  readonly settings: ApplicationSettings;
}>('application');

/** What a handler adds to the target of its audit entry. */
export const auditEntryAdditions = requestValue<Readonly<Record<string, string>>>('addedToEntry');
