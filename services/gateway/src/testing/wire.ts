import { expect } from '@jest/globals';
import type { ErrorCode } from '@tidings/contracts/errors/error-codes';
import { openRawConnection, type RawAnswer } from '@tidings/platform/testing';
import { APPLICATION_ID, SERVER_KEY, batchWith, type TestGateway } from './test-gateway.ts';

export const BODY = JSON.stringify(batchWith());
export const APPLICATION = `X-Application-Id: ${APPLICATION_ID}`;
export const KEY = `X-API-Key: ${SERVER_KEY}`;
export const WRONG_KEY = 'X-API-Key: sk_wrong';
export const LENGTH = `Content-Length: ${BODY.length}`;

/** A request as its bytes; by default a valid batch with a Server key. */
export type Wire = {
  readonly start?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
};

/** A valid batch with these headers instead of valid credentials. */
export const withHeaders = (...headers: readonly string[]): Wire => ({
  headers: [...headers, LENGTH],
});

export function toBytes({
  start = 'POST / HTTP/1.1',
  headers = [APPLICATION, KEY, LENGTH],
  body = BODY,
}: Wire): string {
  return [start, 'Host: tidings', 'Content-Type: application/json', ...headers, '', body].join(
    '\r\n',
  );
}

export async function send(gateway: TestGateway, wire: Wire): Promise<RawAnswer> {
  await using connection = await openRawConnection(gateway.port, toBytes(wire));
  return await connection.answer();
}

/** An error has one form and repeats no key. */
export function expectWireProblem(
  answer: RawAnswer,
  [status, code]: readonly [number, ErrorCode],
): void {
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    status,
    expect.objectContaining({ status, code, requestId: answer.headers['x-request-id'] }),
  ]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/problem+json',
    'api-version': '1',
  });
  expect(answer.headers['www-authenticate']).toBeUndefined();
  expect(answer.body).not.toContain(SERVER_KEY);
}

/** The request is rejected, and nothing of it is stored. */
export async function expectRejected(
  gateway: TestGateway,
  wire: Wire,
  fault: readonly [status: number, code: ErrorCode],
): Promise<RawAnswer> {
  const before = [gateway.records.length, gateway.campaigns.length, gateway.announced.length];
  const answer = await send(gateway, wire);
  expectWireProblem(answer, fault);
  expect([gateway.records.length, gateway.campaigns.length, gateway.announced.length]).toEqual(
    before,
  );
  return answer;
}
