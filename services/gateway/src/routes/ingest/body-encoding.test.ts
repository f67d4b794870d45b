import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { expect } from '@jest/globals';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import { describeCorpus, textWith, type CorpusCase } from '../../testing/corpus.ts';
import { SERVER_HEADERS, batchWith, startTestGateway } from '../../testing/test-gateway.ts';

const MIB = 1024 * 1024;
const text = JSON.stringify(batchWith());
const padded = (bytes: number): string => text + ' '.repeat(bytes - text.length);
const latin1 = (value: string): Buffer => Buffer.from(text.replace('u1', value), 'latin1');
const as = (fields: Readonly<Record<string, string>>) => ({
  headers: { ...SERVER_HEADERS, ...fields },
});
const encoded = (encoding: string) => as({ 'Content-Encoding': encoding });
const typed = (type: string) => as({ 'Content-Type': type });

const noJson = (name: string, body: string | Buffer): CorpusCase => ({
  name,
  body,
  status: 400,
  code: 'invalid_json',
});
const noEnvelope = (name: string, body: string): CorpusCase => ({
  name,
  body,
  status: 400,
  code: 'validation_failed',
  errors: [' wrong_type'],
});
const noType = (type: string, body: string | Buffer = text): CorpusCase => ({
  name: type,
  body,
  ...typed(type),
  status: 415,
  code: 'unsupported_media_type',
});
const noEncoding = (encoding: string, body: Buffer): CorpusCase => ({
  name: `Content-Encoding ${encoding}`,
  body,
  ...encoded(encoding),
  status: 415,
  code: 'unsupported_media_type',
});
const badlyEncoded = (name: string, encoding: string, body: Buffer): CorpusCase => ({
  name,
  body,
  ...encoded(encoding),
  status: 400,
  code: 'invalid_json',
});
describeCorpus('JSON', ({ cases }) => {
  cases([
    noJson('empty', ''),
    noJson('whitespace', ' \r\n\t '),
    noEnvelope('null', 'null'),
    noEnvelope('5', '5'),
    noEnvelope('"x"', '"x"'),
    noEnvelope('[]', '[]'),
    {
      name: '{}',
      body: '{}',
      status: 400,
      code: 'validation_failed',
      errors: ['/messages required'],
    },
    noJson('{}{}', '{}{}'),
    noJson('two batches', `${text}${text}`),
    noJson('400,000 opening brackets', '['.repeat(400_000)),
    noJson('a bad escape', text.replace('u1', String.raw`\ud8`)),
    noJson('trailing comma in an object', `${text.slice(0, -1)},}`),
    noJson('trailing comma in an array', text.replace('}]', '},]')),
    noJson('comment of a line', `${text} // canary`),
    noJson('comment of a block', `/* canary */ ${text}`),
    noJson('single quotes', text.replaceAll('"', "'")),
    noJson('NaN', textWith('"time":NaN')),
    noJson('Infinity', textWith('"time":Infinity')),
    noJson('-Infinity', textWith('"time":-Infinity')),
    noJson('leading zeros', textWith('"time":017')),
    noJson('a plus sign', textWith('"time":+17')),
    noJson('a bare fraction', textWith('"time":.5')),
    noJson('hex', textWith('"time":0x11')),
    { name: 'BOM', body: `\ufeff${text}`, status: 200, published: text },
    noJson('two BOMs', `\ufeff\ufeff${text}`),
    noJson('unterminated', text.slice(0, -1)),
    noJson('unterminated string', text.slice(0, text.indexOf('opened') + 3)),
    noJson('raw NUL', text.replace('u1', 'u\0')),
    noJson('raw NUL behind the batch', `${text}\0`),
    noJson('raw control char', text.replace('u1', 'u\u001f')),
    noJson('raw line feed in a string', text.replace('u1', 'u\n')),
    noJson('canary of no JSON at all', 'canary'),
  ]);
});

describeCorpus('UTF-8', ({ cases }) => {
  cases([
    noJson('invalid UTF-8 FF FE', latin1('\xff\xfe')),
    noJson('FF FE before the batch', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)])),
    noJson('overlong C0 80', latin1('\xc0\x80')),
    noJson('overlong slash E0 80 AF', latin1('\xe0\x80\xaf')),
    noJson('CESU ED A0 80', latin1('\xed\xa0\x80')),
    noJson('CESU pair', latin1('\xed\xa0\xbd\xed\xb8\x80')),
    noJson('truncated multibyte', latin1('\xe2\x82')),
    noJson(
      'truncated multibyte at the end',
      Buffer.concat([Buffer.from(text), Buffer.from([0xe2, 0x82])]),
    ),
    noJson('beyond U+10FFFF', latin1('\xf4\x90\x80\x80')),
    noJson('latin1 that calls itself UTF-8', latin1('\xe9')),
    noJson('utf-16le that calls itself UTF-8', Buffer.from(text, 'utf16le')),
    { name: 'four-byte characters', body: text.replace('u1', '😀'), status: 200 },
  ]);
});

describeCorpus('charset and type', ({ cases, check }) => {
  cases([
    noType('application/json; charset=utf-16le', Buffer.from(text, 'utf16le')),
    noType('application/json; charset=utf-16'),
    noType('application/json; charset=utf-7'),
    noType('application/json; charset="iso-8859-1"'),
    noType('application/json; charset=latin1', latin1('\xe9')),
    noType('application/json; charset=bogus'),
    noType('application/json; charset=""utf-8'),
    noType('text/plain'),
    noType('text/plain;charset=UTF-8'),
    noType('text/json'),
    noType('json'),
    noType('application/vnd.api+json'),
    noType('application/problem+json'),
    noType('multipart/form-data; boundary=x'),
    noType('application/x-www-form-urlencoded'),
    noType('application/jsonp'),
    ...[
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'APPLICATION/JSON',
      'application/json; charset=utf8',
      'application/json; x=y',
      'application/json ; charset=utf8; x=y',
    ].map((type): CorpusCase => ({ name: type, body: text, ...typed(type), status: 200 })),
  ]);

  check('no content type', async (gateway) => {
    const { 'Content-Type': _, ...headers } = SERVER_HEADERS;
    const before = gateway.records.length;

    const { status, problem } = await gateway.post(Buffer.from(text), { headers });

    expect([status, problem.code]).toEqual([415, 'unsupported_media_type']);
    expect(gateway.records).toHaveLength(before);
  });
});

describeCorpus('encoding and size', ({ cases }) => {
  cases([
    ...['gzip', 'GZIP'].map((encoding): CorpusCase => ({
      name: encoding,
      body: gzipSync(text),
      ...encoded(encoding),
      status: 200,
      published: text,
    })),
    { name: 'identity', body: text, ...encoded('identity'), status: 200 },
    {
      name: 'gzip in two members',
      body: Buffer.concat([gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))]),
      ...encoded('gzip'),
      status: 200,
      published: text,
    },
    {
      name: 'deflate',
      body: deflateSync(text),
      ...encoded('deflate'),
      status: 200,
      published: text,
    },
    { name: 'br', body: brotliCompressSync(text), ...encoded('br'), status: 200, published: text },
    badlyEncoded('gzip truncated', 'gzip', gzipSync(text).subarray(0, -12)),
    badlyEncoded(
      'gzip with a wrong checksum',
      'gzip',
      Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8)]),
    ),
    badlyEncoded('gzip header on plain', 'gzip', Buffer.from(text)),
    badlyEncoded('br header on plain', 'br', Buffer.from(text)),
    badlyEncoded('br truncated', 'br', brotliCompressSync(text).subarray(0, -4)),
    badlyEncoded('deflate without its header', 'deflate', deflateRawSync(text)),
    badlyEncoded('gzip of nothing', 'gzip', gzipSync('')),
    badlyEncoded('nothing at all, by gzip', 'gzip', Buffer.alloc(0)),
    badlyEncoded('gzip twice that says so once', 'gzip', gzipSync(gzipSync(text))),
    noEncoding('gzip, gzip', gzipSync(gzipSync(text))),
    noEncoding('gzip,br', brotliCompressSync(gzipSync(text))),
    noEncoding('zstd', zstdCompressSync(text)),
    noEncoding('compress', gzipSync(text)),
    ...['constructor', 'toString', 'x-gzip', 'utf-8', '*'].map((encoding) =>
      noEncoding(encoding, gzipSync(text)),
    ),
    { name: '1 MiB exactly', body: padded(MIB), status: 200 },
    {
      name: '1 MiB exactly behind gzip',
      body: gzipSync(padded(MIB)),
      ...encoded('gzip'),
      status: 200,
      published: padded(MIB),
    },
  ]);
});

/** A request whose body has not arrived yet. */
function openCall(
  url: string,
  headers: Readonly<Record<string, string>>,
): { readonly call: ClientRequest; readonly answered: Promise<IncomingMessage> } {
  const call = request(url, { method: 'POST', headers: { ...SERVER_HEADERS, ...headers } });
  call.on('error', () => undefined);
  const answered = once(call, 'response').then(([response]) => response as IncomingMessage);
  return { call, answered };
}

describeCorpus('bodies that do not come as they should', ({ check }) => {
  check('a byte now and then is 408 when the time for a request is over', async () => {
    await using impatient = await startTestGateway({ requestTimeoutMs: 600 });
    const { call, answered } = openCall(impatient.url, { 'Content-Length': '100000' });
    const drip = setInterval(() => call.write(' '), 20);

    const response = await answered;
    clearInterval(drip);

    const problem = JSON.parse(await readText(response)) as Problem;
    expect([response.statusCode, problem.code]).toEqual([408, 'request_timeout']);
    expect(response.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-request-id': problem.requestId,
      'api-version': '1',
    });
    expect(impatient.records).toEqual([]);
    call.destroy();
  });

  check('a gzip body cut off by its length is 400', async (gateway) => {
    const before = gateway.records.length;
    const { call, answered } = openCall(gateway.url, {
      'Content-Encoding': 'gzip',
      'Transfer-Encoding': 'chunked',
    });
    call.end(gzipSync(text).subarray(0, 30));

    expect((await answered).statusCode).toBe(400);
    expect(gateway.records).toHaveLength(before);
    call.destroy();
  });
});
