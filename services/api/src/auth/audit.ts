import { closeAuditEntry, openAuditEntry, type AuditActor } from '@tidings/accounts/audit-log';
import type { Endpoint } from '@tidings/api-spec/endpoint';
import { ERROR_CODES } from '@tidings/contracts/errors/error-codes';
import { requestIdOf } from '@tidings/http/answer';
import { toAppError } from '@tidings/http/error-answer';
import type { Clock, Ids, Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import type { Recorder } from './recorder.ts';
import { auditEntryAdditions, application, caller } from './request-context.ts';

export type RecorderDependencies = {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
};

/** Creates the recorder of a caller. All audit entries go through it. */
export function createRecorder(
  { db, clock, ids, logger }: RecorderDependencies,
  who: AuditActor & { readonly address: string | null },
): Recorder {
  return async ({ endpoint, call }, work) => {
    const id = ids.uuid();
    await openAuditEntry(db, {
      ...who,
      id,
      at: clock.now(),
      applicationId: application.find(call.res)?.applicationId ?? null,
      action: `${endpoint.method} ${endpoint.path}`,
      target: auditTarget(call.params),
      detail: auditDetail(call.body, endpoint.recorded),
      requestId: requestIdOf(call.res),
    });
    const close = (status: number, answer?: unknown): Promise<void> =>
      // The change is already done, so an error response would be wrong. The entry keeps a null
      // status: outcome unknown.
      closeAuditEntry(db, id, {
        status,
        target: {
          ...auditTarget(call.params),
          ...createdIds(answer),
          ...auditEntryAdditions.find(call.res),
        },
      }).catch((error: unknown) => {
        logger.warn({ err: error, auditEntryId: id }, 'could not record the outcome of a change');
      });
    try {
      const answer = await work();
      await close(endpoint.answer.status, answer);
      return answer;
    } catch (error) {
      await close(ERROR_CODES[toAppError(error).code].status);
      throw error;
    }
  };
}

/**
 * The recorder for this call. Undefined for calls that need no entry: reads other than exports and
 * CSV files.
 */
export function findRecorder(
  { method, isExport, isQuestion }: Pick<Endpoint, 'method' | 'isExport' | 'isQuestion'>,
  res: Response,
  isFile = false,
): Recorder | undefined {
  const isRead = method === 'GET' || isQuestion === true;
  if (isRead && isExport !== true && !isFile) return undefined;
  return caller.find(res)?.recorder;
}

/** Adds ids, found during the call, to the target of its audit entry. */
export function addToAuditEntry(res: Response, target: Readonly<Record<string, string>>): void {
  auditEntryAdditions.set(res, target);
}

/** Ids of the path. Entries outlive deleted users, so a customUserId is stored as a hash only. */
function auditTarget({
  customUserId,
  ...ids
}: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...ids,
    ...(customUserId !== undefined && {
      customUserIdSha256: createHash('sha256').update(customUserId).digest('hex'),
    }),
  };
}

/** Values of the recorded fields, and the names of all others. */
function auditDetail(body: unknown, recorded: readonly string[] = []): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const fields = Object.entries(body);
  const values = Object.fromEntries(fields.filter(([name]) => recorded.includes(name)));
  const others = fields.map(([name]) => name).filter((name) => !recorded.includes(name));
  return { ...values, ...(others.length > 0 && { fields: others }) };
}

/** Ids in the response of a creation. */
function createdIds(answer: unknown): Record<string, string> {
  if (typeof answer !== 'object' || answer === null) return {};
  return Object.fromEntries(
    Object.entries(answer).filter(
      (entry): entry is [string, string] =>
        ['id', 'applicationId', 'slug', 'campaignId', 'draftId'].includes(entry[0]) &&
        typeof entry[1] === 'string',
    ),
  );
}
