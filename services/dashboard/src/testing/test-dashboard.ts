import { createMemoryBus, type MemoryBus } from '@tidings/bus';
import type { Problem } from '@tidings/contracts';
import { createAdminToken, createApiKey, type Database } from '@tidings/db';
import { listen, systemClock, systemIds } from '@tidings/platform';
import { connectTestDatabase, createRecordingLogger, createTestApplication, testSecretBox } from '@tidings/testing';
import type { DashboardDependencies } from '../dependencies.ts';
import { openApiDocument } from '../openapi/document.ts';
import { apiRoutes, createDashboard } from '../server.ts';
import { createAnswerCheck } from './check-answers.ts';

/** An application with a key of each type. */
export type Tenant = { readonly applicationId: string; readonly serverKey: string; readonly clientKey: string };

export type Headers = Readonly<Record<string, string>>;

/** An answer with its body read; `problem` where the status is 400 or above. */
export type Answer<T = Record<string, unknown>> = {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  readonly body: T;
  readonly problem: Problem;
};

export interface TestDashboard extends AsyncDisposable {
  readonly db: Database;
  /** Where replays of dead letters go. */
  readonly bus: MemoryBus;
  readonly deps: DashboardDependencies;
  readonly tenant: Tenant;
  readonly other: Tenant;
  readonly adminToken: string;
  /** Applications whose key changes were announced. */
  readonly keyChanges: readonly string[];
  readonly logLines: readonly Record<string, unknown>[];
  /** With the Server key. */
  readonly asServer: Headers;
  /** With the administrator token, for the application. */
  readonly asAdmin: Headers;
  /** A request below `/api/v1/`, its body sent as JSON unless it is text. @throws when the answer is not as documented */
  request<T = Record<string, unknown>>(method: string, path: string, options: { readonly headers: Headers; readonly body?: unknown }): Promise<Answer<T>>;
}

/** The dashboard on a free port, on the real database, with two tenants of its own; `await using` stops it and closes the database. */
export async function startTestDashboard(overrides: Partial<DashboardDependencies> = {}, db = connectTestDatabase({ poolMax: 4 })): Promise<TestDashboard> {
  const { logger, lines } = createRecordingLogger();
  const keyChanges: string[] = [];
  const bus = createMemoryBus();
  const deps: DashboardDependencies = {
    db,
    producer: await bus.producer(),
    box: testSecretBox,
    logger,
    clock: systemClock,
    ids: systemIds,
    trustedProxies: [],
    testSendTimeoutMs: 5_000,
    announceKeyChange: async (applicationId) => void keyChanges.push(applicationId),
    ...overrides,
  };
  const checkAnswer = createAnswerCheck(openApiDocument(apiRoutes(deps)));
  const server = await listen(createDashboard(deps), { host: '127.0.0.1', port: 0 });
  const [tenant, other] = [await createTenant(db), await createTenant(db)];
  const adminToken = await createAdminToken(db, { name: 'test' });
  return {
    db,
    bus,
    deps,
    tenant,
    other,
    adminToken,
    keyChanges,
    logLines: lines,
    asServer: asKey(tenant, tenant.serverKey),
    asAdmin: { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': tenant.applicationId },
    async request(method, path, { headers, body }) {
      const hasBody = body !== undefined;
      const response = await fetch(`${server.url}/api/v1/${path}`, {
        method,
        headers: { ...(hasBody && { 'Content-Type': 'application/json' }), ...headers },
        ...(hasBody && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      checkAnswer({ method, path: new URL(`${server.url}/api/v1/${path}`).pathname, status: response.status, headers: response.headers, text });
      const parsed: unknown = text === '' ? undefined : JSON.parse(text);
      return { status: response.status, headers: response.headers, text, body: parsed as never, problem: parsed as Problem };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await db.close();
    },
  };
}

export const asKey = ({ applicationId }: Tenant, key: string): Headers => ({ 'X-Application-Id': applicationId, 'X-API-Key': key });

async function createTenant(db: Database): Promise<Tenant> {
  const { applicationId } = await createTestApplication(db);
  const keyOf = async (type: 'server' | 'client'): Promise<string> => {
    const key = await createApiKey(db, { applicationId, type, name: `${type} key` });
    if (key === 'too_many') throw new Error('no room for a key');
    return key.key;
  };
  return { applicationId, serverKey: await keyOf('server'), clientKey: await keyOf('client') };
}
