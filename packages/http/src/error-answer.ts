import { AppError, type HeaderList, type Logger, pathOf, sendProblem } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import { readKeptHeaders, requestIdOf } from './answer.ts';
import type { Answer } from './request-value.ts';

/** Called before an error response is sent. */
export type RejectionListener = (error: AppError, req: IncomingMessage, res: Answer) => void;

/** Turns any thrown value into an error response. `headers` are added to it. */
export type ErrorAnswer = (
  error: unknown,
  exchange: { readonly req: IncomingMessage; readonly res: Answer; readonly headers?: HeaderList },
) => void;

/**
 * Creates the only function that turns errors into responses, with and without express. Unexpected
 * errors are logged, and the response reveals no details.
 */
export function createErrorAnswer(logger: Logger, onRejection?: RejectionListener): ErrorAnswer {
  return (error, { req, res, headers = [] }) => {
    const known = toAppError(error);
    const requestId = requestIdOf(res);
    if (known.code === 'internal') {
      logger.error(
        { err: error, requestId, method: req.method, path: pathOf(req) },
        'request failed unexpectedly',
      );
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    onRejection?.(known, req, res);
    sendProblem(res, known, { requestId, headers: [...readKeptHeaders(res), ...headers] });
  };
}

/** Converts errors of express, which carry a `type` or a status. Everything else is a bug. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { type, status } = (error ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  switch (type) {
    case 'entity.too.large':
      return new AppError('payload_too_large', 'The body is larger than this endpoint accepts.');
    case 'encoding.unsupported':
      return new AppError(
        'unsupported_media_type',
        'Content-Encoding must be gzip, deflate or br, once.',
      );
    case 'charset.unsupported':
      return new AppError('unsupported_media_type', 'The charset must be utf-8.');
    case 'entity.parse.failed':
      return new AppError('invalid_json', 'The body is not valid JSON.');
    default:
  }
  if (status === 404) return new AppError('not_found', 'No endpoint exists at this path.');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('invalid_json', 'The request could not be read.', { cause: error });
  }
  return new AppError('internal', undefined, { cause: error });
}
