import { BusRefusedError, BusUnavailableError } from '@tidings/bus';
import { ingestRecordHeaders, type IngestAccepted } from '@tidings/contracts';
import type { KeyGrant } from '@tidings/db';
import { AppError, isUuid, requestIdOf } from '@tidings/platform';
import type { RequestHandler } from 'express';
import { retryAfterSeconds } from '../../admission.ts';
import { grantOf } from '../../auth/authenticate.ts';
import type { GatewayDependencies } from '../../dependencies.ts';
import { readBatch, type Batch } from './read-batch.ts';
import { warningsOf } from './warnings.ts';

/** `POST /`: validates a batch and answers 200 once Kafka has it on all in-sync replicas, as one record. */
export function handleIngest({ ingest, admission, clock }: Pick<GatewayDependencies, 'ingest' | 'admission' | 'clock'>): RequestHandler {
  return async (req, res) => {
    const grant = grantOf(res);
    const requestId = requestIdOf(res);
    const receivedAt = clock.now();
    const batch = readBatch(req.body as Buffer);
    if (grant.type === 'client' && batch.kinds.has('businessEvent')) {
      throw new AppError('client_key_forbidden', 'A Client key may not send business events.');
    }

    const appended = ingest.append({
      key: recordKey(grant, batch),
      value: batch.bytes,
      headers: ingestRecordHeaders({
        applicationId: grant.applicationId,
        requestId,
        receivedAt,
        keyType: grant.type,
        kinds: [...batch.kinds],
      }),
    });
    await admission.hold(res, appended).catch((error: unknown) => {
      throw notAppended(error);
    });

    const { messages } = batch.envelope;
    const answer: IngestAccepted = {
      requestId,
      status: 'accepted',
      received: messages.length,
      accepted: messages.length,
      warnings: warningsOf(batch.envelope, receivedAt),
    };
    res.json(answer);
  };
}

function notAppended(error: unknown): unknown {
  if (error instanceof BusRefusedError) {
    return new AppError('payload_too_large', 'The batch is larger than one record may be.', { cause: error });
  }
  if (!(error instanceof BusUnavailableError)) return error;
  return new AppError('unavailable', 'The batch could not be stored right now. Send it again with the same ids.', {
    cause: error,
    retryAfterSeconds: retryAfterSeconds(),
  });
}

/** One user's records keep their order; records of no user are spread. */
function recordKey({ applicationId }: KeyGrant, { envelope }: Batch): string {
  const { customUserId, serviceUserId, messages } = envelope;
  // A malformed serviceUserId is accepted, and may be as long as the body.
  const knownUser = customUserId ?? (serviceUserId != null && isUuid(serviceUserId) ? serviceUserId.toLowerCase() : undefined);
  return `${applicationId}:${knownUser ?? messages[0]?.id ?? ''}`;
}
