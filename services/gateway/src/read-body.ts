import { AppError } from '@tidings/platform';
import { isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import type { Admission } from './admission.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const DECOMPRESSORS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads a JSON body as bytes into `req.body`: size as sent (413), type and encoding (415), size decompressed (413),
 * UTF-8 (400). Once read, it takes no more room in `admission` than it has bytes. Parsing is the route's, which may need the bytes themselves.
 */
export function readJsonBody(bytesMax: number, admission: Pick<Admission, 'shrink'>): RequestHandler {
  return async (req, res, next) => {
    if (Number(req.headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
    const encoding = checkHeaders(req);
    const body = await readBytes(req, { bytesMax, encoding });
    admission.shrink(res, body.length);
    if (body.length === 0) throw new AppError('invalid_json', 'The body is empty.');
    if (!isUtf8(body)) throw new AppError('invalid_json', 'The body is not valid UTF-8.');
    req.body = body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
    next();
  };
}

/** The content encoding, when type, charset and encoding are ones we read. */
function checkHeaders({ headers }: Request): string {
  const contentType = headers['content-type'] ?? '';
  if (!JSON_TYPE.test(contentType)) throw new AppError('unsupported_media_type', 'Content-Type must be application/json.');
  const charset = CHARSET.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') throw new AppError('unsupported_media_type', 'The charset must be utf-8.');
  const encoding = headers['content-encoding']?.toLowerCase() || 'identity';
  if (encoding !== 'identity' && !Object.hasOwn(DECOMPRESSORS, encoding)) {
    throw new AppError('unsupported_media_type', 'Content-Encoding must be gzip, deflate or br, once.');
  }
  return encoding;
}

/**
 * The body, decompressed. It rejects with the first byte too many, whether of what was sent or of what came out of it.
 * express.raw is not used because it answers only after it has read a refused body to its end, which may never come.
 */
function readBytes(req: Request, { bytesMax, encoding }: { readonly bytesMax: number; readonly encoding: string }): Promise<Buffer> {
  const decompressor = DECOMPRESSORS[encoding]?.();
  const chunks: Buffer[] = [];
  const size = { sent: 0, kept: 0 };
  return new Promise<Buffer>((resolve, reject) => {
    const keep = (chunk: Buffer): void => {
      size.kept += chunk.length;
      if (size.kept > bytesMax) reject(tooLarge(bytesMax));
      else chunks.push(chunk);
    };
    const finish = (): void => resolve(Buffer.concat(chunks));
    req.on('data', (chunk: Buffer) => {
      size.sent += chunk.length;
      if (size.sent > bytesMax) reject(tooLarge(bytesMax));
    });
    req.once('error', () => reject(new AppError('invalid_json', 'The body ended too early.')));
    if (decompressor === undefined) {
      req.on('data', keep).once('end', finish);
      return;
    }
    decompressor.on('data', keep).once('end', finish);
    decompressor.once('error', () => reject(new AppError('invalid_json', 'The body does not have the Content-Encoding it names.')));
    req.pipe(decompressor);
  }).finally(() => {
    req.removeAllListeners('data');
    req.unpipe();
    decompressor?.destroy();
    // What is still to come is dropped: to close over unread bytes would reset the connection before the answer is read.
    req.resume();
  });
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('payload_too_large', `The body may have ${bytesMax} bytes.`);
}
