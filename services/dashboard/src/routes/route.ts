import { AppError, isUuid, stringifyExactJson } from '@tidings/platform';
import type { Request, RequestHandler, Response } from 'express';

/** One method of one path below `/api/v1/`, and who may call it. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** `reader`: Server key or administrator of the application. */
  readonly access: 'reader' | 'administrator' | 'application_administrator';
  readonly handle: RequestHandler;
};

/** A path parameter that is an id of ours; anything else names nothing. */
export function idParameter(req: Request, name: string): string {
  const value = req.params[name];
  if (typeof value !== 'string' || !isUuid(value)) throw new AppError('not_found', 'There is nothing with this id.');
  return value.toLowerCase();
}

/** Answers with JSON in which integers beyond 2^53 keep every digit. */
export function sendJson(res: Response, value: unknown, status = 200): void {
  res.status(status).type('application/json').send(stringifyExactJson(value));
}
