import { AppError } from '@tidings/platform';
import express, { type RequestHandler } from 'express';

const BODY_BYTES_MAX = 1024 * 1024;

/** A JSON body into `req.body`, or 413, 415 and 400 as everywhere. */
export const readJson: RequestHandler[] = [
  (req, _res, next) => {
    if (req.headers['content-length'] !== '0' && !req.is('application/json')) {
      throw new AppError('unsupported_media_type', 'Content-Type must be application/json.');
    }
    next();
  },
  express.json({ limit: BODY_BYTES_MAX, strict: false }),
];
