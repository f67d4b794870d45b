/** @needs redis */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createApiKey } from '@tidings/accounts/api-keys';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { readEnvironment } from '@tidings/platform';
import {
  connectTestDatabase,
  countCompiledSchemas,
  createTestApplication,
  LOGS_COMPILATIONS,
} from '@tidings/testing';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { spawnGateway } from './testing/gateway-process.ts';

// It starts three processes.
jest.setTimeout(60_000);

/** A process checks its settings by a schema too. */
const OF_CONFIGURATION = 1;

const db = connectTestDatabase();
const gateway = spawnGateway(LOGS_COMPILATIONS);
let headers: Record<string, string>;

beforeAll(async () => {
  const { applicationId } = await createTestApplication(db);
  const made = await createApiKey(db, { applicationId, type: 'server', name: 'test' });
  if (made === 'too_many') throw new Error('there are keys already');
  headers = {
    'Content-Type': 'application/json',
    'X-Application-Id': applicationId,
    'X-API-Key': made.key,
  };
});
afterAll(async () => {
  await gateway.kill();
  await db.close();
});

const post = async (path: string, body: object, to = gateway): Promise<number> =>
  (
    await fetch(`${await to.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
  ).status;

const EVENT = { type: 'action', id: 'm1', time: 1, customName: 'viewed' };
const MESSAGE = { title: 'Hello', body: 'Hello' };

test('a gateway compiles before it listens: no valid request waits for a schema', async () => {
  await gateway.url;
  const before = countCompiledSchemas(gateway);

  const statuses = [
    await post('/', { customUserId: 'ada', messages: [EVENT] }),
    ...(await Promise.all(
      CHANNELS.map((channel) =>
        post('/push', {
          recipients: ['ada'],
          channel,
          message: channel === 'SMS' ? { body: 'Hello' } : MESSAGE,
        }),
      ),
    )),
    await post('/push', {
      segment: { condition: { field: 'country', is: 'DE' } },
      channel: 'EMAIL',
      message: MESSAGE,
    }),
    await post('/push', {
      recipients: ['ada'],
      channel: 'EMAIL',
      message: { title: 'Hello {{ user.firstName }}', body: 'Hello' },
      personalize: true,
    }),
  ];

  expect(statuses).toEqual(statuses.map(() => 200));
  expect(before).toBeGreaterThan(OF_CONFIGURATION);
  expect(countCompiledSchemas(gateway)).toBe(before);
});

test('the schema that finds all faults is compiled at the first fault, once', async () => {
  await gateway.url;
  const post400 = async (): Promise<number> => {
    expect(await post('/', { customUserId: 'ada', messages: [{ ...EVENT, time: 'now' }] })).toBe(
      400,
    );
    return countCompiledSchemas(gateway);
  };
  const before = countCompiledSchemas(gateway);
  const after = await post400();

  expect(after).toBeGreaterThan(before);
  expect(await post400()).toBe(after);
});

test('a gateway whose schemas were compiled ahead of time compiles none until a fault', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'tidings-validators-'));
  const program = fileURLToPath(new URL('../../all/src/precompile.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [program], {
    env: { PATH: readEnvironment()['PATH'], NODE_COMPILE_CACHE: cache },
  });
  const own = spawnGateway({ ...LOGS_COMPILATIONS, NODE_COMPILE_CACHE: cache });
  try {
    expect(await post('/', { customUserId: 'ada', messages: [EVENT] }, own)).toBe(200);
    expect(countCompiledSchemas(own)).toBe(OF_CONFIGURATION);

    expect(await post('/', { customUserId: 'ada', messages: [{ ...EVENT, id: '' }] }, own)).toBe(
      400,
    );
    expect(countCompiledSchemas(own)).toBeGreaterThan(OF_CONFIGURATION);
  } finally {
    await own.kill();
    await rm(cache, { recursive: true });
  }
});
