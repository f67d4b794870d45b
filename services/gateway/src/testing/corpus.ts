import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '@tidings/contracts/errors/error-codes';
import { MESSAGE_TYPES, type IngestAccepted } from '@tidings/contracts/ingest/ingest';
import {
  batchWith,
  startTestGateway,
  type Answer,
  type PostOptions,
  type TestGateway,
} from './test-gateway.ts';

/** One request and its expected result. */
export type CorpusCase = PostOptions & {
  /** Short title that distinguishes it from its neighbours. */
  readonly name: string;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  readonly body: unknown;
  readonly status: number;
  readonly code?: ErrorCode;
  /** All faults, each as its pointer and its code, and for some `: ` and what was expected. */
  readonly errors?: readonly string[];
  /** All warnings, each as its pointer and its code. */
  readonly warnings?: readonly string[];
  /** The forwarded bytes, if they differ from the body. */
  readonly published?: string;
};

export type CorpusSection = {
  readonly gateway: () => TestGateway;
  readonly cases: (cases: readonly CorpusCase[]) => void;
  /** A case of several requests. */
  readonly check: (name: string, run: (gateway: TestGateway) => Promise<void>) => void;
};

/** The largest bodies are slow on a busy machine. */
const CASE_TIMEOUT_MS = 30_000;

/**
 * Runs the cases of one section against one gateway over HTTP. Prints the number of passed cases at
 * the end.
 */
export function describeCorpus(section: string, define: (corpus: CorpusSection) => void): void {
  describe(section, () => {
    let gateway: TestGateway;
    const tally = { defined: 0, passed: 0 };
    const check: CorpusSection['check'] = (name, run) => {
      tally.defined += 1;
      test(
        name,
        async () => {
          await run(gateway);
          await expectAlive(gateway);
          tally.passed += 1;
        },
        CASE_TIMEOUT_MS,
      );
    };
    beforeAll(async () => {
      gateway = await startTestGateway();
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      const { passed, defined } = tally;
      process.stderr.write(
        `${section}: ${passed === defined ? '' : `${passed} of `}${defined} ${defined === 1 ? 'case' : 'cases'} passed\n`,
      );
    });
    define({
      gateway: () => gateway,
      check,
      cases: (cases) =>
        cases.forEach((row) => check(row.name, (running) => expectCase(running, row))),
    });
  });
}

async function expectCase(gateway: TestGateway, row: CorpusCase): Promise<void> {
  const before = gateway.records.length;

  const answer = await gateway.post(row.body, row);

  expect([answer.status, answer.problem.code]).toEqual([row.status, row.code]);
  expect(answer.headers.get('API-Version')).toBe('1');
  if (row.status === 200) {
    const accepted = answer.body as IngestAccepted;
    expect(accepted).toMatchObject({
      status: 'accepted',
      requestId: answer.headers.get('X-Request-Id'),
    });
    expect(accepted.accepted).toBe(accepted.received);
    expect(accepted.warnings.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(
      row.warnings ?? [],
    );
    expect(gateway.records.slice(before).map(({ value }) => String(value))).toEqual([
      row.published ?? toText(row.body),
    ]);
    return;
  }
  expect(gateway.records).toHaveLength(before);
  expectProblem(answer, row);
  expectNoEcho(answer, row.body);
}

/** Checks every rejection: the format of the response and all its faults. */
export function expectProblem(
  { headers, problem, status }: Answer,
  { errors }: Pick<CorpusCase, 'errors'>,
): void {
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  expect(problem).toMatchObject({ status, requestId: headers.get('X-Request-Id') });
  const texts = new Map(
    errors?.map((error) => {
      const [fault = '', text] = error.split(': ');
      return [fault, text] as const;
    }),
  );
  expect(new Set(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`))).toEqual(
    new Set(texts.keys()),
  );
  expect(problem.errors?.length).toBe(errors?.length);
  for (const { pointer, code, index, expected } of problem.errors ?? []) {
    expect(expected).toMatch(/./);
    expect(expected).toBe(texts.get(`${pointer} ${code}`) ?? expected);
    expect(index).toBe(/^\/messages\/\d/.test(pointer) ? Number(pointer.split('/')[2]) : undefined);
  }
}

/** Responses do not repeat values of a request, only field names and message ids. */
export function expectNoEcho({ text }: Answer, body: unknown): void {
  expect(listValues(body).filter((value) => text.includes(value))).toEqual([]);
}

function listValues(body: unknown): string[] {
  const stack = [parsed(body)];
  const values: string[] = [];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (
      typeof value === 'string' &&
      value.length > 3 &&
      !(MESSAGE_TYPES as readonly string[]).includes(value)
    )
      values.push(value);
    // A faulty id is not repeated either.
    else if (typeof value === 'object' && value !== null)
      stack.push(
        ...Object.entries(value).flatMap(([key, item]): unknown[] =>
          key === 'id' || item === undefined ? [] : [item],
        ),
      );
  }
  return values;
}

function parsed(body: unknown): unknown {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return body;
  try {
    return JSON.parse(String(body));
  } catch {
    return String(body);
  }
}

function toText(body: unknown): string {
  return typeof body === 'string' || Buffer.isBuffer(body) ? String(body) : JSON.stringify(body);
}

/** The next request is answered normally after any input. */
async function expectAlive(gateway: TestGateway): Promise<void> {
  expect((await gateway.post(batchWith())).status).toBe(200);
}

/** A batch of one `action` message with literal JSON fields, which objects cannot express. */
export function textWith(fields: string, envelope = '"customUserId":"u1"'): string {
  const defaults = Object.entries(batchWith().messages[0] ?? {}).filter(
    ([key]) => !fields.includes(`"${key}":`),
  );
  const message = [
    ...defaults.map(([key, value]) => `"${key}":${JSON.stringify(value)}`),
    ...(fields === '' ? [] : [fields]),
  ].join(',');
  return `{${envelope === '' ? '' : `${envelope},`}"messages":[{${message}}]}`;
}
