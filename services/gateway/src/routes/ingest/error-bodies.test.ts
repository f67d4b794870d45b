import { expect } from '@jest/globals';
import { ERROR_CODES, type FieldCode } from '@tidings/contracts/errors/error-codes';
import { describeCorpus, textWith } from '../../testing/corpus.ts';
import { batchWith } from '../../testing/test-gateway.ts';

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
  check('a key of 20,000 characters is not repeated', async (gateway) => {
    const { text, problem } = await gateway.post(
      `{"customUserId":"u1","messages":[{"type":"user","id":"m1","time":1,"customAttributes":{"${'k'.repeat(20_000)}":[]}}]}`,
    );

    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/messages/0/customAttributes unsupported_type',
    ]);
    expect(text.length).toBeLessThan(1_000);
  });
});

/** Only `/push` has templates, and only automations name live segments. */
type OtherCode = 'template_syntax' | 'unknown_variable' | 'unsafe_place' | 'not_live';

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
} as const satisfies Record<Exclude<FieldCode, OtherCode>, unknown>;

describeCorpus('field codes', ({ check }) => {
  for (const [code, body] of Object.entries(PRODUCERS)) {
    check(code, async (gateway) => {
      const { status, problem } = await gateway.post(body);

      expect(status).toBe(400);
      expect(problem.errors?.map((error) => error.code)).toEqual([code]);
    });
  }
});
