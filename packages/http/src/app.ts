import { AppError, type Ids, type Logger, systemIds } from '@tidings/platform';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { headAnswer } from './answer.ts';
import { createErrorAnswer, type RejectionListener } from './error-answer.ts';

/** An express application with request ids and version headers. */
export function createApp(ids: Ids = systemIds): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.use((_req, res, next) => {
    headAnswer(res, ids);
    next();
  });
  return app;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Mounts the handlers of one path. Any other method gets 405 with `Allow`. */
export function mountRoute(
  app: Express,
  path: string | string[],
  handlers: Partial<Record<Method, RequestHandler[]>>,
): void {
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

/**
 * Adds the last handlers: 404 for unknown paths, and problem+json for every error. Unexpected
 * errors reveal no details.
 */
export function finishApp(app: Express, logger: Logger, onRejection?: RejectionListener): void {
  app.use((_req, _res) => {
    throw new AppError('not_found', 'No endpoint exists at this path.');
  });
  const answerError = createErrorAnswer(logger, onRejection);
  const answer: ErrorRequestHandler = (error, req, res, _next) => answerError(error, { req, res });
  app.use(answer);
}
