import type { ErrorCode, FieldError } from '@tidings/contracts';
import { shareIdentities } from '@tidings/people/deleted-identities';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A request of a known application that was refused, or some of whose messages were rejected (then the status is 200). */
export type RejectedRequest = {
  readonly requestId: string;
  readonly applicationId: string;
  readonly keyId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly path: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** Where it came from; only where it was refused because of that. */
  readonly address: string | null;
  readonly errors: readonly FieldError[];
  /** So many more of the application's were refused since its last entry. */
  readonly unlisted: number;
  /** Of whom it was: at most one of the two, null where its envelope said nothing that could be stored. A UUID in lower case. */
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
};

/** Puts refused requests into the ingest log, all or none. Of users who were deleted since it names nobody. @callers gateway */
export async function insertRejectedRequests(
  db: Pick<Database, 'transaction'>,
  refusals: readonly RejectedRequest[],
): Promise<void> {
  if (refusals.length === 0) return;
  await db.transaction(async (sql) => {
    const isDeleted = await shareIdentities(sql, refusals);
    await insert(
      sql,
      refusals.map((refusal) =>
        isDeleted(refusal) ? { ...refusal, customUserId: null, serviceUserId: null } : refusal,
      ),
    );
  });
}

async function insert(sql: Sql, refusals: readonly RejectedRequest[]): Promise<void> {
  await sql.query(statement('insert-rejected-requests'), [
    refusals.map(({ requestId }) => requestId),
    refusals.map(({ applicationId }) => applicationId),
    refusals.map(({ receivedAt }) => receivedAt),
    refusals.map(({ path }) => path),
    refusals.map(({ status }) => status),
    refusals.map(({ code }) => code),
    refusals.map(({ keyId }) => keyId),
    refusals.map(({ address }) => address),
    refusals.map(({ errors }) => JSON.stringify(errors.map(storable))),
    refusals.map(({ unlisted }) => unlisted),
    refusals.map(({ customUserId }) => customUserId),
    refusals.map(({ serviceUserId }) => serviceUserId),
  ]);
}

/** Pointers are made of the caller's keys, and ids are the caller's: both may hold what Postgres cannot. */
function storable(error: FieldError): FieldError {
  const { messageId } = error;
  return {
    ...error,
    pointer: storableText(error.pointer),
    ...(messageId === undefined ? {} : { messageId: storableText(messageId) }),
  };
}

function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
