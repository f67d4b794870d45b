import { expect } from '@jest/globals';
import { createKeyCache } from '@tidings/access';
import { createFakeClock } from '@tidings/testing';
import { describeCorpus } from '../testing/corpus.ts';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type Answer,
  type TestGateway,
} from '../testing/test-gateway.ts';

const withHeaders = (fields: Readonly<Record<string, string>>) => ({
  ...SERVER_HEADERS,
  ...fields,
});
const { 'X-API-Key': _key, ...WITHOUT_KEY } = SERVER_HEADERS;
const { 'X-Application-Id': _application, ...WITHOUT_APPLICATION } = SERVER_HEADERS;

/** All of an answer but its request id and its date. */
function comparable({ status, headers, text, problem }: Answer): string {
  const lines = [...headers].filter(([name]) => name !== 'date').map((header) => header.join(': '));
  return [status, ...lines, text].join('\n').replaceAll(problem.requestId, 'ID');
}

describeCorpus('one answer to wrong credentials', ({ check }) => {
  const refused = async (gateway: TestGateway): Promise<string> =>
    comparable(
      await gateway.post(batchWith(), { headers: withHeaders({ 'X-API-Key': 'sk_wrong' }) }),
    );
  const wrong: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['wrong application', withHeaders({ 'X-Application-Id': OTHER_APPLICATION_ID })],
    [
      'an application nobody has',
      withHeaders({ 'X-Application-Id': '0199a5c0-0000-7000-8000-0000000000ff' }),
    ],
    ['wrong key', withHeaders({ 'X-API-Key': 'ck_wrong' })],
    ['another application’s key', withHeaders({ 'X-API-Key': OTHER_KEY })],
    ['a missing key', WITHOUT_KEY],
    ['a missing application', WITHOUT_APPLICATION],
    ['missing headers', { 'Content-Type': 'application/json' }],
  ];
  for (const [name, headers] of wrong) {
    check(
      `${name}: the same 403, identical in status, headers and body but for the request id`,
      async (gateway) => {
        const before = gateway.records.length;

        const answer = await gateway.post(batchWith(), { headers });

        expect([answer.status, answer.problem.code]).toEqual([403, 'forbidden']);
        expect(answer.headers.get('WWW-Authenticate')).toBeNull();
        expect(comparable(answer)).toBe(await refused(gateway));
        expect(gateway.records).toHaveLength(before);
      },
    );
  }
  check('never 401, though the body is broken too', async (gateway) => {
    expect((await gateway.post('{', { headers: WITHOUT_KEY })).status).toBe(403);
  });
});

describeCorpus('what a Client key may send', ({ check }) => {
  const [message] = batchWith().messages;
  const sent = [
    message,
    { ...message, type: 'revenue', revenue: 1, currency: 'EUR' },
    { type: 'user', id: 'm1', time: 1_700_000_000_000 },
  ];
  for (const allowed of sent) {
    check(`${allowed?.type}: 200`, async (gateway) => {
      expect(
        (
          await gateway.post(
            { customUserId: 'u1', messages: [allowed] },
            { headers: CLIENT_HEADERS },
          )
        ).status,
      ).toBe(200);
      expect(gateway.records.at(-1)?.headers).toMatchObject({ 'key-type': 'client' });
    });
  }
  check('a businessEvent: 403 client_key_forbidden for the whole request', async (gateway) => {
    const before = gateway.records.length;

    const { status, problem } = await gateway.post(
      { customUserId: 'u1', messages: [...sent, { ...message, type: 'businessEvent' }] },
      { headers: CLIENT_HEADERS },
    );

    expect([status, problem.code]).toEqual([403, 'client_key_forbidden']);
    expect(gateway.records).toHaveLength(before);
  });
  check('/push: 403 client_key_forbidden', async (gateway) => {
    expect((await gateway.post({}, { headers: CLIENT_HEADERS, path: '/push' })).problem.code).toBe(
      'client_key_forbidden',
    );
  });
  check('a Server key may send all four', async (gateway) => {
    expect(
      (
        await gateway.post({
          customUserId: 'u1',
          messages: [...sent, { ...message, type: 'businessEvent' }],
        })
      ).status,
    ).toBe(200);
  });
});

describeCorpus('the allow-list', ({ check }) => {
  const from = (allowList: readonly string[]) =>
    startTestGateway({
      findKeyGrant: async (_application, key) =>
        key === SERVER_HEADERS['X-API-Key']
          ? grantWith(APPLICATION_ID, 'server', { allowList: [...allowList] })
          : null,
    });

  check('empty is off', async () => {
    await using gateway = await from([]);

    expect((await gateway.post(batchWith())).status).toBe(200);
  });
  for (const entry of ['127.0.0.1', '127.0.0.0/8', '0.0.0.0/0']) {
    check(`an address on it may send: ${entry}`, async () => {
      await using gateway = await from(['2001:db8::/32', entry]);

      expect((await gateway.post(batchWith())).status).toBe(200);
    });
  }
  check('others get 403 ip_not_allowed', async () => {
    await using gateway = await from(['10.0.0.0/8', '2001:db8::/32']);

    expect((await gateway.post(batchWith())).problem.code).toBe('ip_not_allowed');
  });
  check('said only after application and key proved valid', async () => {
    await using gateway = await from(['10.0.0.0/8']);

    expect(
      (await gateway.post(batchWith(), { headers: withHeaders({ 'X-API-Key': 'sk_wrong' }) }))
        .problem.code,
    ).toBe('forbidden');
  });
  check(
    'the client address comes from X-Forwarded-For only through configured trusted proxies',
    async () => {
      await using gateway = await from(['192.0.2.1']);

      expect(
        (
          await gateway.post(batchWith(), {
            headers: withHeaders({ 'X-Forwarded-For': '192.0.2.1' }),
          })
        ).problem.code,
      ).toBe('ip_not_allowed');
    },
  );
});

describeCorpus('Postgres away', ({ check }) => {
  check('/ still answers 200 for keys in the cache, others 503, never a false 403', async () => {
    let isAway = false;
    const findKeyGrant = async () => {
      if (isAway) throw new Error('connection refused');
      return grantWith(APPLICATION_ID, 'server');
    };
    await using gateway = await startTestGateway({
      keys: createKeyCache({ findKeyGrant, clock: createFakeClock() }),
    });
    await gateway.post(batchWith());

    isAway = true;

    expect((await gateway.post(batchWith())).status).toBe(200);
    expect(
      (await gateway.post(batchWith(), { headers: withHeaders({ 'X-API-Key': 'sk_another' }) }))
        .status,
    ).toBe(503);
  });
});
