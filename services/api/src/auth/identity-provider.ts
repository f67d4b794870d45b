import type { Identity as MemberIdentity } from '@tidings/accounts/members/identities';
import type { Clock, Logger, SecretBox } from '@tidings/platform';
import {
  ClientSecretBasic,
  None,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client';
import { findRole, type OidcSettings } from './oidc-config.ts';

/** Why a sign-in failed. */
export type OidcFailure = 'failed' | 'no_email';
export type OidcResult =
  | { readonly status: 'vouched'; readonly identity: MemberIdentity }
  /** The person is authenticated, but none of the groups has a role. */
  | { readonly status: 'without_role'; readonly identity: MemberIdentity['identity'] }
  | {
      readonly status: 'refused';
      readonly reason: OidcFailure;
      readonly identity?: MemberIdentity['identity'];
    };

/**
 * OpenID Connect sign-in: authorization code flow with PKCE, bound to this browser by `state` and
 * `nonce`.
 */
export interface IdentityProvider {
  /** The name on the sign-in page. */
  readonly name: string;
  /**
   * The URL to redirect to, and the sealed state that the browser keeps in a cookie. Null while the
   * provider cannot be reached.
   */
  beginSignIn(): Promise<{ readonly url: string; readonly kept: string } | null>;
  /** Verifies the callback: `query` from the provider, and the state from the cookie. */
  finishSignIn(query: URLSearchParams, kept: string): Promise<OidcResult>;
}

export const SIGN_IN_TIMEOUT_MS = 600_000;

const TIMEOUT_SECONDS = 10;
const SEAL_CONTEXT = 'oidc-departure';

type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly at: number;
};
export type IdentityProviderDependencies = {
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where the provider redirects browsers to. */
  readonly redirectUri: string;
};

export function createIdentityProvider(
  settings: OidcSettings,
  { box, clock, logger, redirectUri }: IdentityProviderDependencies,
): IdentityProvider {
  const provider = cacheOnSuccess(() => discover(settings));
  const openPendingSignIn = (kept: string): PendingSignIn | null => {
    try {
      const departure = JSON.parse(box.open(kept, SEAL_CONTEXT)) as PendingSignIn;
      return departure.at > clock.now() - SIGN_IN_TIMEOUT_MS ? departure : null;
    } catch {
      return null; // Forged, or sealed with a retired key.
    }
  };
  return {
    name: settings.name,
    async beginSignIn() {
      try {
        const departure: PendingSignIn = {
          state: randomState(),
          nonce: randomNonce(),
          verifier: randomPKCECodeVerifier(),
          at: clock.now(),
        };
        const url = buildAuthorizationUrl(await provider(), {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state: departure.state,
          nonce: departure.nonce,
          code_challenge: await calculatePKCECodeChallenge(departure.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, kept: box.seal(JSON.stringify(departure), SEAL_CONTEXT) };
      } catch (error) {
        logger.warn({ err: error }, 'could not reach the identity provider');
        return null;
      }
    },
    async finishSignIn(query, kept) {
      const departure = openPendingSignIn(kept);
      if (departure === null) return { status: 'refused', reason: 'failed' };
      try {
        return toResult(
          settings,
          await readClaims(await provider(), {
            currentUrl: new URL(`${redirectUri}?${query.toString()}`),
            departure,
            settings,
          }),
        );
      } catch (error) {
        // Invalid token, denied consent or a network error: the page only needs to know that it
        // failed.
        logger.warn({ err: error }, 'sign-in with the identity provider failed');
        return { status: 'refused', reason: 'failed' };
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  // Only on loopback: the configuration checks that.
  const execute =
    issuer.protocol === 'http:'
      ? [allowInsecureRequests, enableNonRepudiationChecks]
      : [enableNonRepudiationChecks];
  return discovery(
    issuer,
    clientId,
    undefined,
    clientSecret === null ? None() : ClientSecretBasic(clientSecret),
    { execute, timeout: TIMEOUT_SECONDS },
  );
}

type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/**
 * Reads the claims of the ID token. Missing ones come from the userinfo endpoint. @throws for an
 * invalid response
 */
async function readClaims(
  provider: Configuration,
  {
    currentUrl,
    departure,
    settings,
  }: {
    readonly currentUrl: URL;
    readonly departure: PendingSignIn;
    readonly settings: OidcSettings;
  },
): Promise<Claims> {
  const tokens = await authorizationCodeGrant(provider, currentUrl, {
    expectedState: departure.state,
    expectedNonce: departure.nonce,
    pkceCodeVerifier: departure.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider sent no ID token');
  const isWhole = claims['email'] !== undefined && claims[settings.groupsClaim] !== undefined;
  if (isWhole || provider.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await fetchUserInfo(provider, tokens.access_token, claims.sub)), ...claims };
}

const NAME_CHARS_MAX = 200;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

function toResult({ groupsClaim, roles }: OidcSettings, claims: Claims): OidcResult {
  const {
    iss,
    sub,
    email,
    email_verified: isEmailVerified,
    name,
    preferred_username: username,
  } = claims;
  const role = findRole(claims[groupsClaim], roles);
  const identity = `${iss}|${sub}`;
  if (role === null) return { status: 'without_role', identity };
  if (typeof email !== 'string' || !EMAIL.test(email))
    return { status: 'refused', reason: 'no_email', identity };
  const shown =
    [name, username].find(
      (text): text is string => typeof text === 'string' && text.trim() !== '',
    ) ?? email;
  // One line that Postgres can store.
  const plain = shown
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, NAME_CHARS_MAX);
  return {
    status: 'vouched',
    identity: { identity, email, isEmailVerified: isEmailVerified === true, name: plain, role },
  };
}

/** Caches the first success. A failure is retried by the next call. */
function cacheOnSuccess<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
