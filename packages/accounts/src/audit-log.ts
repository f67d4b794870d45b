import type { AuditEntry as AuditEntryRow } from '@tidings/database/client';
import type { Database } from '@tidings/postgres/database';
import type { DueRows } from '@tidings/postgres/due-rows';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The audit log, for the retention job. */
export const DUE_AUDIT_ENTRIES: DueRows = { table: 'audit_entries', time: 'at', where: 'true' };

/**
 * Who acted: a member with a session, an administrator token or an API key. For a failed sign-in,
 * the account that was named.
 */
export type AuditActor = {
  readonly actor: string;
  readonly memberId?: string;
  readonly tokenId?: string;
};

export type NewAuditEntry = AuditActor & {
  readonly id: string;
  readonly at: number;
  /** The client's network address; null when the proxies forward no valid one. */
  readonly address: string | null;
  readonly applicationId: string | null;
  /** Method and path of the route, for example `POST keys`. */
  readonly action: string;
  /** Ids by parameter name. */
  readonly target: Readonly<Record<string, string>>;
  /** The request body: values of some fields, only the names of the others. Never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly requestId: string;
};

export type AuditEntry = NewAuditEntry & {
  /** Status of the response. Null while the request runs, or when the process died during it. */
  readonly status: number | null;
};

/** Written before the change: a change that cannot be audited is not made. @callers api */
export async function openAuditEntry(db: Database, entry: NewAuditEntry): Promise<void> {
  await db.sql.query(statement('open-audit-entry'), [
    entry.id,
    new Date(entry.at),
    entry.actor,
    entry.memberId ?? null,
    entry.tokenId ?? null,
    entry.address,
    entry.applicationId,
    entry.action,
    JSON.stringify(entry.target),
    JSON.stringify(entry.detail, storableText),
    entry.requestId,
  ]);
}

/** Postgres stores neither U+0000 nor lone surrogates, and a rejected body may contain both. */
function storableText(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}

/** Completes an entry with the status and target. A second call changes nothing. @callers api */
export async function closeAuditEntry(
  db: Database,
  id: string,
  {
    status,
    target,
  }: { readonly status: number; readonly target: Readonly<Record<string, string>> },
): Promise<void> {
  await db.sql.query(statement('close-audit-entry'), [id, status, JSON.stringify(target)]);
}

export type AuditQuery = {
  readonly cursor?: string;
  readonly limit: number;
  readonly applicationId?: string;
  readonly memberId?: string;
  readonly action?: string;
  readonly from?: number;
  readonly to?: number;
};

/** A page of the audit log, newest first. The cursor is the id of the last entry. */
export async function listAuditEntries(db: Database, query: AuditQuery): Promise<AuditEntry[]> {
  const { cursor, limit, applicationId, memberId, action, from, to } = query;
  const rows = await (
    await db.prisma()
  ).auditEntry.findMany({
    where: {
      ...(applicationId !== undefined && { applicationId }),
      ...(memberId !== undefined && { memberId }),
      ...(action !== undefined && { action }),
      ...((from !== undefined || to !== undefined) && {
        at: {
          ...(from !== undefined && { gte: new Date(from) }),
          ...(to !== undefined && { lt: new Date(to) }),
        },
      }),
      ...(cursor !== undefined && { id: { lt: cursor } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
  });
  return rows.map(toAuditEntry);
}

function toAuditEntry({
  memberId,
  tokenId,
  at,
  target,
  detail,
  ...row
}: AuditEntryRow): AuditEntry {
  return {
    ...row,
    at: at.getTime(),
    ...(memberId !== null && { memberId }),
    ...(tokenId !== null && { tokenId }),
    target: target as AuditEntry['target'],
    detail: detail as AuditEntry['detail'],
  };
}
