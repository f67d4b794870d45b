import { readBody } from '@tidings/http/read-body';
import { AppError, parseExactJson } from '@tidings/platform';
import type { RequestHandler } from 'express';

const BODY_BYTES_MAX = 1024 * 1024;

/** Parses a UTF-8 JSON body into `req.body`. Errors: 413, 415, 400. */
export const readJson: RequestHandler[] = [readWith(JSON.parse)];

/** The same; integers beyond 2^53 become bigints. */
export const readExactJson: RequestHandler[] = [readWith(parseExactJson)];

function readWith(parseText: (text: string) => unknown): RequestHandler {
  return async (req, _res, next) => {
    // An empty JSON request counts as an empty object.
    if (req.headers['content-length'] === '0')
      req.body = req.is('application/json') === false ? undefined : {};
    else {
      const bytes = await readBody(req, {
        bytesMax: BODY_BYTES_MAX,
        types: ['application/json'],
      });
      try {
        req.body = parseText(bytes.toString('utf8'));
      } catch {
        throw new AppError('invalid_json', 'The body is not valid JSON.');
      }
    }
    next();
  };
}
