import { createRates, createWrongKeys } from '@tidings/access';
import { createAdminToken } from '@tidings/accounts/admin-tokens';
import { createApiKey } from '@tidings/accounts/api-keys';
import type { Member } from '@tidings/accounts/members/member';
import { addMember } from '@tidings/accounts/members/members';
import { beginSession } from '@tidings/accounts/members/sessions';
import { openApiDocument } from '@tidings/openapi/document';
import { createMemoryBus, type MemoryBus } from '@tidings/bus';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import type { MemberRole } from '@tidings/contracts/members';
import { createInProcessCoordination } from '@tidings/coordination';
import { acceptCampaigns } from '@tidings/delivery/accept';
import { createAdmission } from '@tidings/http/admission';
import { listen, systemClock, systemIds, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createCampaignBatcher } from '@tidings/campaign-intake';
import { createQuestions } from '@tidings/segments/questions';
import {
  connectTestDatabase,
  createRecordingLogger,
  createTestApplication,
  testSecretBox,
} from '@tidings/testing';
import { randomInt } from 'node:crypto';
import { createFailedSignIns } from '../auth/failed-sign-ins.ts';
import { createPasswords } from '../auth/passwords.ts';
import { createInTime } from '../queries/search/in-time.ts';
import { createCsrfToken } from '../auth/same-origin.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { createLiveHub } from '../live/live-hub.ts';
import { PAGES_DIR } from '../pages/serve-pages.ts';
import { apiRoutes, createApi } from '../server.ts';
import { createAnswerCheck } from './check-answers.ts';

/** An application with a key of each type. */
export type Tenant = {
  readonly applicationId: string;
  readonly serverKey: string;
  readonly clientKey: string;
};

export type Headers = Readonly<Record<string, string>>;

/** A response with its body; `problem` for status 400 and above. */
export type Answer<T = Record<string, unknown>> = {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  readonly body: T;
  readonly problem: Problem;
};

export interface TestApi extends AsyncDisposable {
  readonly url: string;
  /**
   * The caller's address, sent as X-Forwarded-For. Unique per test: sign-in attempts are counted by
   * address.
   */
  readonly address: string;
  readonly db: Database;
  /** Receives replays of dead letters. */
  readonly bus: MemoryBus;
  readonly deps: ApiDependencies;
  readonly tenant: Tenant;
  readonly other: Tenant;
  readonly adminToken: string;
  /** Applications with published key changes. */
  readonly keyChanges: readonly string[];
  /** Campaigns that were announced. */
  readonly announced: readonly string[];
  readonly logLines: readonly Record<string, unknown>[];
  /** Headers with the Server key. */
  readonly asServer: Headers;
  /** Headers with the administrator token, for the application. */
  readonly asAdmin: Headers;
  /** Creates a member with a session. */
  signIn(role: MemberRole): Promise<SignedInMember>;
  /**
   * Sends a request below `/api/v1/`. The body is sent as JSON, or as is if it is text. @throws for
   * an undocumented response
   */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: { readonly headers: Headers; readonly body?: unknown },
  ): Promise<Answer<T>>;
}

/** A signed-in member. */
export type SignedInMember = {
  readonly member: Member;
  readonly token: string;
  /** Headers of browser and page, for the application. */
  readonly headers: Headers;
};

/** Created once: it depends on the routes only. */
const checkAnswer = createAnswerCheck(openApiDocument(apiRoutes({} as ApiDependencies)));

/** Starts the API on a free port with the test database and two tenants. `await using` stops it. */
export async function startTestApi(
  overrides: Partial<ApiDependencies> = {},
  db = connectTestDatabase({ poolMax: 4 }),
): Promise<TestApi> {
  const { logger, lines } = createRecordingLogger();
  const keyChanges: string[] = [];
  const announced: string[] = [];
  const address = `2001:db8:${randomGroup()}:${randomGroup()}::1`;
  const bus = createMemoryBus();
  const failedSignIns = createFailedSignIns({
    db,
    clock: overrides.clock ?? systemClock,
    ids: systemIds,
    logger,
  });
  const deps: ApiDependencies = {
    ...testDependencies(db, logger),
    producer: await bus.producer(),
    campaignQueue: { enqueue: (campaignId) => void announced.push(campaignId) },
    failedSignIns,
    publishKeyChange: async (applicationId) => void keyChanges.push(applicationId),
    ...overrides,
  };
  const server = await listen(createApi(deps), { host: '127.0.0.1', port: 0 });
  const [tenant, other] = [await createTenant(db), await createTenant(db)];
  const { token: adminToken } = await createAdminToken(db, { name: 'test' });
  return {
    url: server.url,
    address,
    db,
    bus,
    deps,
    tenant,
    other,
    adminToken,
    keyChanges,
    announced,
    logLines: lines,
    asServer: asKey(tenant, tenant.serverKey),
    asAdmin: { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': tenant.applicationId },
    async signIn(role) {
      const member = await addMember(db, {
        email: `${role}.${systemIds.uuid()}@example.com`,
        name: `A ${role}`,
        role,
      });
      if (member === null) throw new Error('the address is taken');
      const token = await beginSession(db, { memberId: member.id, nowMs: deps.clock.now() });
      return {
        member,
        token,
        headers: { ...asPage(token), 'X-Application-Id': tenant.applicationId },
      };
    },
    request: (method, path, options) =>
      send({ url: server.url, address }, { method, path, ...options }),
    async [Symbol.asyncDispose]() {
      deps.live.close();
      await server.close();
      await failedSignIns.drain();
      await db.close();
    },
  };
}

type SentRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body?: unknown;
};

async function send<T>(
  { url, address }: Pick<TestApi, 'url' | 'address'>,
  { method, path, headers, body }: SentRequest,
): Promise<Answer<T>> {
  const target = `${url}/api/v1/${path}`;
  const hasBody = body !== undefined;
  const response = await fetch(target, {
    method,
    redirect: 'manual',
    headers: {
      'X-Forwarded-For': address,
      ...(hasBody && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(hasBody && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  checkAnswer({
    method,
    path: new URL(target).pathname,
    status: response.status,
    headers: response.headers,
    text,
  });
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const parsed: unknown = isJson ? JSON.parse(text) : undefined;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed as T,
    problem: parsed as Problem,
  };
}

type Defaults = Omit<
  ApiDependencies,
  'producer' | 'campaignQueue' | 'failedSignIns' | 'publishKeyChange'
>;

function testDependencies(db: Database, logger: Logger): Defaults {
  // Rate limits are not shared between tests.
  const limiterOf = createInProcessCoordination({ clock: systemClock }).rateLimiters({
    replicas: 1,
  });
  return {
    db,
    questions: createQuestions(db),
    campaigns: createCampaignBatcher({
      store: (newCampaigns) => acceptCampaigns(db, newCampaigns),
      deadlineMs: 30_000,
    }),
    admission: createAdmission({ path: 'push', bytesMax: 64 * 1024 * 1024, requestsMax: 100 }),
    rates: createRates(limiterOf, { push: { perSecond: 0, burst: 1 } }),
    // No delays for wrong credentials by default.
    wrongKeys: createWrongKeys({ clock: systemClock, freeMax: Infinity }),
    callerRateOf: () => undefined,
    questionRateOf: () => undefined,
    box: testSecretBox,
    logger,
    clock: systemClock,
    ids: systemIds,
    trustedProxies: ['127.0.0.1'],
    isHttpsOnly: true,
    testSendTimeoutMs: 5_000,
    // No answer depends on how busy the machine is.
    inTime: createInTime(db, { timeoutMs: 10_000, places: 2 }, systemClock),
    deliveryRetentionDays: 90,
    passwords: createPasswords(),
    dashboardUrl: 'http://127.0.0.1/dashboard',
    publicBaseUrl: 'http://127.0.0.1',
    pagesDir: PAGES_DIR,
    identityProvider: null,
    live: createLiveHub({ clock: systemClock, logger }),
    readIngestLag: () => Promise.resolve({ 'users-consumer': 0, 'events-consumer': 0 }),
    runsOn: ['postgres', 'kafka', 'redis'],
  };
}

export const asKey = ({ applicationId }: Tenant, key: string): Headers => ({
  'X-Application-Id': applicationId,
  'X-API-Key': key,
});

/** Headers of a dashboard page with a session. */
export const asPage = (token: string): Headers => ({
  Cookie: `tidings-sid=${token}`,
  'X-CSRF-Token': createCsrfToken(token),
  'Sec-Fetch-Site': 'same-origin',
});

/** A random group of an IPv6 address, four digits without leading zeros. */
const randomGroup = (): string => randomInt(0x1000, 0x10000).toString(16);

async function createTenant(db: Database): Promise<Tenant> {
  const { applicationId } = await createTestApplication(db);
  const createKey = async (type: 'server' | 'client'): Promise<string> => {
    const key = await createApiKey(db, { applicationId, type, name: `${type} key` });
    if (key === 'too_many') throw new Error('no room for a key');
    return key.key;
  };
  return {
    applicationId,
    serverKey: await createKey('server'),
    clientKey: await createKey('client'),
  };
}
