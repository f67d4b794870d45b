import { listApplications } from '@tidings/accounts/applications';
import type { Member } from '@tidings/accounts/members/member';
import { beginSession } from '@tidings/accounts/members/sessions';
import { trustSource } from '@tidings/accounts/members/sign-in-attempts';
import type { AnswerOf, Endpoint } from '@tidings/api-spec/endpoint';
import type { readSessionEndpoint } from '@tidings/api-spec/endpoints/session';
import { addressBlock } from '@tidings/platform';
import type { ApiDependencies } from '../dependencies.ts';
import type { Call } from '../http/call.ts';
import { getClientAddress, getCookies } from './access.ts';
import { createRecorder } from './audit.ts';
import { createCsrfToken } from './same-origin.ts';

type AnyCall = Call<unknown, unknown>;

/** The response of `GET session` and of every sign-in. */
export type SessionAnswer = AnswerOf<typeof readSessionEndpoint>;

type SignInCall = { readonly endpoint: Endpoint; readonly call: AnyCall };

/** Starts sessions after a sign-in by password, link or identity provider. */
export interface SignIns {
  /** Starts a session, replaces the browser's previous one, and records it in the audit log. */
  begin(member: Member, what: SignInCall): Promise<SessionAnswer>;
  describe(member: Member, token: string): Promise<SessionAnswer>;
}

export function createSignIns(deps: ApiDependencies): SignIns {
  const { db, clock } = deps;
  const describe = async (
    { id, email, name, role }: Member,
    token: string,
  ): Promise<SessionAnswer> => ({
    user: { id, email, name, role },
    applications: (await listApplications(db)).map((application) => ({
      applicationId: application.applicationId,
      name: application.name,
    })),
    csrfToken: createCsrfToken(token),
  });
  return {
    describe,
    begin(member, { endpoint, call }) {
      const { req, res } = call;
      const cookies = getCookies(res);
      const record = createRecorder(deps, {
        actor: `member:${member.email}`,
        memberId: member.id,
        address: getClientAddress(res),
      });
      return record({ endpoint, call }, async () => {
        const token = await beginSession(db, {
          memberId: member.id,
          nowMs: clock.now(),
          replaces: cookies.read(req, 'sid'),
        });
        await trustSource(
          db,
          { email: member.email, addressBlock: addressBlock(getClientAddress(res) ?? '') },
          clock.now(),
        );
        cookies.write(req, res, { name: 'sid', value: token });
        return describe(member, token);
      });
    },
  };
}
