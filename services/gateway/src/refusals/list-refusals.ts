import { knownGrantOf } from '@tidings/access';
import { ERROR_CODES, type ErrorCode, type FieldError } from '@tidings/contracts';
import {
  pathOf,
  requestIdOf,
  type Answer,
  type ClientAddressReader,
  type Clock,
  type RefusalListener,
} from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { RefusalLog } from './refusal-log.ts';
import { NOBODY, RefusedBatchError, type NamedUser } from './refused-batch.ts';

/** What a caller can mend. The rest is ours (5xx), or nobody's whom we know. */
const LISTED_STATUSES: ReadonlySet<number> = new Set([400, 403, 413, 429]);

type Target = {
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly clock: Clock;
  readonly clientAddressOf: ClientAddressReader;
};

/** Lists the refused requests of known applications; it is asked only when a request is refused. */
export function listRefusals(target: Target): RefusalListener {
  return (error, req, res) => {
    const { status } = ERROR_CODES[error.code];
    // Who goes away in the middle of his request was not refused.
    const isAborted = req.destroyed && !req.complete;
    if (!LISTED_STATUSES.has(status) || isAborted) return;
    const address = error.code === 'ip_not_allowed' ? target.clientAddressOf(req) : null;
    list(target, {
      req,
      res,
      status,
      code: error.code,
      address,
      errors: error.errors ?? [],
      receivedAt: target.clock.now(),
      user: error instanceof RefusedBatchError ? error.user : NOBODY,
    });
  };
}

/** Lists what was rejected of a request that was accepted in part, as received when the rest of it was. */
export function listRejected(
  target: Pick<Target, 'refusals'>,
  request: Pick<Entry, 'req' | 'res' | 'errors' | 'receivedAt' | 'user'>,
): void {
  list(target, { ...request, status: 200, code: 'validation_failed', address: null });
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

function list(
  { refusals }: Pick<Target, 'refusals'>,
  { req, res, status, code, address, errors, receivedAt, user }: Entry,
): void {
  const grant = knownGrantOf(res);
  if (grant === undefined) return;
  refusals.note({
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
