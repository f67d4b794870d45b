import { expect } from '@jest/globals';
import type { ErrorCode } from '@tidings/contracts';
import { openRawConnection, type RawAnswer } from '@tidings/platform/testing';
import { describeCorpus } from '../testing/corpus.ts';
import {
  APPLICATION_ID,
  CLIENT_KEY,
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_KEY,
  batchWith,
  grantWith,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../testing/test-gateway.ts';

const BODY = JSON.stringify(batchWith());
const APP = `X-Application-Id: ${APPLICATION_ID}`;
const KEY = `X-API-Key: ${SERVER_KEY}`;
const LENGTH = `Content-Length: ${BODY.length}`;

/** A request as its bytes; by default a valid batch with a Server key. */
type Wire = {
  readonly start?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
};

function bytesOf({
  start = 'POST / HTTP/1.1',
  headers = [APP, KEY, LENGTH],
  body = BODY,
}: Wire): string {
  return [start, 'Host: tidings', 'Content-Type: application/json', ...headers, '', body].join(
    '\r\n',
  );
}

async function send(gateway: TestGateway, wire: Wire): Promise<RawAnswer> {
  await using connection = await openRawConnection(gateway.port, bytesOf(wire));
  return await connection.answer();
}

/** What is answered to a fault: one form, nothing of what was sent, nothing stored. */
function expectProblem(answer: RawAnswer, status: number, code: ErrorCode): void {
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

async function expectRefused(
  gateway: TestGateway,
  wire: Wire,
  status: number,
  code: ErrorCode,
): Promise<RawAnswer> {
  const before = gateway.records.length;
  const answer = await send(gateway, wire);
  expectProblem(answer, status, code);
  expect(gateway.records).toHaveLength(before);
  return answer;
}

const auth = (...headers: readonly string[]): Wire => ({ headers: [...headers, LENGTH] });
const WITHOUT_BODY = { headers: [APP, KEY], body: '' };

describeCorpus('keys', ({ check }) => {
  const wrong: readonly (readonly [string, Wire])[] = [
    ['no headers', auth()],
    ['only the application', auth(APP)],
    ['only the key', auth(KEY)],
    ['the key of another application', auth(APP, `X-API-Key: ${OTHER_KEY}`)],
    ['another application', auth(`X-Application-Id: ${OTHER_APPLICATION_ID}`, KEY)],
    ['a revoked key', auth(APP, 'X-API-Key: sk_revoked')],
    ['wrong-case key', auth(APP, `X-API-Key: ${SERVER_KEY.toUpperCase()}`)],
    ['a key with spaces inside', auth(APP, 'X-API-Key: sk_ server')],
    ['a key with a tab inside', auth(APP, 'X-API-Key: sk_\tserver')],
    ['a key that is empty', auth(APP, 'X-API-Key:')],
    ['a key that is not ASCII', auth(APP, 'X-API-Key: sk_s\u00e9rver')],
    ['a key of 10 KB', auth(APP, `X-API-Key: ${'k'.repeat(10_000)}`)],
    ['two X-API-Key, both right', auth(APP, KEY, KEY)],
    ['two X-API-Key, one right', auth(APP, KEY, 'X-API-Key: sk_wrong')],
    ['two X-Application-Id', auth(APP, APP, KEY)],
    ['an application that is no UUID', auth('X-Application-Id: 1', KEY)],
    ['an application in braces', auth(`X-Application-Id: {${APPLICATION_ID}}`, KEY)],
    ['an application with SQL', auth(`X-Application-Id: ${APPLICATION_ID}' or '1'='1`, KEY)],
  ];
  let first: string | undefined;
  for (const [name, wire] of wrong) {
    check(name, async (gateway) => {
      const answer = await expectRefused(gateway, wire, 403, 'forbidden');

      const { date: _, ...headers } = answer.headers;
      const seen = JSON.stringify([headers, answer.body]).replaceAll(
        String(headers['x-request-id']),
        'ID',
      );
      first ??= seen;
      expect(seen).toBe(first);
    });
  }

  check('a Client key on /push', async (gateway) => {
    await expectRefused(
      gateway,
      { start: 'POST /push HTTP/1.1', ...auth(APP, `X-API-Key: ${CLIENT_KEY}`) },
      403,
      'client_key_forbidden',
    );
  });
  check('a wrong key on /push', async (gateway) => {
    await expectRefused(
      gateway,
      { start: 'POST /push HTTP/1.1', ...auth(APP, 'X-API-Key: ck_wrong') },
      403,
      'forbidden',
    );
  });
  for (const [name, wire] of [
    ['spaces around the key, which HTTP drops', auth(APP, `X-API-Key:   ${SERVER_KEY}  `)],
    ['an application in capitals', auth(APP.toUpperCase(), KEY)],
    [
      'names of headers in any case',
      auth(APP.replace('X-Application-Id', 'x-APPLICATION-id'), KEY.toLowerCase()),
    ],
  ] as const) {
    check(name, async (gateway) => expect((await send(gateway, wire)).status).toBe(200));
  }
  for (const [name, key] of [
    ['a key with CR', 'sk_\rserver'],
    ['a key with LF', 'sk_\nserver'],
    ['a key with CRLF and a header', `sk_wrong\r\n ${SERVER_KEY}`],
    ['a key with NUL', 'sk_\0server'],
  ] as const) {
    check(`${name} is not HTTP`, async (gateway) => {
      await expectRefused(gateway, auth(APP, `X-API-Key: ${key}`), 400, 'invalid_json');
    });
  }
});

describeCorpus('requests', ({ check }) => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
    check(`${method} /`, async (gateway) => {
      const { headers } = await expectRefused(
        gateway,
        { start: `${method} / HTTP/1.1`, ...WITHOUT_BODY },
        405,
        'method_not_allowed',
      );
      expect(headers['allow']).toBe('POST, OPTIONS');
    });
  }
  check('GET /push', async (gateway) => {
    const { headers } = await expectRefused(
      gateway,
      { start: 'GET /push HTTP/1.1', ...WITHOUT_BODY },
      405,
      'method_not_allowed',
    );
    expect(headers['allow']).toBe('POST');
  });
  for (const path of [
    '///',
    '//push',
    '/PUSH',
    '/V1',
    '/v1//',
    '/push//',
    '/./x',
    '/%2e',
    '/%00',
    '/%',
    '/push%2f',
    '/index.php',
    '/..',
  ]) {
    check(`${path} is nowhere`, async (gateway) => {
      await expectRefused(gateway, { start: `POST ${path} HTTP/1.1` }, 404, 'not_found');
    });
  }
  for (const path of ['/?x', '//', '/v1/', '/v1?x=1', '/?messages=1']) {
    check(`${path} is where it seems`, async (gateway) =>
      expect((await send(gateway, { start: `POST ${path} HTTP/1.1` })).status).toBe(200),
    );
  }
  for (const path of ['/push/', '/push?x', '/v1/push/']) {
    check(`${path} is where it seems`, async (gateway) => {
      await expectRefused(gateway, { start: `POST ${path} HTTP/1.1` }, 400, 'validation_failed');
    });
  }
  check('HTTP/1.0 is answered, and its connection closed', async (gateway) => {
    await using connection = await openRawConnection(
      gateway.port,
      bytesOf({ start: 'POST / HTTP/1.0' }),
    );
    expect((await connection.answer()).status).toBe(200);
    await connection.closed;
  });
  for (const [name, headers] of [
    ['a length beside chunks', [LENGTH, 'Transfer-Encoding: chunked']],
    ['two lengths', [LENGTH, 'Content-Length: 5']],
    ['the same length twice', [LENGTH, LENGTH]],
    ['a length that is no number', ['Content-Length: +5']],
    ['a negative length', ['Content-Length: -1']],
    ['an encoding of transfer nobody knows', ['Transfer-Encoding: gzip, identity']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
  ] as const) {
    check(`${name}`, async (gateway) => {
      await expectRefused(gateway, { headers: [APP, KEY, ...headers] }, 400, 'invalid_json');
    });
  }
  check('a body longer than its length: the rest is no second request', async (gateway) => {
    const before = gateway.records.length;
    await using connection = await openRawConnection(
      gateway.port,
      bytesOf({ body: `${BODY}{"more":1}` }),
    );

    expect((await connection.answer()).status).toBe(200);
    expectProblem(await connection.answer(), 400, 'invalid_json');
    expect(gateway.records).toHaveLength(before + 1);
  });
  for (const [name, wire] of [
    ['a body shorter than its length', { headers: [APP, KEY, 'Content-Length: 1000'] }],
    [
      'chunks without an end',
      {
        headers: [APP, KEY, 'Transfer-Encoding: chunked'],
        body: `${BODY.length.toString(16)}\r\n${BODY}\r\n`,
      },
    ],
  ] as const) {
    check(`${name} is 408 in time`, async () => {
      await using hasty = await startTestGateway({ requestTimeoutMs: 300 });
      await expectRefused(hasty, wire, 408, 'request_timeout');
    });
  }
  check('Expect: 100-continue of a right key is granted', async (gateway) => {
    await using connection = await openRawConnection(
      gateway.port,
      bytesOf({ headers: [APP, KEY, LENGTH, 'Expect: 100-continue'], body: '' }),
    );
    expect((await connection.answer()).status).toBe(100);
    connection.socket.write(BODY);
    expect((await connection.answer()).status).toBe(200);
  });
  check('Expect: 100-continue of a wrong key is answered without its body', async (gateway) => {
    const before = gateway.records.length;
    await using connection = await openRawConnection(
      gateway.port,
      bytesOf({ headers: [APP, 'X-API-Key: sk_wrong', LENGTH, 'Expect: 100-continue'], body: '' }),
    );
    expect((await connection.answer()).status).toBe(403);
    await connection.closed;
    expect(gateway.records).toHaveLength(before);
  });
  check('HEAD /', async (gateway) => {
    const before = gateway.records.length;
    await using connection = await openRawConnection(
      gateway.port,
      bytesOf({ start: 'HEAD / HTTP/1.1', headers: [APP, KEY, 'Connection: close'], body: '' }),
    );
    await connection.closed;
    expect(gateway.records).toHaveLength(before);
  });
  check('OPTIONS / of a page', async (gateway) => {
    const answer = await send(gateway, {
      start: 'OPTIONS / HTTP/1.1',
      headers: ['Origin: https://shop.example', 'Access-Control-Request-Method: POST'],
      body: '',
    });
    expect([answer.status, answer.body, answer.headers['access-control-allow-origin']]).toEqual([
      204,
      '',
      '*',
    ]);
  });
  check('OPTIONS /push', async (gateway) => {
    await expectRefused(
      gateway,
      { start: 'OPTIONS /push HTTP/1.1', headers: ['Origin: https://shop.example'], body: '' },
      405,
      'method_not_allowed',
    );
  });
  check('OPTIONS *', async (gateway) => {
    await expectRefused(
      gateway,
      { start: 'OPTIONS * HTTP/1.1', headers: [], body: '' },
      404,
      'not_found',
    );
  });
});

describeCorpus('plain HTTP, as a trusted proxy says it', ({ check }) => {
  const PLAIN = 'X-Forwarded-Proto: http';
  const behindProxy: TestGatewayOptions = { trustedProxies: ['127.0.0.1'] };
  const refused: readonly (readonly [string, Wire])[] = [
    ['POST / with a right key', auth(APP, KEY, PLAIN)],
    ['POST / with a wrong key', auth(APP, 'X-API-Key: sk_wrong', PLAIN)],
    ['POST / without a key', auth(PLAIN)],
    [
      'POST / with a body that is no JSON',
      { headers: [APP, KEY, PLAIN, 'Content-Length: 1'], body: '{' },
    ],
    [
      'POST /?x, which comes by its route',
      { start: 'POST /?x HTTP/1.1', ...auth(APP, KEY, PLAIN) },
    ],
    ['POST /v1', { start: 'POST /v1 HTTP/1.1', ...auth(APP, KEY, PLAIN) }],
    ['POST /push', { start: 'POST /push HTTP/1.1', ...auth(APP, KEY, PLAIN) }],
    ['POST where nothing is', { start: 'POST /nowhere HTTP/1.1', ...auth(APP, KEY, PLAIN) }],
    [
      'the preflight of a page',
      {
        start: 'OPTIONS / HTTP/1.1',
        headers: [PLAIN, 'Origin: https://shop.example', 'Access-Control-Request-Method: POST'],
        body: '',
      },
    ],
  ];
  for (const [name, wire] of refused) {
    check(`${name} is refused before anybody looks at it`, async () => {
      await using gateway = await startTestGateway(behindProxy);

      await expectRefused(gateway, wire, 403, 'https_required');

      expect([gateway.usedKeys, gateway.refusals, gateway.campaigns]).toEqual([[], [], []]);
    });
  }
  check('GET is sent to https', async () => {
    await using gateway = await startTestGateway(behindProxy);

    const { status, headers } = await send(gateway, {
      start: 'GET /v1?x=1 HTTP/1.1',
      headers: [PLAIN],
      body: '',
    });

    expect([status, headers['location']]).toEqual([308, 'https://tidings/v1?x=1']);
  });
  check('https is let in', async () => {
    await using gateway = await startTestGateway(behindProxy);
    expect((await send(gateway, auth(APP, KEY, 'X-Forwarded-Proto: https'))).status).toBe(200);
  });
  check('whoever calls without a proxy is let in, whatever he says', async (gateway) => {
    expect((await send(gateway, auth(APP, KEY, PLAIN))).status).toBe(200);
  });
  check('where it is switched off, plain HTTP is let in', async () => {
    await using gateway = await startTestGateway({ ...behindProxy, isHttpsOnly: false });
    expect((await send(gateway, auth(APP, KEY, PLAIN))).status).toBe(200);
  });
});

describeCorpus('headers and addresses', ({ check }) => {
  check('headers of 17 KiB', async (gateway) => {
    await expectRefused(
      gateway,
      { headers: [APP, KEY, LENGTH, `X-Big: ${'x'.repeat(17 * 1024)}`] },
      431,
      'headers_too_large',
    );
  });
  check('headers of 15 KiB', async (gateway) => {
    expect(
      (await send(gateway, { headers: [APP, KEY, LENGTH, `X-Big: ${'x'.repeat(15 * 1024)}`] }))
        .status,
    ).toBe(200);
  });
  check('300 headers', async (gateway) => {
    const many = Array.from({ length: 300 }, (_, index) => `X-${index}: 1`);
    expect((await send(gateway, { headers: [APP, KEY, LENGTH, ...many] })).status).toBe(200);
  });

  const listed = (
    allowList: readonly string[],
    trustedProxies: readonly string[] = [],
  ): TestGatewayOptions => ({
    trustedProxies,
    findKeyGrant: async (_applicationId, key) =>
      key === SERVER_KEY ? grantWith(APPLICATION_ID, 'server', { allowList }) : null,
  });
  const from = (address: string, ...headers: readonly string[]): Wire =>
    auth(APP, ...headers, `X-Forwarded-For: ${address}`);

  check('a spoofed X-Forwarded-For, sent directly', async () => {
    await using gateway = await startTestGateway(listed(['10.0.0.0/8']));
    await expectRefused(gateway, from('10.1.2.3', KEY), 403, 'ip_not_allowed');
  });
  check('a spoofed X-Forwarded-For, sent through the proxy', async () => {
    await using gateway = await startTestGateway(listed(['10.0.0.0/8'], ['127.0.0.1']));
    await expectRefused(gateway, from('10.1.2.3, 203.0.113.5', KEY), 403, 'ip_not_allowed');
    expect((await send(gateway, from('203.0.113.5, 10.1.2.3', KEY))).status).toBe(200);
  });
  check('a blocked address with a valid key', async () => {
    await using gateway = await startTestGateway(listed(['203.0.113.0/24']));
    await expectRefused(gateway, auth(APP, KEY), 403, 'ip_not_allowed');
  });
  check('a blocked address with an invalid key', async () => {
    await using gateway = await startTestGateway(listed(['203.0.113.0/24']));
    await expectRefused(gateway, auth(APP, 'X-API-Key: sk_wrong'), 403, 'forbidden');
  });
});
