import { grantOf } from '@tidings/access';
import type { KeyGrant } from '@tidings/accounts/api-keys';
import { BusRejectedError, BusUnavailableError } from '@tidings/bus';
import type { IngestAccepted } from '@tidings/contracts/ingest/ingest';
import { ingestRecordHeaders } from '@tidings/contracts/ingest/records';
import { requestIdOf, sendJson } from '@tidings/http/answer';
import { AppError, isUuid, retryAfterSeconds } from '@tidings/platform';
import type { GatewayDependencies } from '../../dependencies.ts';
import type { Handle } from '../handle.ts';
import { recordRejectedMessages } from '../../rejections/record-rejections.ts';
import { RejectedBatchError, namedUser } from '../../rejections/rejected-batch.ts';
import { budgetSpentMs } from '../../deadline-budget.ts';
import { toRejectedMessage } from './partial-batch.ts';
import { prefersLenient } from './prefer.ts';
import { readBatch, type Batch } from './read-batch.ts';

/**
 * `POST /`: validates a batch. Responds 200 after Kafka stored it as one record on all in-sync
 * replicas.
 */
export function handleIngest(
  deps: Pick<
    GatewayDependencies,
    'ingest' | 'admissions' | 'clock' | 'lag' | 'ingestDeadlineMs' | 'rejections'
  >,
): Handle {
  const { ingest, admissions, clock } = deps;
  return async (req, res, body) => {
    const grant = grantOf(res);
    const requestId = requestIdOf(res);
    const receivedAt = clock.now();
    const isLenient = prefersLenient(req.headers['prefer']);
    const batch = readBatch(body, {
      handling: isLenient ? 'lenient' : 'strict',
      now: receivedAt,
    });
    rejectForbiddenKinds(grant, batch);
    const { partial } = batch;
    const deadlineMs = deps.ingestDeadlineMs - budgetSpentMs(res, deps);
    const record = {
      key: recordKey(grant, batch),
      value: batch.bytes,
      headers: ingestRecordHeaders({
        applicationId: grant.applicationId,
        requestId,
        receivedAt,
        keyType: grant.type,
        kinds: batch.kinds,
        ...(partial === undefined ? {} : { messageIndexes: partial.messageIndexes }),
      }),
    };
    await admissions.ingest.hold(res, ingest.append(record, deadlineMs)).catch((error: unknown) => {
      throw notAppended(error, batch);
    });

    if (partial !== undefined)
      recordRejectedMessages(deps, {
        req,
        res,
        errors: partial.rejected,
        receivedAt,
        user: namedUser(batch),
      });
    sendJson(
      res,
      answerTo(batch, requestId),
      isLenient ? ['Preference-Applied', 'handling=lenient'] : [],
    );
  };
}

/** @throws if a Client key, which is public, sends business events */
function rejectForbiddenKinds({ type }: KeyGrant, batch: Batch): void {
  if (type !== 'client') return;
  if (batch.kinds.includes('businessEvent') || batch.partial?.namesBusinessEvent === true)
    throw new RejectedBatchError(
      'client_key_forbidden',
      'A Client key may not send business events.',
      { envelope: batch },
    );
}

/** The body of the response, as JSON. */
function answerTo({ messageCount, partial, warnings }: Batch, requestId: string): string {
  // Most responses. A literal costs less than `JSON.stringify`, and needs no escape.
  if (partial === undefined && warnings.length === 0)
    return `{"requestId":"${requestId}","status":"accepted","received":${messageCount},"accepted":${messageCount},"warnings":[]}`;
  const answer: IngestAccepted = {
    requestId,
    status: partial === undefined ? 'accepted' : 'partial',
    received: partial?.received ?? messageCount,
    accepted: messageCount,
    ...(partial === undefined ? {} : { rejected: partial.rejected.map(toRejectedMessage) }),
    warnings,
  };
  return JSON.stringify(answer);
}

function notAppended(error: unknown, batch: Batch): unknown {
  if (error instanceof BusRejectedError) {
    return new RejectedBatchError(
      'payload_too_large',
      'The batch is larger than one record may be.',
      { envelope: batch, cause: error },
    );
  }
  if (!(error instanceof BusUnavailableError)) return error;
  return new AppError(
    'unavailable',
    'The batch could not be stored right now. Send it again with the same ids.',
    {
      cause: error,
      retryAfterSeconds: retryAfterSeconds(),
    },
  );
}

/**
 * Records of one user share a key, which keeps their order. Records without a user are spread by
 * message id.
 */
function recordKey(
  { applicationId }: KeyGrant,
  { customUserId, serviceUserId, firstMessageId }: Batch,
): string {
  // A malformed serviceUserId is accepted and can be as long as the body, so it is not a key.
  const knownUser =
    customUserId ??
    (serviceUserId !== null && isUuid(serviceUserId) ? serviceUserId.toLowerCase() : null);
  return `${applicationId}:${knownUser ?? firstMessageId}`;
}
