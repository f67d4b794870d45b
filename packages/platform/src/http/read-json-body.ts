import type { RequestHandler, Response } from 'express';
import type { Admission } from './admission.ts';
import { readBody } from './read-body.ts';

/**
 * Reads a JSON body as bytes into `req.body`. Once read, it takes no more room in `admission` than it has bytes. Parsing is
 * the route's, which may need the bytes themselves. `noteSize` has the size of every body, also of one that is refused.
 */
export function readJsonBody(
  bytesMax: number,
  admission: Pick<Admission, 'bodyRead'>,
  noteSize?: (res: Response, size: number, read: number) => void,
): RequestHandler {
  return async (req, res, next) => {
    const body = await readBody(req, {
      bytesMax,
      types: ['application/json'],
      ...(noteSize && { noteSize: (size, read) => noteSize(res, size, read) }),
    });
    admission.bodyRead(res, body.length);
    req.body = body;
    next();
  };
}
