import { knownGrantOf } from '@tidings/access';
import {
  ERROR_CODES,
  type ErrorCode,
  type FieldError,
} from '@tidings/contracts/errors/error-codes';
import { requestIdOf } from '@tidings/http/answer';
import type { ClientAddressReader } from '@tidings/http/client-address';
import type { RejectionListener } from '@tidings/http/error-answer';
import type { Answer } from '@tidings/http/request-value';
import { pathOf, type Clock } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { RejectionLog } from './rejection-log.ts';
import { NO_USER, RejectedBatchError, type NamedUser } from './rejected-batch.ts';

/**
 * Statuses that a caller can fix. A 5xx is a fault of the service; 401 and 404 have no known
 * application.
 */
const RECORDED_STATUSES: ReadonlySet<number> = new Set([400, 403, 413, 429]);

type Target = {
  readonly rejections: Pick<RejectionLog, 'note'>;
  readonly clock: Clock;
  readonly clientAddressOf: ClientAddressReader;
};

/**
 * Records rejected requests of known applications in the ingest log. Called only for rejections.
 */
export function recordRejections(target: Target): RejectionListener {
  return (error, req, res) => {
    const { status } = ERROR_CODES[error.code];
    // A request whose caller disconnected midway was not rejected.
    const isAborted = req.destroyed && !req.complete;
    if (!RECORDED_STATUSES.has(status) || isAborted) return;
    const address = error.code === 'ip_not_allowed' ? target.clientAddressOf(req) : null;
    record(target, {
      req,
      res,
      status,
      code: error.code,
      address,
      errors: error.errors ?? [],
      receivedAt: target.clock.now(),
      user: error instanceof RejectedBatchError ? error.user : NO_USER,
    });
  };
}

/** Records the rejected messages of a partially accepted request, with the time of the request. */
export function recordRejectedMessages(
  target: Pick<Target, 'rejections'>,
  request: Pick<Entry, 'req' | 'res' | 'errors' | 'receivedAt' | 'user'>,
): void {
  record(target, { ...request, status: 200, code: 'validation_failed', address: null });
}

type Entry = {
  readonly req: IncomingMessage;
  readonly res: Answer;
  readonly status: number;
  readonly code: ErrorCode;
  readonly address: string | null;
  readonly errors: readonly FieldError[];
  readonly receivedAt: number;
  readonly user: NamedUser;
};

function record(
  { rejections }: Pick<Target, 'rejections'>,
  { req, res, status, code, address, errors, receivedAt, user }: Entry,
): void {
  const grant = knownGrantOf(res);
  if (grant === undefined) return;
  rejections.note({
    requestId: requestIdOf(res),
    applicationId: grant.applicationId,
    keyId: grant.keyId,
    receivedAt,
    path: pathOf(req),
    status,
    code,
    address,
    errors,
    ...user,
  });
}
