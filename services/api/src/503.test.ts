import { expect, test } from '@jest/globals';
import { createWrongKeys } from '@tidings/access';
import { createMemoryBus } from '@tidings/bus';
import { createQuestions } from '@tidings/segments/questions';
import { createAdmission } from '@tidings/http/admission';
import { createSecretBox, listen, systemClock, systemIds } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { createRecordingLogger } from '@tidings/testing';
import { createServer, type AddressInfo } from 'node:net';
import { createPasswords } from './auth/passwords.ts';
import { createInTime } from './queries/search/in-time.ts';
import { PAGES_DIR } from './pages/serve-pages.ts';
import { createLiveHub } from './live/live-hub.ts';
import { createApi } from './server.ts';

/** A port that was free a moment ago, without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('while Postgres is unavailable every endpoint returns 503 with Retry-After, without the reason', async () => {
  const db = connectDatabase({
    databaseUrl: `postgres://none:secret@127.0.0.1:${await closedPort()}/none`,
    poolMax: 1,
    applicationName: 'test',
  });
  const { logger, lines } = createRecordingLogger();
  const app = createApi({
    db,
    questions: createQuestions(db),
    producer: await createMemoryBus().producer(),
    campaigns: { accept: () => Promise.reject(new Error('unreachable')) },
    campaignQueue: { enqueue: () => undefined },
    deliveryRetentionDays: 90,
    admission: createAdmission({ path: 'push', bytesMax: 1, requestsMax: 1 }),
    rates: {
      bucketsOf: (countedBy) => ({
        countedBy,
        requests: undefined,
        block: undefined,
        bytes: undefined,
      }),
      bucketOf: () => undefined,
      blockBucketOf: () => undefined,
    },
    wrongKeys: createWrongKeys({ clock: systemClock }),
    callerRateOf: () => undefined,
    questionRateOf: () => undefined,
    logger,
    box: createSecretBox('0123456789abcdef0123456789abcdef'),
    clock: systemClock,
    ids: systemIds,
    trustedProxies: [],
    isHttpsOnly: true,
    passwords: createPasswords(),
    failedSignIns: { record: () => undefined },
    dashboardUrl: 'http://127.0.0.1/dashboard',
    publicBaseUrl: 'http://127.0.0.1',
    pagesDir: PAGES_DIR,
    identityProvider: null,
    testSendTimeoutMs: 1_000,
    inTime: createInTime(db, { timeoutMs: 1_000, places: 1 }, systemClock),
    live: createLiveHub({ clock: systemClock, logger }),
    readIngestLag: () => Promise.resolve(null),
    runsOn: [],
    publishKeyChange: () => Promise.resolve(),
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const asked = [
    { 'X-Application-Id': systemIds.uuid(), 'X-API-Key': 'sk_some' },
    { 'X-Application-Id': systemIds.uuid(), Authorization: 'Bearer at_some' },
  ];

  try {
    for (const headers of asked) {
      const answer = await fetch(`${server.url}/api/v1/campaigns`, { headers });
      const text = await answer.text();

      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(JSON.parse(text)).toMatchObject({ code: 'unavailable' });
      expect(text).not.toContain('secret');
      expect(text).not.toContain('127.0.0.1');
    }
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual(
      asked.map(() => ['warn', 'database is unavailable']),
    );
  } finally {
    await server.close();
    await db.close();
  }
});
