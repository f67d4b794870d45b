import type { OutgoingRecord } from '@tidings/bus';
import type { Problem } from '@tidings/contracts';
import type { Database, KeyGrant } from '@tidings/db';
import { listen, systemIds } from '@tidings/platform';
import { createFakeClock, createRecordingLogger, type FakeClock } from '@tidings/testing';
import { createAdmission, type Admission } from '../admission.ts';
import { createKeyCache } from '../auth/key-cache.ts';
import { createGateway } from '../server.ts';

export const APPLICATION_ID = '0199a5c0-0000-7000-8000-00000000000a';
export const OTHER_APPLICATION_ID = '0199a5c0-0000-7000-8000-00000000000b';
export const SERVER_KEY = 'sk_server';
export const CLIENT_KEY = 'ck_client';
export const OTHER_KEY = 'sk_other';

const grant = (applicationId: string, type: KeyGrant['type']): KeyGrant => ({
  keyId: systemIds.uuid(),
  keyName: 'test key',
  applicationId,
  type,
  allowedOrigins: [],
  allowList: [],
  settings: {},
});
const GRANTS = new Map([
  [`${APPLICATION_ID}:${SERVER_KEY}`, grant(APPLICATION_ID, 'server')],
  [`${APPLICATION_ID}:${CLIENT_KEY}`, grant(APPLICATION_ID, 'client')],
  [`${OTHER_APPLICATION_ID}:${OTHER_KEY}`, grant(OTHER_APPLICATION_ID, 'server')],
]);

export const SERVER_HEADERS = { 'X-Application-Id': APPLICATION_ID, 'X-API-Key': SERVER_KEY, 'Content-Type': 'application/json' };
export const CLIENT_HEADERS = { ...SERVER_HEADERS, 'X-API-Key': CLIENT_KEY };

/** An answer with its body read: `problem` where the status is 400 or above. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly body: unknown; readonly problem: Problem };

export type PostOptions = { readonly headers?: Readonly<Record<string, string>>; readonly path?: string };

export interface TestGateway {
  [Symbol.asyncDispose](): Promise<void>;
  readonly url: string;
  readonly port: number;
  readonly clock: FakeClock;
  readonly logLines: readonly Record<string, unknown>[];
  /** What reached the bus, in order. */
  readonly records: readonly OutgoingRecord[];
  /** Campaigns that were announced. */
  readonly announced: readonly string[];
  /** Sends a body, text or bytes as they are, anything else as JSON; with a Server key unless told otherwise. */
  post(body: unknown, options?: PostOptions): Promise<Answer>;
}

export type TestGatewayOptions = {
  readonly append?: (record: OutgoingRecord) => Promise<void>;
  readonly findKeyGrant?: (applicationId: string, key: string) => Promise<KeyGrant | null>;
  readonly db?: Database;
  readonly admission?: Admission;
};

/** The gateway on a free port, over fakes of the bus and the key store; `await using` stops it. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const clock = createFakeClock();
  const { logger, lines } = createRecordingLogger();
  const records: OutgoingRecord[] = [];
  const announced: string[] = [];
  const findKeyGrant = async (applicationId: string, key: string) => GRANTS.get(`${applicationId}:${key}`) ?? null;
  const app = createGateway({
    keys: createKeyCache({ findKeyGrant: options.findKeyGrant ?? findKeyGrant, clock }),
    ingest: {
      async append(record) {
        await options.append?.(record);
        records.push(record);
      },
    },
    announcer: { announce: (campaignId) => void announced.push(campaignId), drain: () => Promise.resolve() },
    db: options.db ?? databaseThat(async () => undefined),
    admission: options.admission ?? createAdmission({ bytesMax: 64 * 1024 * 1024, requestsMax: 100 }),
    logger,
    clock,
    ids: systemIds,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, { closeDeadlineMs: 500 });
  return {
    url: server.url,
    port: server.port,
    clock,
    logLines: lines,
    records,
    announced,
    async post(body, { headers = SERVER_HEADERS, path = '/' } = {}) {
      const response = await fetch(server.url + path, { method: 'POST', headers, body: bodyOf(body) });
      const text = await response.text();
      const parsed: unknown = text === '' ? undefined : JSON.parse(text);
      return { status: response.status, headers: response.headers, text, body: parsed, problem: parsed as Problem };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
    },
  };
}

/** For the end of a file of refusals: whatever it sent, nothing of it may have gone on. */
export async function stopAfterRefusals(gateway: TestGateway): Promise<void> {
  await gateway[Symbol.asyncDispose]();
  const leaked = gateway.records.length + gateway.announced.length;
  if (leaked > 0) throw new Error(`${leaked} refused requests went on`);
}

/** As much of the database as accepting a campaign needs. */
export function databaseThat(query: (sql: string, values: readonly unknown[]) => Promise<unknown>): Database {
  return { sql: { query } } as unknown as Database;
}

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
}

/** A batch of one valid `action` message, with other fields where given. */
export function batchWith(message: Readonly<Record<string, unknown>> = {}, envelope: Readonly<Record<string, unknown>> = {}) {
  return {
    customUserId: 'u1',
    messages: [{ type: 'action', id: 'm1', time: 1_700_000_000_000, customName: 'opened', ...message }],
    ...envelope,
  };
}
