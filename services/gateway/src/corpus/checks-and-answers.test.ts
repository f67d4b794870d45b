import { gzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import { createAdmission } from '@tidings/platform';
import { BusUnavailableError } from '@tidings/bus';
import type { ErrorCode, IngestAccepted } from '@tidings/contracts';
import { describeCorpus } from '../testing/corpus.ts';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type Answer,
  type PostOptions,
  type TestGatewayOptions,
} from '../testing/test-gateway.ts';

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
  check(
    'it has requestId, status, received, accepted and warnings, and nothing else',
    async (gateway) => {
      const { messages } = batchWith();

      const { headers, body } = await gateway.post({
        customUserId: 'u1',
        messages: [...messages, ...messages, ...messages],
      });

      expect(body).toEqual({
        requestId: headers.get('X-Request-Id'),
        status: 'accepted',
        received: 3,
        accepted: 3,
        warnings: [],
      });
    },
  );
  check('a warning has code, pointer and detail', async (gateway) => {
    const { warnings } = (await gateway.post(batchWith({ extra: 1 }))).body as IngestAccepted;

    expect(warnings).toEqual([
      { code: 'unknown_field', pointer: '/messages/0/extra', detail: expect.stringMatching(/./) },
    ]);
  });
  check('there are at most 100 warnings', async (gateway) => {
    const { messages } = batchWith({ extra: 1 });

    const { warnings } = (
      await gateway.post({
        customUserId: 'u1',
        messages: Array.from({ length: 101 }, () => messages[0]),
      })
    ).body as IngestAccepted;

    expect(warnings).toHaveLength(100);
  });
  check('a warning does not repeat a name of 30,000 characters', async (gateway) => {
    const { text, body } = await gateway.post(batchWith({ ['k'.repeat(30_000)]: 1 }));

    expect((body as IngestAccepted).warnings).toMatchObject([
      { code: 'unknown_field', pointer: '/messages/0' },
    ]);
    expect(text.length).toBeLessThan(1_000);
  });
});

const [valid] = batchWith().messages;
const mixed = {
  customUserId: 'u1',
  messages: [
    { ...valid, id: 'a', time: 'x' },
    { ...valid, id: 'b' },
    { ...valid, id: 'c', customName: 5, attributes: 5 },
  ],
};
const lenient = (Prefer = 'handling=lenient') => ({ headers: { ...SERVER_HEADERS, Prefer } });

describeCorpus('atomic, or lenient', ({ check }) => {
  check(
    'any structural error in any message is 400, nothing is published, all errors are listed with pointers',
    async (gateway) => {
      const before = gateway.records.length;

      const { status, problem } = await gateway.post(mixed);

      expect(status).toBe(400);
      expect(new Set(problem.errors?.map(({ pointer }) => pointer))).toEqual(
        new Set(['/messages/0/time', '/messages/2/customName', '/messages/2/attributes']),
      );
      expect(gateway.records).toHaveLength(before);
    },
  );
  check('up to 100 errors are listed', async (gateway) => {
    const { problem } = await gateway.post({
      customUserId: 'u1',
      messages: Array.from({ length: 101 }, () => ({ ...valid, time: 'x' })),
    });

    expect([problem.errors?.length, problem.errorsTruncated]).toEqual([100, true]);
  });
  check('exactly 100 errors are not called truncated', async (gateway) => {
    const { problem } = await gateway.post({
      customUserId: 'u1',
      messages: Array.from({ length: 100 }, () => ({ ...valid, time: 'x' })),
    });

    expect([problem.errors?.length, problem.errorsTruncated]).toEqual([100, undefined]);
  });
  check(
    'Prefer: handling=lenient opts into partial acceptance with status partial and rejected',
    async (gateway) => {
      const { status, body } = await gateway.post(mixed, lenient());

      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'partial',
        received: 3,
        accepted: 1,
        rejected: [
          {
            index: 0,
            id: 'a',
            pointer: '/messages/0/time',
            code: 'wrong_type',
            detail: expect.stringMatching(/./),
          },
          { index: 2, id: 'c', code: 'wrong_type', detail: expect.stringMatching(/./) },
        ],
      });
      expect(JSON.parse(String(gateway.records.at(-1)?.value))).toEqual({
        customUserId: 'u1',
        messages: [mixed.messages[1]],
      });
    },
  );
  check('Preference-Applied is echoed', async (gateway) => {
    expect(
      (await gateway.post(mixed, lenient('wait=5, Handling="lenient"; x'))).headers.get(
        'Preference-Applied',
      ),
    ).toBe('handling=lenient');
    expect((await gateway.post(batchWith(), lenient())).headers.get('Preference-Applied')).toBe(
      'handling=lenient',
    );
    expect((await gateway.post(batchWith())).headers.get('Preference-Applied')).toBeNull();
  });
  check('if no message is acceptable, 400 as usual', async (gateway) => {
    const { status, problem } = await gateway.post(
      { ...mixed, messages: [mixed.messages[0]] },
      lenient(),
    );

    expect([status, problem.code, problem.errors?.length]).toEqual([400, 'validation_failed', 1]);
  });
});

describeCorpus('Kafka away', ({ check }) => {
  const expectUnavailable = ({ status, headers, problem }: Answer): void => {
    expect([status, problem.code]).toEqual([503, 'unavailable']);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  };

  check('unreachable is 503 problem+json with Retry-After, never 200', async () => {
    await using gateway = await startTestGateway({
      append: () => Promise.reject(new BusUnavailableError('canary')),
    });

    const answer = await gateway.post(batchWith());

    expectUnavailable(answer);
    expect(answer.text).not.toContain('canary');
  });
  check('a lenient request is no exception', async () => {
    await using gateway = await startTestGateway({
      append: () => Promise.reject(new BusUnavailableError('canary')),
    });

    expectUnavailable(await gateway.post(mixed, lenient()));
    expect(gateway.rejections).toEqual([]);
  });
  check('memory stays bounded: admission by pending bytes, before the body is read', async () => {
    await using gateway = await startTestGateway({
      admissions: { ingest: createAdmission({ path: 'ingest', bytesMax: 1_000, requestsMax: 10 }) },
    });

    expectUnavailable(await gateway.post(`{"customUserId":"u1","x":"${'x'.repeat(2_000)}"}`));
    expect((await gateway.post(batchWith())).status).toBe(200);
  });
});

describeCorpus('rejected requests in the ingest log', ({ check }) => {
  const rejectedWith = async (
    body: unknown,
    options: PostOptions = {},
    gatewayOptions: TestGatewayOptions = {},
  ) => {
    await using gateway = await startTestGateway(gatewayOptions);
    const { headers } = await gateway.post(body, options);
    expect(gateway.rejections.map(({ requestId }) => requestId)).toEqual([
      headers.get('X-Request-Id'),
    ]);
    return gateway.rejections[0];
  };

  check('400, with its errors', async () => {
    expect(await rejectedWith(batchWith({ time: 'canary' }))).toMatchObject({
      applicationId: APPLICATION_ID,
      status: 400,
      code: 'validation_failed',
      errors: [
        {
          pointer: '/messages/0/time',
          index: 0,
          messageId: 'm1',
          code: 'wrong_type',
          expected: 'integer',
        },
      ],
    });
  });
  check('413', async () => {
    expect(await rejectedWith(' '.repeat(MIB + 1))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
  });
  check('429', async () => {
    await using gateway = await startTestGateway(spent);

    await gateway.post(batchWith());
    await gateway.post(batchWith());

    expect(gateway.rejections).toMatchObject([{ status: 429, code: 'rate_limited' }]);
  });
  check('403 of a known application for what its Client key sent', async () => {
    expect(
      await rejectedWith(batchWith({ type: 'businessEvent' }), { headers: CLIENT_HEADERS }),
    ).toMatchObject({ status: 403, code: 'client_key_forbidden', address: null });
  });
  check('403 of a known application for its address, which is named', async () => {
    expect(await rejectedWith(batchWith(), {}, strangers)).toMatchObject({
      status: 403,
      code: 'ip_not_allowed',
      address: '127.0.0.1',
    });
  });
  check('what was rejected of a partial acceptance', async () => {
    const entry = await rejectedWith(mixed, lenient());

    expect(entry).toMatchObject({ status: 200, code: 'validation_failed' });
    expect(entry?.errors.map(({ index, messageId }) => [index, messageId])).toEqual([
      [0, 'a'],
      [2, 'c'],
    ]);
  });
  check(
    'names the user of a rejected or partial batch, and none of an unreadable one',
    async () => {
      const bodies: readonly (readonly [unknown, PostOptions, string | null])[] = [
        [batchWith({ time: 'canary' }), {}, 'u1'],
        [mixed, lenient(), mixed.customUserId],
        [batchWith({}, { customUserId: 'u'.repeat(257) }), {}, null],
        [batchWith({}, { customUserId: 'u\0' }), {}, null],
        ['{"customUserId":"u1","messages":[}', {}, null],
      ];
      for (const [body, options, customUserId] of bodies)
        expect(await rejectedWith(body, options)).toMatchObject({
          customUserId,
          serviceUserId: null,
        });
    },
  );
  check('no entry for an unknown application', async () => {
    await using gateway = await startTestGateway();

    await gateway.post(batchWith(), { headers: WRONG_KEY });

    expect(gateway.rejections).toEqual([]);
  });
});
