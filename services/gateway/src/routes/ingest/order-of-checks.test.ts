import { gzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import { createAdmission } from '@tidings/http/admission';
import { BusUnavailableError } from '@tidings/bus';
import type { ErrorCode } from '@tidings/contracts/errors/error-codes';
import type { IngestAccepted } from '@tidings/contracts/ingest/ingest';
import { describeCorpus } from '../../testing/corpus.ts';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type PostOptions,
  type TestGatewayOptions,
} from '../../testing/test-gateway.ts';

const MIB = 1024 * 1024;
const WRONG_KEY = { ...SERVER_HEADERS, 'X-API-Key': 'sk_wrong' };
const PLAIN_TEXT = { ...SERVER_HEADERS, 'Content-Type': 'text/plain' };
const GZIP = { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' };
const strangers = {
  findKeyGrant: async () => grantWith(APPLICATION_ID, 'server', { allowList: ['192.0.2.1'] }),
};
const full = {
  admissions: { ingest: createAdmission({ path: 'ingest', bytesMax: 1, requestsMax: 1 }) },
};
const spent = { rates: { ingest: { perSecond: 0.001, burst: 1 } } };

type Step = readonly [
  name: string,
  options: TestGatewayOptions,
  request: PostOptions & { readonly body: unknown },
  status: number,
  code: ErrorCode,
];

/** Each request has the fault in its title and, where possible, the faults of all later checks. The first fault is reported. */
const ORDER: readonly Step[] = [
  [
    'route (404), with any credentials',
    {},
    { path: '/v2', headers: WRONG_KEY, body: '{' },
    404,
    'not_found',
  ],
  [
    'credentials (403), though the JSON is broken',
    {},
    { headers: WRONG_KEY, body: '{' },
    403,
    'forbidden',
  ],
  [
    'credentials (403), though there is no room',
    full,
    { headers: WRONG_KEY, body: '{' },
    403,
    'forbidden',
  ],
  [
    'address (403), though there is no room',
    { ...strangers, ...full },
    { body: '{' },
    403,
    'ip_not_allowed',
  ],
  [
    'admission (503), though the size is wrong',
    full,
    { body: ' '.repeat(MIB + 1) },
    503,
    'unavailable',
  ],
  [
    'size as sent (413), though the type is wrong',
    {},
    { headers: PLAIN_TEXT, body: ' '.repeat(MIB + 1) },
    413,
    'payload_too_large',
  ],
  [
    'content type (415), though it is no gzip',
    {},
    { headers: { ...PLAIN_TEXT, 'Content-Encoding': 'gzip' }, body: 'x' },
    415,
    'unsupported_media_type',
  ],
  [
    'encoding (415), though it is no JSON',
    {},
    { headers: { ...SERVER_HEADERS, 'Content-Encoding': 'zstd' }, body: '{' },
    415,
    'unsupported_media_type',
  ],
  [
    'size decompressed (413), though it is no UTF-8',
    {},
    { headers: GZIP, body: gzipSync(Buffer.alloc(MIB + 1, 0xff)) },
    413,
    'payload_too_large',
  ],
  [
    'UTF-8 (400), though it is no JSON',
    {},
    { body: Buffer.from([0x7b, 0xff]) },
    400,
    'invalid_json',
  ],
  [
    'schema (400), though a Client key may not send it',
    {},
    { headers: CLIENT_HEADERS, body: batchWith({ type: 'businessEvent', time: 'x' }) },
    400,
    'validation_failed',
  ],
  [
    'what the key’s type may send (403), though it cannot be published',
    { append: () => Promise.reject(new BusUnavailableError('away')) },
    { headers: CLIENT_HEADERS, body: batchWith({ type: 'businessEvent' }) },
    403,
    'client_key_forbidden',
  ],
  [
    'publish (503)',
    { append: () => Promise.reject(new BusUnavailableError('away')) },
    { body: batchWith() },
    503,
    'unavailable',
  ],
];

describeCorpus('order of checks', ({ check }) => {
  for (const [name, options, { body, ...request }, status, code] of ORDER) {
    check(name, async () => {
      await using gateway = await startTestGateway(options);

      const { problem, ...answer } = await gateway.post(body, request);

      expect([answer.status, problem.code]).toEqual([status, code]);
      expect(gateway.records).toEqual([]);
    });
  }
  check('method (405), with any credentials', async (gateway) => {
    const response = await fetch(gateway.url, { method: 'PUT', body: '{' });

    expect([response.status, response.headers.get('Allow')]).toEqual([
      405,
      expect.stringContaining('POST'),
    ]);
  });
  check(
    'admission (503) before rate (429): a request that is not admitted spends nothing',
    async () => {
      await using gateway = await startTestGateway({
        ...spent,
        admissions: {
          ingest: createAdmission({ path: 'ingest', bytesMax: 1_000, requestsMax: 1 }),
        },
      });

      const statuses = [
        await gateway.post(' '.repeat(2_000)),
        await gateway.post(batchWith()),
        await gateway.post(batchWith()),
      ].map(({ status }) => status);

      expect(statuses).toEqual([503, 200, 429]);
    },
  );
  check('rate (429), though the size, the type and the JSON are wrong', async () => {
    await using gateway = await startTestGateway(spent);
    await gateway.post(batchWith());

    expect((await gateway.post(' '.repeat(MIB + 1), { headers: PLAIN_TEXT })).problem.code).toBe(
      'rate_limited',
    );
  });
  check('the alias /v1/ is the same', async (gateway) => {
    expect((await gateway.post(batchWith(), { path: '/v1/' })).status).toBe(200);
    expect((await gateway.post('{', { path: '/v1/', headers: WRONG_KEY })).status).toBe(403);
  });
});

describeCorpus('the answer', ({ check }) => {
  check('200 is sent only after the record was acknowledged', async () => {
    const order: string[] = [];
    await using gateway = await startTestGateway({
      append: async () => {
        await new Promise(setImmediate);
        order.push('acknowledged');
      },
    });

    await gateway.post(batchWith());
    order.push('answered');

    expect(order).toEqual(['acknowledged', 'answered']);
  });
  check('a warning does not repeat a name of 30,000 characters', async (gateway) => {
    const { text, body } = await gateway.post(batchWith({ ['k'.repeat(30_000)]: 1 }));

    expect((body as IngestAccepted).warnings).toMatchObject([
      { code: 'unknown_field', pointer: '/messages/0' },
    ]);
    expect(text.length).toBeLessThan(1_000);
  });
});
