import {
  createKeyCache,
  createRates,
  createWrongKeys,
  halveRate,
  type KeyCache,
  type WrongKeys,
} from '@tidings/access';
import type { KeyGrant } from '@tidings/accounts/api-keys';
import type { OutgoingRecord } from '@tidings/bus';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import type { Rate } from '@tidings/contracts/limits';
import { createInProcessCoordination } from '@tidings/coordination';
import { acceptCampaigns, type AcceptedCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { createAdmission, type Admission } from '@tidings/http/admission';
import { listen, systemIds, type Clock, type LoopLag } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createCampaignBatcher } from '@tidings/campaign-intake';
import { createFakeClock, createRecordingLogger, type FakeClock } from '@tidings/testing';
import type { GatewayPath, GatewayRate } from '../access/gateway-path.ts';
import type { Rejection, RejectionLog } from '../rejections/rejection-log.ts';
import { createGateway } from '../server.ts';

export const APPLICATION_ID = '0199a5c0-0000-7000-8000-00000000000a';
export const OTHER_APPLICATION_ID = '0199a5c0-0000-7000-8000-00000000000b';
export const SERVER_KEY = 'sk_server';
export const CLIENT_KEY = 'ck_client';
export const OTHER_KEY = 'sk_other';

/** A grant for tests, with the given fields replaced. */
export const grantWith = (
  applicationId: string,
  type: KeyGrant['type'],
  overrides: Partial<KeyGrant> = {},
): KeyGrant => ({
  keyId: systemIds.uuid(),
  keyName: 'test key',
  applicationId,
  type,
  allowedOrigins: [],
  allowList: [],
  settings: {},
  ...overrides,
});
const GRANTS = new Map([
  [`${APPLICATION_ID}:${SERVER_KEY}`, grantWith(APPLICATION_ID, 'server')],
  [`${APPLICATION_ID}:${CLIENT_KEY}`, grantWith(APPLICATION_ID, 'client')],
  [`${OTHER_APPLICATION_ID}:${OTHER_KEY}`, grantWith(OTHER_APPLICATION_ID, 'server')],
]);

export const SERVER_HEADERS = {
  'X-Application-Id': APPLICATION_ID,
  'X-API-Key': SERVER_KEY,
  'Content-Type': 'application/json',
};
export const CLIENT_HEADERS = { ...SERVER_HEADERS, 'X-API-Key': CLIENT_KEY };

/** A response with its body; `problem` is set for statuses from 400. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
  readonly problem: Problem;
};

export type PostOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
};

export interface TestGateway {
  [Symbol.asyncDispose](): Promise<void>;
  readonly url: string;
  readonly port: number;
  readonly clock: FakeClock;
  readonly logLines: readonly Record<string, unknown>[];
  /** Records that reached the bus, in order. */
  readonly records: readonly OutgoingRecord[];
  /** Entries for the ingest log, in order. */
  readonly rejections: readonly Rejection[];
  /** Keys that were used, in order. */
  readonly usedKeys: readonly string[];
  /** Stored campaigns, in order; empty if a database is given. */
  readonly campaigns: readonly NewCampaign[];
  /** Campaigns queued in Kafka. */
  readonly announced: readonly string[];
  /** Sends a body: text or bytes unchanged, anything else as JSON. Uses a Server key by default. */
  post(body: unknown, options?: PostOptions): Promise<Answer>;
}

export type TestGatewayOptions = {
  readonly append?: (record: OutgoingRecord, deadlineMs?: number) => Promise<void>;
  readonly findKeyGrant?: (applicationId: string, key: string) => Promise<KeyGrant | null>;
  readonly db?: Database;
  readonly storeCampaigns?: (campaigns: readonly NewCampaign[]) => Promise<AcceptedCampaign[]>;
  /** Instead of unlimited admission. */
  readonly admissions?: Partial<Record<GatewayPath, Admission>>;
  /** Instead of a process without delay. */
  readonly lag?: LoopLag;
  readonly requestTimeoutMs?: number;
  /** In addition to `rejections`. */
  readonly rejectionLog?: Pick<RejectionLog, 'note'>;
  readonly keys?: KeyCache;
  readonly wrongKeys?: WrongKeys;
  readonly trustedProxies?: readonly string[];
  readonly isHttpsOnly?: boolean;
  readonly dashboardUrl?: string;
  /** Rates are off except in tests about them. */
  readonly rates?: Partial<Record<GatewayRate, Rate>>;
  /** Instead of a fake clock. */
  readonly clock?: Clock;
};

export const INGEST_DEADLINE_MS = 8_000;
const NEVER_LATE: LoopLag = {
  lastMs: () => 0,
  sustainedMs: () => 0,
  totalMs: () => 0,
  stop: () => undefined,
};
const roomEnough = (path: GatewayPath): Admission =>
  createAdmission({ path, bytesMax: 64 * 1024 * 1024, requestsMax: 800 });
const RATE_OFF: Rate = { perSecond: 0, burst: 1 };

/** The gateway on a free port with a fake bus and key store; `await using` stops it. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const clock = createFakeClock();
  const { logger, lines } = createRecordingLogger();
  const records: OutgoingRecord[] = [];
  const rejections: Rejection[] = [];
  const announced: string[] = [];
  const campaigns: NewCampaign[] = [];
  const { db } = options;
  const store =
    options.storeCampaigns ??
    (db === undefined
      ? storeInMemory(campaigns)
      : (newCampaigns: readonly NewCampaign[]) => acceptCampaigns(db, newCampaigns));
  const findKeyGrant = async (applicationId: string, key: string) =>
    GRANTS.get(`${applicationId}:${key}`) ?? null;
  const usedKeys: string[] = [];
  const time = options.clock ?? clock;
  const limiterOf = createInProcessCoordination({ clock: time }).rateLimiters({ replicas: 1 });
  const app = createGateway({
    keys:
      options.keys ??
      createKeyCache({ findKeyGrant: options.findKeyGrant ?? findKeyGrant, clock: time }),
    keyUses: { note: (keyId) => void usedKeys.push(keyId) },
    wrongKeys: options.wrongKeys ?? createWrongKeys({ clock: time, freeMax: Infinity }),
    rates: createRates(limiterOf, {
      ingest: RATE_OFF,
      ingestClient: halveRate(options.rates?.ingest ?? RATE_OFF),
      ingestClientAddress: RATE_OFF,
      ingestBytes: RATE_OFF,
      push: RATE_OFF,
      ...options.rates,
    }),
    trustedProxies: options.trustedProxies ?? [],
    isHttpsOnly: options.isHttpsOnly ?? true,
    ingest: {
      async append(record, deadlineMs) {
        await options.append?.(record, deadlineMs);
        records.push(record);
      },
    },
    campaigns: createCampaignBatcher({ store, deadlineMs: 5_000 }),
    campaignQueue: { enqueue: (campaignId) => void announced.push(campaignId) },
    deliveryRetentionDays: 90,
    db: db ?? databaseThat(async () => undefined),
    admissions: { ingest: roomEnough('ingest'), push: roomEnough('push'), ...options.admissions },
    lag: options.lag ?? NEVER_LATE,
    ingestDeadlineMs: INGEST_DEADLINE_MS,
    dashboardUrl: options.dashboardUrl ?? '',
    rejections: {
      note(rejection) {
        rejections.push(rejection);
        options.rejectionLog?.note(rejection);
      },
    },
    logger,
    clock: time,
    ids: systemIds,
  });
  const server = await listen(
    app,
    { host: '127.0.0.1', port: 0 },
    { closeDeadlineMs: 500, requestTimeoutMs: options.requestTimeoutMs ?? 30_000 },
  );
  return {
    url: server.url,
    port: server.port,
    clock,
    logLines: lines,
    records,
    rejections,
    usedKeys,
    campaigns,
    announced,
    post: (body, { headers = SERVER_HEADERS, path = '/' } = {}) =>
      post(server.url + path, { headers, body: toBody(body) }),
    async [Symbol.asyncDispose]() {
      await server.close();
    },
  };
}

async function post(url: string, request: Pick<RequestInit, 'headers' | 'body'>): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', ...request });
  const text = await response.text();
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed,
    problem: parsed as Problem,
  };
}

/** For the end of a test file of rejections: nothing that it sent may have been forwarded. */
export async function stopAfterRejections(gateway: TestGateway): Promise<void> {
  await gateway[Symbol.asyncDispose]();
  const leaked = gateway.records.length + gateway.campaigns.length + gateway.announced.length;
  if (leaked > 0) throw new Error(`${leaked} rejected requests went on`);
}

/** Stores campaigns like Postgres, in memory: one campaign per idempotency key. */
function storeInMemory(
  stored: NewCampaign[],
): (campaigns: readonly NewCampaign[]) => Promise<AcceptedCampaign[]> {
  const answers = new Map<string, NonNullable<NewCampaign['idempotency']>>();
  return async (campaigns) =>
    campaigns.map((campaign): AcceptedCampaign => {
      const { applicationId, idempotency } = campaign;
      const earlier = idempotency && answers.get(`${applicationId} ${idempotency.key}`);
      if (idempotency !== undefined && earlier !== undefined) {
        return earlier.bodyHash.equals(idempotency.bodyHash)
          ? { outcome: 'replayed', answer: earlier.answer, isUntested: false }
          : { outcome: 'conflict' };
      }
      if (idempotency !== undefined)
        answers.set(`${applicationId} ${idempotency.key}`, idempotency);
      stored.push(campaign);
      return { outcome: 'accepted', isUntested: false };
    });
}

/** The part of the database that accepting a campaign needs. */
export function databaseThat(
  query: (sql: string, values: readonly unknown[]) => Promise<unknown>,
): Database {
  return { sql: { query } } as unknown as Database;
}

function toBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
}

/** A batch of one valid `action` message, with the given fields replaced. */
export function batchWith(
  message: Readonly<Record<string, unknown>> = {},
  envelope: Readonly<Record<string, unknown>> = {},
) {
  return {
    customUserId: 'u1',
    messages: [
      { type: 'action', id: 'm1', time: 1_700_000_000_000, customName: 'opened', ...message },
    ],
    ...envelope,
  };
}
