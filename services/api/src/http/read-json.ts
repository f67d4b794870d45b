import { AppError, readBody } from '@tidings/platform';
import type { RequestHandler } from 'express';

const BODY_BYTES_MAX = 1024 * 1024;

/** A JSON body into `req.body`, or 413, 415 and 400 as everywhere: UTF-8 and nothing else. */
export const readJson: RequestHandler[] = [
  async (req, _res, next) => {
    // A call without a body is one of an empty object where it says that it is JSON.
    if (req.headers['content-length'] === '0')
      req.body = req.is('application/json') === false ? undefined : {};
    else
      req.body = parse(
        await readBody(req, { bytesMax: BODY_BYTES_MAX, types: ['application/json'] }),
      );
    next();
  },
];

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}
