import { AppError } from '@tidings/platform';
import { isUtf8 } from 'node:buffer';
import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Admission } from './admission.ts';
import type { Answer } from './request-value.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const DECOMPRESSORS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export type ReadBodyOptions = {
  readonly bytesMax: number;
  readonly types: readonly string[];
  /**
   * Called once with the body size, also for rejected bodies and disconnected callers: as sent or
   * decompressed, the larger one. An unread body counts with its declared length, or the maximum;
   * `read` is then 0.
   */
  readonly noteSize?: (size: number, read: number) => void;
};

/**
 * Reads a UTF-8 body as bytes. Order of the checks: size as sent (413), type and encoding (415),
 * decompressed size (413), not empty and valid UTF-8 (400). Removes a byte order mark. Callers
 * parse: they may need the exact bytes.
 */
export async function readBody(
  req: IncomingMessage,
  { bytesMax, types, noteSize }: ReadBodyOptions,
): Promise<Buffer> {
  const encoding = findReadableEncoding(req, { bytesMax, types, ...(noteSize && { noteSize }) });
  const body = await readBytes(req, { bytesMax, encoding, ...(noteSize && { noteSize }) });
  if (body.length === 0) throw new AppError('invalid_json', 'The body is empty.');
  if (!isUtf8(body)) throw new AppError('invalid_json', 'The body is not valid UTF-8.');
  return body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}

/** Checks the headers and returns the content encoding. */
function findReadableEncoding(
  req: IncomingMessage,
  { bytesMax, types, noteSize }: ReadBodyOptions,
): string {
  const declared = Number(req.headers['content-length'] ?? bytesMax);
  try {
    if (declared > bytesMax) throw tooLarge(bytesMax);
    return checkHeaders(req, types);
  } catch (error) {
    noteSize?.(Math.min(declared, bytesMax), 0);
    throw error;
  }
}

/** The content encoding, if type, charset and encoding are supported. */
function checkHeaders({ headers }: IncomingMessage, types: readonly string[]): string {
  const contentType = headers['content-type'] ?? '';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!types.includes(type))
    throw new AppError('unsupported_media_type', `Content-Type must be ${types.join(' or ')}.`);
  const charset = CHARSET.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8')
    throw new AppError('unsupported_media_type', 'The charset must be utf-8.');
  const encoding = headers['content-encoding']?.toLowerCase() || 'identity';
  if (encoding !== 'identity' && !Object.hasOwn(DECOMPRESSORS, encoding)) {
    throw new AppError(
      'unsupported_media_type',
      'Content-Encoding must be gzip, deflate or br, once.',
    );
  }
  return encoding;
}

/**
 * The decompressed body. Rejects at the first byte above the limit, before or after decompression.
 * `express.raw` is not used: it responds only after it read a rejected body to its end, which may
 * never come.
 */
function readBytes(
  req: IncomingMessage,
  { bytesMax, encoding, noteSize }: Omit<ReadBodyOptions, 'types'> & { readonly encoding: string },
): Promise<Buffer> {
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
    req.once('error', () =>
      reject(new AppError('invalid_json', 'The body ended before its declared length.')),
    );
    if (decompressor === undefined) {
      req.on('data', keep).once('end', finish);
      return;
    }
    decompressor.on('data', keep).once('end', finish);
    decompressor.once('error', () =>
      reject(new AppError('invalid_json', 'The body does not match its Content-Encoding.')),
    );
    req.pipe(decompressor);
  }).finally(() => {
    noteSize?.(Math.max(size.sent, size.kept), Math.max(size.sent, size.kept));
    req.removeAllListeners('data');
    req.unpipe();
    decompressor?.destroy();
    // Drain the rest: closing with unread bytes would reset the connection before the client reads
    // the response.
    req.resume();
  });
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${bytesMax} bytes.`);
}

type JsonBody = {
  readonly bytesMax: number;
  readonly admission: Pick<Admission, 'bodyRead'>;
  /** Called with the size of every body, also of rejected ones. */
  readonly noteSize?: (res: Answer, size: number, read: number) => void;
};

/**
 * Reads a JSON body as bytes and reduces its reservation in `admission` to the real size. The route
 * parses, because it may need the exact bytes.
 */
export async function readAdmittedJson(
  req: IncomingMessage,
  res: Answer,
  { bytesMax, admission, noteSize }: JsonBody,
): Promise<Buffer> {
  const body = await readBody(req, {
    bytesMax,
    types: ['application/json'],
    ...(noteSize && { noteSize: (size, read) => noteSize(res, size, read) }),
  });
  admission.bodyRead(res, body.length);
  return body;
}

/** Like `readAdmittedJson`, into `req.body` for an express route. */
export function readJsonBody(
  bytesMax: number,
  admission: Pick<Admission, 'bodyRead'>,
): RequestHandler {
  return async (req, res, next) => {
    req.body = await readAdmittedJson(req, res, { bytesMax, admission });
    next();
  };
}
