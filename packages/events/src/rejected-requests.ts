import type { ErrorCode, FieldError } from '@tidings/contracts/errors/error-codes';
import { shareIdentities } from '@tidings/people/deleted-identities';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * A rejected request of a known application, or an accepted one with rejected messages (status
 * 200).
 */
export type RejectedRequest = {
  readonly requestId: string;
  readonly applicationId: string;
  readonly keyId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly path: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** The client's address, only if it was the reason for the rejection. */
  readonly address: string | null;
  readonly errors: readonly FieldError[];
  /**
   * How many further requests of the application were rejected since its last entry without an
   * entry of their own.
   */
  readonly unlisted: number;
  /**
   * The user ids in the envelope, at most one of the two. Null if it has none that can be stored.
   * UUIDs in lower case.
   */
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
};

/**
 * Adds rejected requests to the ingest log, all or none. Entries of users deleted since then name
 * no user.
 * @callers gateway
 */
export async function insertRejectedRequests(
  db: Pick<Database, 'transaction'>,
  rejections: readonly RejectedRequest[],
): Promise<void> {
  if (rejections.length === 0) return;
  await db.transaction(async (sql) => {
    const isDeleted = await shareIdentities(sql, rejections);
    await insert(
      sql,
      rejections.map((rejection) =>
        isDeleted(rejection)
          ? { ...rejection, customUserId: null, serviceUserId: null }
          : rejection,
      ),
    );
  });
}

async function insert(sql: Sql, rejections: readonly RejectedRequest[]): Promise<void> {
  await sql.query(statement('insert-rejected-requests'), [
    rejections.map(({ requestId }) => requestId),
    rejections.map(({ applicationId }) => applicationId),
    rejections.map(({ receivedAt }) => receivedAt),
    rejections.map(({ path }) => path),
    rejections.map(({ status }) => status),
    rejections.map(({ code }) => code),
    rejections.map(({ keyId }) => keyId),
    rejections.map(({ address }) => address),
    rejections.map(({ errors }) => JSON.stringify(errors.map(storable))),
    rejections.map(({ unlisted }) => unlisted),
    rejections.map(({ customUserId }) => customUserId),
    rejections.map(({ serviceUserId }) => serviceUserId),
  ]);
}

/**
 * JSON pointers contain the caller's keys, and ids come from the caller: both may hold characters
 * that Postgres cannot store.
 */
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
