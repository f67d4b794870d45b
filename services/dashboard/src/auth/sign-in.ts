import { beginSession, listApplications, rememberPlace, type Member } from '@tidings/db';
import { AppError, addressBlock, type Clock } from '@tidings/platform';
import type { DashboardDependencies } from '../dependencies.ts';
import type { Call, Endpoint } from '../routes/endpoint.ts';
import { addressOf, cookiesOf } from './access.ts';
import { createRecorder } from './audit.ts';
import { csrfTokenOf } from './same-origin.ts';

type AnyCall = Call<unknown, unknown>;

/** What `GET session` answers, and every way of signing in. */
export type SessionAnswer = {
  readonly user: Pick<Member, 'id' | 'email' | 'name' | 'role'>;
  readonly applications: readonly { readonly applicationId: string; readonly name: string }[];
  readonly csrfToken: string;
};

type SignInCall = { readonly endpoint: Endpoint; readonly call: AnyCall };

/** Beginning sessions and refusing them, by password, link or identity provider. */
export interface SignIns {
  /** Begins a session in this browser in place of the one before, and records that. */
  begin(member: Member, what: SignInCall): Promise<SessionAnswer>;
  /** Records a failed sign-in: with the member whose account it was, or null where there is none. */
  recordFailure(memberId: string | null, what: SignInCall): Promise<void>;
  describe(member: Member, token: string): Promise<SessionAnswer>;
}

/**
 * Failed sign-ins to accounts that do not exist cost a caller nothing, and the audit log is kept for good. Those to
 * members are bounded by the waits that failures bring.
 */
const UNKNOWN_PER_HOUR_MAX = 60;
const HOUR_MS = 3_600_000;

/** Whether there is room for one more within the hour. */
function createHourlyBudget(clock: Clock, entriesMax: number): () => boolean {
  let [hour, entries] = [0, 0];
  return () => {
    const now = Math.floor(clock.now() / HOUR_MS);
    if (now !== hour) [hour, entries] = [now, 0];
    if (entries === entriesMax) return false;
    entries += 1;
    return true;
  };
}

export function createSignIns(deps: DashboardDependencies): SignIns {
  const { db, clock } = deps;
  const hasRoomForUnknown = createHourlyBudget(clock, UNKNOWN_PER_HOUR_MAX);
  const describe = async ({ id, email, name, role }: Member, token: string): Promise<SessionAnswer> => ({
    user: { id, email, name, role },
    applications: (await listApplications(db)).map((application) => ({ applicationId: application.applicationId, name: application.name })),
    csrfToken: csrfTokenOf(token),
  });
  return {
    describe,
    begin(member, { endpoint, call }) {
      const { req, res } = call;
      const cookies = cookiesOf(res);
      const record = createRecorder(deps, { actor: `member:${member.email}`, memberId: member.id, address: addressOf(res) });
      return record({ endpoint, call }, async () => {
        const token = await beginSession(db, { memberId: member.id, nowMs: clock.now(), replaces: cookies.read(req, 'sid') });
        await rememberPlace(db, { email: member.email, addressBlock: addressBlock(addressOf(res) ?? '') }, clock.now());
        cookies.write(req, res, { name: 'sid', value: token });
        return describe(member, token);
      });
    },
    async recordFailure(memberId, what) {
      if (memberId === null && !hasRoomForUnknown()) return;
      const record = createRecorder(deps, { actor: 'sign-in', ...(memberId !== null && { memberId }), address: addressOf(what.call.res) });
      const failure = new AppError('unauthenticated', 'The sign-in failed.');
      await record(what, () => Promise.reject(failure)).catch((error: unknown) => {
        if (error !== failure) throw error;
      });
    },
  };
}
