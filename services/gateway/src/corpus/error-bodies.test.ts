import { expect } from '@jest/globals';
import { ERROR_CODES, type FieldCode } from '@tidings/contracts';
import { isUuid } from '@tidings/platform';
import { describeCorpus, textWith } from '../testing/corpus.ts';
import { SERVER_HEADERS, batchWith, startTestGateway } from '../testing/test-gateway.ts';

const WRONG_KEY = { ...SERVER_HEADERS, 'X-API-Key': 'sk_wrong' };
const [message] = batchWith().messages;

describeCorpus('the body of an error', ({ check }) => {
  check(
    'it has type, title, status, code, detail, requestId and errors, and nothing else',
    async (gateway) => {
      const { headers, body } = await gateway.post(batchWith({ id: 'b2', time: 'x' }));

      expect(headers.get('Content-Type')).toBe('application/problem+json');
      expect(body).toEqual({
        type: 'urn:tidings:error:validation_failed',
        title: ERROR_CODES.validation_failed.title,
        status: 400,
        code: 'validation_failed',
        detail: expect.stringMatching(/./),
        requestId: headers.get('X-Request-Id'),
        errors: [
          {
            pointer: '/messages/0/time',
            index: 0,
            messageId: 'b2',
            code: 'wrong_type',
            expected: 'integer',
          },
        ],
      });
    },
  );
  check('an entry of every code says what was expected', async (gateway) => {
    const { problem } = await gateway.post({
      customUserId: 5,
      messages: [
        {},
        { ...message, currency: 5 },
        { ...message, type: 'revenue', revenue: '', currency: 'eur' },
        { type: 'user', id: '', time: 1, customAttributes: { a: [] } },
      ],
    });

    expect(problem.errors?.length).toBeGreaterThan(6);
    for (const { expected } of problem.errors ?? []) expect(expected).toMatch(/./);
  });
  check('a fault of the envelope has no message', async (gateway) => {
    expect((await gateway.post({ messages: [message] })).problem.errors).toEqual([
      { pointer: '/customUserId', code: 'required', expected: 'customUserId or serviceUserId' },
    ]);
  });
  check('the id of a message is not shown where it is what is wrong', async (gateway) => {
    expect((await gateway.post(batchWith({ id: 'x'.repeat(129) }))).problem.errors).toEqual([
      { pointer: '/messages/0/id', index: 0, code: 'too_long', expected: 'at most 128 characters' },
    ]);
  });
  check('one entry per fault: a message with three has three', async (gateway) => {
    const { problem } = await gateway.post(batchWith({ time: 'x', name: 'abcde', attributes: [] }));

    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/messages/0 exactly_one_of',
      '/messages/0/attributes wrong_type',
      '/messages/0/time wrong_type',
    ]);
  });
  check('naming faults have the pointer of the message', async (gateway) => {
    expect((await gateway.post(batchWith({ customName: undefined }))).problem.errors).toEqual([
      {
        pointer: '/messages/0',
        index: 0,
        messageId: 'm1',
        code: 'exactly_one_of',
        expected: 'exactly one of name and customName',
      },
    ]);
  });
  check('pointers escape ~ and / (RFC 6901)', async (gateway) => {
    const { problem } = await gateway.post(
      `{"customUserId":"u1","messages":[{"type":"user","id":"m1","time":1,"customAttributes":{"a/b~c":[]}}]}`,
    );

    expect(problem.errors?.[0]?.pointer).toBe('/messages/0/customAttributes/a~1b~0c');
  });
  check('values sent by the caller are never echoed', async (gateway) => {
    const canary = 'canary-value';

    const { text } = await gateway.post({
      customUserId: [canary],
      serviceUserId: { a: canary },
      messages: [
        canary,
        { type: canary, id: [canary], time: canary, customName: [canary], attributes: canary },
        { ...message, type: 'revenue', revenue: canary, currency: canary },
      ],
    });

    expect(text).not.toContain(canary);
  });
  check('a key of 20,000 characters is not repeated', async (gateway) => {
    const { text, problem } = await gateway.post(
      `{"customUserId":"u1","messages":[{"type":"user","id":"m1","time":1,"customAttributes":{"${'k'.repeat(20_000)}":[]}}]}`,
    );

    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/messages/0/customAttributes unsupported_type',
    ]);
    expect(text.length).toBeLessThan(1_000);
  });
  check('internal messages are never echoed', async () => {
    await using gateway = await startTestGateway({
      append: () => Promise.reject(new Error('canary at 10.0.0.1')),
    });

    const { status, text } = await gateway.post(batchWith());

    expect(status).toBe(500);
    expect(text).not.toMatch(/canary|10\.0\.0\.1|Error/);
  });
});

/** Only `/push` has templates. */
type TemplateCode = 'template_syntax' | 'unknown_variable' | 'unsafe_place';

/** One request for each code, so all other field codes are produced. */
const PRODUCERS = {
  required: batchWith({ time: undefined }),
  wrong_type: batchWith({ time: '1' }),
  out_of_range: textWith('"time":9223372036854775808'),
  invalid_value: batchWith({ type: 'click' }),
  exactly_one_of: batchWith({ name: 'abcde' }),
  unsupported_type: {
    customUserId: 'u1',
    messages: [{ type: 'user', id: 'm1', time: 1, customAttributes: { a: [] } }],
  },
  too_long: batchWith({ customName: 'x'.repeat(257) }),
  too_many: { customUserId: 'u1', messages: Array.from({ length: 1_001 }, () => message) },
  empty: { customUserId: 'u1', messages: [] },
  nul_not_allowed: textWith(String.raw`"customName":"\u0000"`),
  too_deep: batchWith({
    attributes: JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`) as unknown,
  }),
} as const satisfies Record<Exclude<FieldCode, TemplateCode>, unknown>;

describeCorpus('field codes', ({ check }) => {
  for (const [code, body] of Object.entries(PRODUCERS)) {
    check(code, async (gateway) => {
      const { status, problem } = await gateway.post(body);

      expect(status).toBe(400);
      expect(problem.errors?.map((error) => error.code)).toEqual([code]);
    });
  }
});

describeCorpus('every answer', ({ check }) => {
  const requests: readonly (readonly [string, number, (url: string) => Promise<Response>])[] = [
    [
      '200',
      200,
      (url) =>
        fetch(url, { method: 'POST', headers: SERVER_HEADERS, body: JSON.stringify(batchWith()) }),
    ],
    ['400', 400, (url) => fetch(url, { method: 'POST', headers: SERVER_HEADERS, body: '{' })],
    ['403', 403, (url) => fetch(url, { method: 'POST', headers: WRONG_KEY, body: '{' })],
    ['404', 404, (url) => fetch(`${url}/nothing`, { method: 'POST' })],
    ['405', 405, (url) => fetch(url, { method: 'DELETE' })],
    [
      '413',
      413,
      (url) =>
        fetch(url, { method: 'POST', headers: SERVER_HEADERS, body: ' '.repeat(1024 * 1024 + 1) }),
    ],
    [
      '415',
      415,
      (url) =>
        fetch(url, {
          method: 'POST',
          headers: { ...SERVER_HEADERS, 'Content-Type': 'text/csv' },
          body: '{',
        }),
    ],
    [
      '431',
      431,
      (url) =>
        fetch(url, {
          method: 'POST',
          headers: { ...SERVER_HEADERS, 'X-Large': 'x'.repeat(17 * 1024) },
          body: '{',
        }),
    ],
  ];
  for (const [name, status, send] of requests) {
    check(`${name} has X-Request-Id and API-Version: 1`, async (gateway) => {
      const response = await send(gateway.url);

      expect(response.status).toBe(status);
      expect(isUuid(response.headers.get('X-Request-Id') ?? '')).toBe(true);
      expect(response.headers.get('API-Version')).toBe('1');
      const body = (await response.json()) as { requestId: string };
      expect(body.requestId).toBe(response.headers.get('X-Request-Id'));
      if (status >= 400)
        expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    });
  }
});
