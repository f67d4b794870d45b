import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../app-error.ts';
import { systemIds, type Ids } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { sendProblem } from './problem.ts';

export const API_VERSION = '1';

/** The id of this request: on every answer as `X-Request-Id`, in every log line about it. */
export function requestIdOf(res: Response): string {
  return String(res.locals['requestId']);
}

/** An express application with what every route needs before it: request id and version headers. */
export function createApp(ids: Ids = systemIds): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.use((_req, res, next) => {
    const requestId = ids.uuid();
    res.locals['requestId'] = requestId;
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('API-Version', API_VERSION);
    next();
  });
  return app;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Mounts the handlers of one path; any other method is answered 405 with `Allow`. */
export function mountRoute(app: Express, path: string | string[], handlers: Partial<Record<Method, RequestHandler[]>>): void {
  const route = app.route(path);
  for (const [method, chain] of Object.entries(handlers)) {
    route[method.toLowerCase() as Lowercase<Method>](...chain);
  }
  const allowed = Object.keys(handlers).join(', ');
  route.all((_req, res) => {
    res.setHeader('Allow', allowed);
    throw new AppError('method_not_allowed', `Use ${allowed}.`);
  });
}

/** Hears of an answer with an error, before it is sent. */
export type RefusalListener = (error: AppError, req: Request, res: Response) => void;

/** What every application ends with: 404, and every error as problem+json. Unexpected ones say nothing of themselves. */
export function finishApp(app: Express, logger: Logger, onRefusal?: RefusalListener): void {
  app.use((_req, _res) => {
    throw new AppError('not_found', 'There is nothing at this address.');
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const known = toAppError(error);
    if (known.code === 'internal') {
      logger.error({ err: error, requestId: requestIdOf(res), method: req.method, path: req.path }, 'request failed unexpectedly');
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    onRefusal?.(known, req, res);
    sendProblem(res, known, requestIdOf(res));
  });
}

/** Errors of express's body parser and router carry a `type` or a status; everything else is a bug. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { type, status } = (error ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  switch (type) {
    case 'entity.too.large':
      return new AppError('payload_too_large', 'The body is larger than this address accepts.');
    case 'encoding.unsupported':
      return new AppError('unsupported_media_type', 'Content-Encoding must be gzip, deflate or br, once.');
    case 'charset.unsupported':
      return new AppError('unsupported_media_type', 'The charset must be utf-8.');
    case 'entity.parse.failed':
      return new AppError('invalid_json', 'The body is not valid JSON.');
    default:
  }
  if (status === 404) return new AppError('not_found', 'There is nothing at this address.');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('invalid_json', 'The request could not be read.', { cause: error });
  }
  return new AppError('internal', undefined, { cause: error });
}
