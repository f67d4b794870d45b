import {
  admitIdentity,
  findMemberByIdentity,
  revokeRole,
} from '@tidings/accounts/members/identities';
import type { Member } from '@tidings/accounts/members/member';
import { findMemberByEmail } from '@tidings/accounts/members/members';
import { changeMemberEndpoint } from '@tidings/api-spec/endpoints/members';
import {
  finishOidcSignInEndpoint,
  beginOidcSignInEndpoint,
} from '@tidings/api-spec/endpoints/session';
import type { SignInFault } from '@tidings/contracts/members';
import { AppError } from '@tidings/platform';
import { getClientAddress, getCookies } from '../../auth/access.ts';
import { createRecorder } from '../../auth/audit.ts';
import {
  SIGN_IN_TIMEOUT_MS,
  type OidcResult,
  type IdentityProvider,
} from '../../auth/identity-provider.ts';
import { createSignIns } from '../../auth/sign-in.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import type { Call } from '../../http/call.ts';
import { defineRoute, type Route } from '../../http/route.ts';

/** A failed sign-in: the error for the page, and the member, if known. */
type Rejection = { readonly fault: SignInFault; readonly member: Member | null };

/**
 * Redirects to and from the identity provider. Browsers follow them as links, so errors go to the
 * dashboard as a query parameter.
 */
export function oidcRoutes(deps: ApiDependencies): Route[] {
  const signIns = createSignIns(deps);
  const backWith = (fault: SignInFault): string => `${deps.dashboardUrl}/?signInError=${fault}`;
  /** Null on success. */
  const signIn = async (
    arrival: OidcResult,
    call: Call<unknown, unknown>,
  ): Promise<Rejection | null> => {
    if (arrival.status === 'refused')
      return { fault: arrival.reason, member: await findKnownMember(deps, arrival) };
    if (arrival.status === 'without_role') {
      const member = await findKnownMember(deps, arrival);
      if (member !== null) await withdrawMemberRole(deps, member, call);
      return { fault: 'no_role', member };
    }
    const member = await admitIdentity(deps.db, arrival.identity);
    if (member === 'email_taken')
      return {
        fault: member,
        member: (await findMemberByEmail(deps.db, arrival.identity.email))?.member ?? null,
      };
    await signIns.begin(member, { endpoint: finishOidcSignInEndpoint, call });
    return null;
  };
  return [
    defineRoute(beginOidcSignInEndpoint, async ({ req, res }) => {
      const departure = await requireProvider(deps).beginSignIn();
      if (departure !== null)
        getCookies(res).write(req, res, {
          name: 'oidc',
          value: departure.kept,
          ageSeconds: SIGN_IN_TIMEOUT_MS / 1000,
        });
      res.setHeader('Location', departure?.url ?? backWith('unavailable'));
    }),
    defineRoute(finishOidcSignInEndpoint, async (call) => {
      const { req, res } = call;
      const cookies = getCookies(res);
      const arrival = await requireProvider(deps).finishSignIn(
        new URLSearchParams(req.originalUrl.split('?')[1] ?? ''),
        cookies.read(req, 'oidc') ?? '',
      );
      cookies.clear(req, res, 'oidc');
      const refusal = await signIn(arrival, call);
      if (refusal !== null)
        deps.failedSignIns.record(refusal.member?.id ?? null, {
          endpoint: finishOidcSignInEndpoint,
          call,
        });
      res.setHeader('Location', refusal === null ? deps.dashboardUrl : backWith(refusal.fault));
    }),
  ];
}

/** The member with this identity, if the provider named one. */
async function findKnownMember(
  deps: ApiDependencies,
  { identity }: { readonly identity?: string },
): Promise<Member | null> {
  return identity === undefined ? null : findMemberByIdentity(deps.db, identity);
}

/** Withdraws the member's role, which ends all sessions. */
async function withdrawMemberRole(
  deps: ApiDependencies,
  member: Member,
  call: Call<unknown, unknown>,
): Promise<void> {
  const record = createRecorder(deps, {
    actor: 'identity provider',
    address: getClientAddress(call.res),
  });
  const change = { ...call, params: { memberId: member.id }, body: { role: 'none' } };
  await record({ endpoint: changeMemberEndpoint, call: change }, () =>
    revokeRole(deps.db, member.id),
  );
}

function requireProvider({ identityProvider }: ApiDependencies): IdentityProvider {
  if (identityProvider === null)
    throw new AppError('not_found', 'No identity provider is configured.');
  return identityProvider;
}
