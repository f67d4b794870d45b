import type { AuditEntry as AuditEntryRow, Prisma } from './generated/client.ts';
import type { Database } from './database.ts';

/** Who did something: a member with a session, or an administrator token. */
export type AuditActor = { readonly actor: string; readonly memberId?: string; readonly tokenId?: string };

export type NewAuditEntry = AuditActor & {
  readonly id: string;
  readonly at: number;
  /** The network address; null when the proxies say what is none. */
  readonly address: string | null;
  readonly applicationId: string | null;
  /** The method and path of the route, as `POST keys`. */
  readonly action: string;
  /** Ids by their names. */
  readonly target: Readonly<Record<string, string>>;
  /** What was sent: values of some fields, names of the others; no secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly requestId: string;
};

export type AuditEntry = NewAuditEntry & {
  /** Of the answer; null while it is being made, or when the process died over it. */
  readonly status: number | null;
};

/** Before the change is made: one that cannot be recorded is not made. @callers dashboard */
export async function openAuditEntry(db: Database, entry: NewAuditEntry): Promise<void> {
  const { at, target, detail, ...rest } = entry;
  await db.prisma.auditEntry.create({ data: { ...rest, at: new Date(at), target, detail: detail as Prisma.InputJsonObject } });
}

/** What came of it, once. @callers dashboard */
export async function closeAuditEntry(db: Database, id: string, { status, target }: { readonly status: number; readonly target: Readonly<Record<string, string>> }): Promise<void> {
  await db.prisma.auditEntry.updateMany({ where: { id, status: null }, data: { status, target } });
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

/** A page of the audit log, newest first; the cursor is the last one's id. */
export async function listAuditEntries(db: Database, query: AuditQuery): Promise<AuditEntry[]> {
  const { cursor, limit, applicationId, memberId, action, from, to } = query;
  const rows = await db.prisma.auditEntry.findMany({
    where: {
      ...(applicationId !== undefined && { applicationId }),
      ...(memberId !== undefined && { memberId }),
      ...(action !== undefined && { action }),
      ...((from !== undefined || to !== undefined) && { at: { ...(from !== undefined && { gte: new Date(from) }), ...(to !== undefined && { lt: new Date(to) }) } }),
      ...(cursor !== undefined && { id: { lt: cursor } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
  });
  return rows.map(toAuditEntry);
}

function toAuditEntry({ memberId, tokenId, at, target, detail, ...row }: AuditEntryRow): AuditEntry {
  return {
    ...row,
    at: at.getTime(),
    ...(memberId !== null && { memberId }),
    ...(tokenId !== null && { tokenId }),
    target: target as AuditEntry['target'],
    detail: detail as AuditEntry['detail'],
  };
}
