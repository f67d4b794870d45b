/** @needs redis */

import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createApiKey, findKeyGrant } from '@tidings/accounts/api-keys';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import type { Database } from '@tidings/postgres/database';
import {
  connectPublicTestDatabase,
  connectTestDatabase,
  createTestApplication,
  eventually,
} from '@tidings/testing';
import { startGatewayProcess, type GatewayProcess } from '../../testing/gateway-process.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

jest.setTimeout(120_000);

let db: Database;
let publicDb: Database;
let gateways: readonly TestGateway[];
let headers: Record<string, string>;
let applicationId: string;

beforeAll(async () => {
  db = connectTestDatabase();
  publicDb = connectPublicTestDatabase({ poolMax: 20 });
  const options = {
    db: publicDb,
    findKeyGrant: (application: string, key: string) => findKeyGrant(publicDb, application, key),
  };
  gateways = [await startTestGateway(options), await startTestGateway(options)];
});
afterAll(async () => {
  for (const gateway of gateways) await gateway[Symbol.asyncDispose]();
  await Promise.all([db.close(), publicDb.close()]);
});
beforeEach(async () => {
  ({ applicationId } = await createTestApplication(db));
  const made = await createApiKey(db, { applicationId, type: 'server', name: 'test' });
  if (made === 'too_many') throw new Error('there are keys already');
  headers = {
    'Content-Type': 'application/json',
    'X-Application-Id': applicationId,
    'X-API-Key': made.key,
  };
});

type Pushed = {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
  readonly location: string | null;
};

async function push(url: string, body: string, key: string): Promise<Pushed> {
  const response = await fetch(`${url}/push`, {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': key },
    body,
  });
  return {
    status: response.status,
    text: await response.text(),
    isReplay: response.headers.get('Idempotent-Replay') === 'true',
    location: response.headers.get('Location'),
  };
}

const bodyOf = (text: string) =>
  JSON.stringify({ recipients: ['u1', 'u2', 'u1'], channel: 'EMAIL', message: { body: text } });
const urlAt = (index: number): string => gateways[index % gateways.length]?.url ?? '';

async function storedCampaigns(): Promise<
  { readonly id: string; readonly chunks: number; readonly events: number }[]
> {
  const { rows } = await db.sql.query<{ id: string; chunks: number; events: number }>(
    `select id, (select count(*)::int from campaign_chunks where campaign_id = c.id) as chunks,
            (select count(*)::int from campaign_events where campaign_id = c.id) as events
     from campaigns c where application_id = $1 order by id`,
    [applicationId],
  );
  return rows;
}

describe('over two gateways', () => {
  test('fifty parallel copies make one campaign and fifty equal answers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => push(urlAt(index), bodyOf('same'), 'one')),
    );

    expect(
      new Set(answers.map(({ status, text, location }) => `${status} ${location} ${text}`)).size,
    ).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(answers.filter(({ isReplay }) => isReplay)).toHaveLength(49);
    const { campaignId } = JSON.parse(answers[0]?.text ?? '') as PushAccepted;
    expect(await storedCampaigns()).toEqual([{ id: campaignId, chunks: 1, events: 1 }]);
  });

  test('of parallel requests with one key and two bodies one body wins, and the other is 409', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        push(urlAt(index), bodyOf(index % 3 === 0 ? 'a' : 'b'), 'two'),
      ),
    );

    const accepted = answers.filter(({ status }) => status === 200);
    const conflicts = answers.filter(({ status }) => status === 409);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    expect([17, 33]).toContain(accepted.length);
    expect(accepted.length + conflicts.length).toBe(50);
    expect(await storedCampaigns()).toHaveLength(1);
  });

  test('many keys in any order do not block each other: each has its campaign', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);

    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, index) => {
        const key = keys[(index * (index % 2 === 0 ? 7 : 33)) % keys.length] ?? '';
        return push(urlAt(index), bodyOf(key), key).then(({ status, text }) => ({
          key,
          status,
          campaignId: (JSON.parse(text) as PushAccepted).campaignId,
        }));
      }),
    );

    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const used = new Set(answers.map(({ key }) => key));
    expect(new Set(answers.map(({ key, campaignId }) => `${key} ${campaignId}`)).size).toBe(
      used.size,
    );
    expect(await storedCampaigns()).toHaveLength(used.size);
  });

  test('a key is that of its application', async () => {
    const first = await push(urlAt(0), bodyOf('same'), 'shared');
    const other = await createTestApplication(db);
    const made = await createApiKey(db, {
      applicationId: other.applicationId,
      type: 'server',
      name: 'test',
    });
    headers = {
      ...headers,
      'X-Application-Id': other.applicationId,
      'X-API-Key': made === 'too_many' ? '' : made.key,
    };

    const second = await push(urlAt(0), bodyOf('other body'), 'shared');

    expect([first.status, second.status, second.isReplay]).toEqual([200, 200, false]);
  });

  test('a replay is the same answer with its warnings, though the channel was tested meanwhile', async () => {
    await db.sql.query(`update applications set settings = '{"sendUntested":true}' where id = $1`, [
      applicationId,
    ]);
    await db.sql.query(
      `insert into channel_settings (application_id, channel, settings, status) values ($1, 'EMAIL', '{}', 'untested')`,
      [applicationId],
    );
    const body = JSON.stringify({
      recipients: ['u1'],
      channel: 'EMAIL',
      message: { body: 'b', url: 'https://a' },
    });

    const first = await push(urlAt(0), body, 'warned');
    await db.sql.query(`update channel_settings set status = 'ready' where application_id = $1`, [
      applicationId,
    ]);
    const second = await push(urlAt(1), body, 'warned');

    expect(
      (JSON.parse(first.text) as PushAccepted).warnings.map(
        ({ code, pointer }) => `${pointer} ${code}`,
      ),
    ).toEqual(['/channel channel_untested', '/message/url unsupported_field']);
    expect(second).toEqual({ ...first, isReplay: true });
  });
});

/** Repeats a push, like a careful caller, until it gets a response. */
function pushUntilAnswered(urlOf: () => string, body: string, key: string): Promise<Pushed> {
  return eventually(
    async () => {
      const answer = await push(urlOf(), body, key);
      if (answer.status >= 500) throw new Error(`answered ${answer.status}`);
      return answer;
    },
    { timeoutMs: 60_000 },
  );
}

async function expectOneEach(answers: ReadonlyMap<string, readonly Pushed[]>): Promise<void> {
  for (const [key, ofKey] of answers)
    expect([key, new Set(ofKey.map(({ status, text }) => `${status} ${text}`)).size]).toEqual([
      key,
      1,
    ]);
  const ids = [...answers.values()].map(
    ([first]) => (JSON.parse(first?.text ?? '') as PushAccepted).campaignId,
  );
  expect(await storedCampaigns()).toEqual(
    ids.toSorted().map((id) => ({ id, chunks: 1, events: 1 })),
  );
}

const KEYS = Array.from({ length: 60 }, (_, index) => `harm ${index}`);

test('gateways killed in the middle: a repeated request gets the one campaign', async () => {
  const running: GatewayProcess[] = await Promise.all([
    startGatewayProcess(),
    startGatewayProcess(),
  ]);
  const urlOf = (): string => running[Math.floor(Math.random() * running.length)]?.url ?? '';
  let answered = 0;
  const pushing = KEYS.flatMap((key) =>
    [1, 2, 3].map(async () => {
      const answer = await pushUntilAnswered(urlOf, bodyOf(key), key);
      answered += 1;
      return [key, answer] as const;
    }),
  );
  try {
    for (let kills = 0; kills < 3; kills += 1) {
      const before = answered;
      const [first] = running;
      // During the work: some requests are answered, others are not.
      await eventually(() => expect(answered > before || answered === pushing.length).toBe(true), {
        timeoutMs: 30_000,
        intervalMs: 1,
      });
      await first?.kill();
      running.shift();
      running.push(await startGatewayProcess());
    }
    const answers = await Promise.all(pushing);

    await expectOneEach(grouped(answers));
    expect(answers).toHaveLength(KEYS.length * 3);
  } finally {
    await Promise.all(running.map((gateway) => gateway.kill()));
  }
});

test('connections to Postgres broken in the middle: an answer, or 503 and another try, never two campaigns', async () => {
  const gateway = await startGatewayProcess();
  const breaking = new AbortController();
  const breaker = (async () => {
    while (!breaking.signal.aborted) {
      await db.sql.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway' and state = 'active' and datname = current_database()`,
      );
    }
  })();
  try {
    const pushing = KEYS.flatMap((key) =>
      [1, 2, 3].map(
        async () => [key, await pushUntilAnswered(() => gateway.url, bodyOf(key), key)] as const,
      ),
    );
    // Until some succeed despite the kills; the rest without kills.
    await Promise.race(pushing);
    breaking.abort();
    await breaker;

    await expectOneEach(grouped(await Promise.all(pushing)));
  } finally {
    breaking.abort();
    await breaker;
    await gateway.kill();
  }
});

function grouped(answers: readonly (readonly [string, Pushed])[]): Map<string, Pushed[]> {
  const groups = new Map<string, Pushed[]>();
  for (const [key, answer] of answers) groups.set(key, [...(groups.get(key) ?? []), answer]);
  return groups;
}
