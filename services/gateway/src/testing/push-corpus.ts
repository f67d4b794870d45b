import { expect } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { ErrorCode } from '@tidings/contracts/errors/error-codes';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import type { NewCampaign } from '@tidings/delivery/accept';
import { stringifyExactJson } from '@tidings/platform';
import { describeCorpus, expectNoEcho, expectProblem, type CorpusSection } from './corpus.ts';
import { SERVER_HEADERS, type Answer, type TestGateway } from './test-gateway.ts';

/** One push and its expected result. */
export type PushCase = {
  readonly name: string;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code?: ErrorCode;
  /** All faults, each as its pointer and its code. */
  readonly errors?: readonly string[];
  /** All warnings, each as its pointer and its code. */
  readonly warnings?: readonly string[];
  /** The stored message, if the case checks it; as text where objects cannot express it. */
  readonly message?: string | Readonly<Record<string, unknown>>;
  readonly recipients?: { readonly requested: number; readonly unique: number };
};

type PushSection = Pick<CorpusSection, 'check'> & {
  readonly cases: (cases: readonly PushCase[]) => void;
};

/**
 * Runs the pushes of one section against one gateway over HTTP. Prints the number of passed cases
 * at the end.
 */
export function describePushCorpus(section: string, define: (corpus: PushSection) => void): void {
  describeCorpus(section, ({ check }) => {
    define({
      check,
      cases: (cases) =>
        cases.forEach((row) => check(row.name, (gateway) => expectPush(gateway, row))),
    });
  });
}

/** Sends a push with a Server key. */
export function push(
  gateway: TestGateway,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return gateway.post(body, { path: '/push', headers: { ...SERVER_HEADERS, ...headers } });
}

async function expectPush(gateway: TestGateway, row: PushCase): Promise<void> {
  const before = { campaigns: gateway.campaigns.length, announced: gateway.announced.length };

  const answer = await push(gateway, row.body, row.headers);

  expect([answer.status, answer.problem.code]).toEqual([row.status, row.code]);
  expect(answer.headers.get('API-Version')).toBe('1');
  const stored = gateway.campaigns.slice(before.campaigns);
  if (row.status === 200) {
    expectAccepted(answer, row, stored);
    expect(gateway.announced.slice(before.announced)).toEqual([stored[0]?.campaignId]);
    return;
  }
  expect([stored, gateway.announced.slice(before.announced)]).toEqual([[], []]);
  expect(answer.headers.get('Location')).toBeNull();
  expectProblem(answer, row);
  expectNoEcho(answer, row.body);
}

function expectAccepted(
  { headers, body }: Answer,
  row: PushCase,
  stored: readonly NewCampaign[],
): void {
  const accepted = body as PushAccepted;
  expect(stored).toHaveLength(1);
  expect(Object.keys(accepted)).toEqual([
    'campaignId',
    'status',
    'channel',
    'recipients',
    'createdAt',
    'requestId',
    'warnings',
  ]);
  expect(accepted).toMatchObject({
    campaignId: stored[0]?.campaignId,
    status: 'queued',
    channel: stored[0]?.channel,
    requestId: headers.get('X-Request-Id'),
  });
  expect(headers.get('Location')).toBe(`/api/v1/campaigns/${accepted.campaignId}`);
  expect(accepted.warnings.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(
    row.warnings ?? [],
  );
  if (row.recipients !== undefined) expect(accepted.recipients).toEqual(row.recipients);
  if (typeof row.message === 'string')
    expect(stringifyExactJson(stored[0]?.message)).toBe(row.message);
  else if (row.message !== undefined) expect(stored[0]?.message).toEqual(row.message);
}

type Fields = Readonly<Record<string, unknown>>;

/** A push of one channel with a body and the given message fields. */
export function pushOf(channel: Channel, message: Fields = {}, more: Fields = {}): Fields {
  return { recipients: ['u1'], channel, message: { body: 'b', ...message }, ...more };
}

/** The same with literal JSON fields, which objects cannot express. */
export function pushText(channel: Channel, fields: string): string {
  return `{"recipients":["u1"],"channel":"${channel}","message":{${fields}}}`;
}

export const rejected = (name: string, body: unknown, ...errors: readonly string[]): PushCase => ({
  name,
  body,
  status: 400,
  code: 'validation_failed',
  errors,
});
export const accepted = (name: string, body: unknown, more: Partial<PushCase> = {}): PushCase => ({
  name,
  body,
  status: 200,
  ...more,
});
