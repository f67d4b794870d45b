import type { Member } from '@tidings/accounts/members/member';
import { findMemberByEmail, hasOwner, setPassword } from '@tidings/accounts/members/members';
import { endSession } from '@tidings/accounts/members/sessions';
import { refundAttempt, recordAttempt } from '@tidings/accounts/members/sign-in-attempts';
import {
  isLinkValid,
  acceptSetupLink,
  acceptInvitation,
} from '@tidings/accounts/members/invitations';
import type { Endpoint } from '@tidings/api-spec/endpoint';
import {
  acceptInvitationEndpoint,
  changePasswordEndpoint,
  createFirstOwnerEndpoint,
  readSessionEndpoint,
  readSetupEndpoint,
  signInEndpoint,
  signOutEndpoint,
} from '@tidings/api-spec/endpoints/session';
import { AppError, addressBlock } from '@tidings/platform';
import { getClientAddress, getCookies, getSession } from '../../auth/access.ts';
import { createSignIns, type SessionAnswer } from '../../auth/sign-in.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import type { Call } from '../../http/call.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { oidcRoutes } from './oidc-routes.ts';

const INVALID_LINK = 'This link is no longer valid. Ask for a new one.';

/** Sign-in, sign-out and one-time links. */
export function sessionRoutes(deps: ApiDependencies): Route[] {
  const { db, failedSignIns } = deps;
  const signIns = createSignIns(deps);
  const verify = createVerification(deps);
  return [
    defineRoute(readSessionEndpoint, ({ res }) => {
      const { member, token } = getSession(res);
      return signIns.describe(member, token);
    }),
    defineRoute(readSetupEndpoint, async () => ({
      setup: !(await hasOwner(db)),
      oidc: deps.identityProvider === null ? null : { name: deps.identityProvider.name },
    })),
    defineRoute(signInEndpoint, async (call) => {
      const { email, password } = call.body;
      const { member, isRight } = await verify({
        email,
        password,
        address: getClientAddress(call.res),
      });
      if (member !== null && isRight)
        return signIns.begin(member, { endpoint: signInEndpoint, call });
      failedSignIns.record(member?.id ?? null, { endpoint: signInEndpoint, call });
      throw new AppError('unauthenticated', 'The e-mail address or the password is wrong.');
    }),
    defineRoute(signOutEndpoint, async ({ req, res }) => {
      await endSession(db, getSession(res).token);
      getCookies(res).clear(req, res, 'sid');
    }),
    defineRoute(changePasswordEndpoint, async (call) => {
      const { member } = getSession(call.res);
      const { currentPassword, newPassword } = call.body;
      const { isRight } = await verify({
        email: member.email,
        password: currentPassword,
        address: getClientAddress(call.res),
      });
      if (!isRight) {
        throw new AppError('validation_failed', 'The body is not valid.', {
          errors: [
            {
              pointer: '/currentPassword',
              code: 'invalid_value',
              expected: 'your current password',
            },
          ],
        });
      }
      await setPassword(db, member.id, {
        passwordHash: await deps.passwords.hash(newPassword),
        endsSessions: true,
      });
      return signIns.begin(member, { endpoint: signInEndpoint, call });
    }),
    ...oidcRoutes(deps),
    ...linkRoutes(deps, (member, endpoint, call) => signIns.begin(member, { endpoint, call })),
  ];
}

type Begin = (
  member: Member,
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
) => Promise<SessionAnswer>;

function linkRoutes({ db, clock, passwords }: ApiDependencies, begin: Begin): Route[] {
  /** Checks the token first: hashing is too expensive for unverified requests. */
  const hashFor = async (token: string, password: string, isFirst: boolean): Promise<string> => {
    if (!(await isLinkValid(db, token, { isFirst, nowMs: clock.now() })))
      throw new AppError('not_found', INVALID_LINK);
    return passwords.hash(password);
  };
  return [
    defineRoute(createFirstOwnerEndpoint, async (call) => {
      const { token, email, name, password } = call.body;
      const owner = await acceptSetupLink(db, token, {
        email,
        name,
        passwordHash: await hashFor(token, password, true),
        nowMs: clock.now(),
      });
      if (owner === null) throw new AppError('not_found', INVALID_LINK);
      return begin(owner, createFirstOwnerEndpoint, call);
    }),
    defineRoute(acceptInvitationEndpoint, async (call) => {
      const { token, name, password } = call.body;
      const member = await acceptInvitation(db, token, {
        name,
        passwordHash: await hashFor(token, password, false),
        nowMs: clock.now(),
      });
      if (member === null) throw new AppError('not_found', INVALID_LINK);
      return begin(member, acceptInvitationEndpoint, call);
    }),
  ];
}

type Credentials = {
  readonly email: string;
  readonly password: string;
  readonly address: string | null;
};

type Verification = { readonly member: Member | null; readonly isRight: boolean };

/**
 * Finds the member and checks the password, in the same time for unknown addresses.
 * @throws AppError `rate_limited` after too many failures
 */
function createVerification({
  db,
  clock,
  passwords,
}: ApiDependencies): (claim: Credentials) => Promise<Verification> {
  const tryPassword = async (email: string, password: string) => {
    const found = await findMemberByEmail(db, email);
    return { found, isRight: await passwords.check(password, found?.passwordHash ?? null) };
  };
  return async ({ email, password, address }) => {
    const place = { email, addressBlock: addressBlock(address ?? '') };
    const takenAt = clock.now();
    const waitMs = await recordAttempt(db, place, takenAt);
    if (waitMs !== null)
      throw new AppError('rate_limited', 'Too many failed sign-ins. Wait, then retry.', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      });
    const { found, isRight } = await tryPassword(email, password).catch(async (error: unknown) => {
      // The password was not checked: queue full, or no database.
      await refundAttempt(db, place, takenAt);
      throw error;
    });
    if (found === null || !isRight) return { member: found?.member ?? null, isRight: false };
    await refundAttempt(db, place, takenAt);
    if (found.passwordHash !== null && passwords.isOutdated(found.passwordHash)) {
      await setPassword(db, found.member.id, {
        passwordHash: await passwords.hash(password),
        endsSessions: false,
      });
    }
    return { member: found.member, isRight };
  };
}
