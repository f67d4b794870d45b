import { expect } from '@jest/globals';
import { openRawConnection } from '@tidings/platform/testing';
import { describeCorpus } from './testing/corpus.ts';
import { startTestGateway, type TestGatewayOptions } from './testing/test-gateway.ts';
import {
  APPLICATION,
  BODY,
  KEY,
  LENGTH,
  WRONG_KEY,
  toBytes,
  expectRejected,
  expectWireProblem,
  send,
  withHeaders,
  type Wire,
} from './testing/wire.ts';

const WITHOUT_BODY = { headers: [APPLICATION, KEY], body: '' };

describeCorpus('requests', ({ check }) => {
  check('PROPFIND /', async (gateway) => {
    await expectRejected(gateway, { start: 'PROPFIND / HTTP/1.1', ...WITHOUT_BODY }, [
      405,
      'method_not_allowed',
    ]);
  });
  for (const path of [
    '///',
    '//push',
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
      await expectRejected(gateway, { start: `POST ${path} HTTP/1.1` }, [404, 'not_found']);
    });
  }
  for (const path of ['/?x', '//', '/v1/', '/v1?x=1', '/?messages=1']) {
    check(`${path} is where it seems`, async (gateway) =>
      expect((await send(gateway, { start: `POST ${path} HTTP/1.1` })).status).toBe(200),
    );
  }
  for (const path of ['/push/', '/push?x', '/v1/push/']) {
    check(`${path} is where it seems`, async (gateway) => {
      await expectRejected(gateway, { start: `POST ${path} HTTP/1.1` }, [400, 'validation_failed']);
    });
  }
  check('HTTP/1.0 is answered, and its connection closed', async (gateway) => {
    await using connection = await openRawConnection(
      gateway.port,
      toBytes({ start: 'POST / HTTP/1.0' }),
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
    ['an unknown transfer encoding', ['Transfer-Encoding: gzip, identity']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
  ] as const) {
    check(`${name}`, async (gateway) => {
      await expectRejected(gateway, { headers: [APPLICATION, KEY, ...headers] }, [
        400,
        'invalid_json',
      ]);
    });
  }
  check('a body longer than its length: the rest is no second request', async (gateway) => {
    const before = gateway.records.length;
    await using connection = await openRawConnection(
      gateway.port,
      toBytes({ body: `${BODY}{"more":1}` }),
    );

    expect((await connection.answer()).status).toBe(200);
    expectWireProblem(await connection.answer(), [400, 'invalid_json']);
    expect(gateway.records).toHaveLength(before + 1);
  });
  for (const [name, wire] of [
    ['a body shorter than its length', { headers: [APPLICATION, KEY, 'Content-Length: 1000'] }],
    [
      'chunks without an end',
      {
        headers: [APPLICATION, KEY, 'Transfer-Encoding: chunked'],
        body: `${BODY.length.toString(16)}\r\n${BODY}\r\n`,
      },
    ],
  ] as const) {
    check(`${name} is 408 in time`, async () => {
      await using hasty = await startTestGateway({ requestTimeoutMs: 300 });
      await expectRejected(hasty, wire, [408, 'request_timeout']);
    });
  }
  check('HEAD /', async (gateway) => {
    const before = gateway.records.length;
    await using connection = await openRawConnection(
      gateway.port,
      toBytes({
        start: 'HEAD / HTTP/1.1',
        headers: [APPLICATION, KEY, 'Connection: close'],
        body: '',
      }),
    );
    await connection.closed;
    expect(gateway.records).toHaveLength(before);
  });
  check('OPTIONS *', async (gateway) => {
    await expectRejected(gateway, { start: 'OPTIONS * HTTP/1.1', headers: [], body: '' }, [
      404,
      'not_found',
    ]);
  });
});

describeCorpus('plain HTTP, as a trusted proxy says it', ({ check }) => {
  const PLAIN = 'X-Forwarded-Proto: http';
  const behindProxy: TestGatewayOptions = { trustedProxies: ['127.0.0.1'] };
  const rejected: readonly (readonly [string, Wire])[] = [
    ['POST / with a right key', withHeaders(APPLICATION, KEY, PLAIN)],
    ['POST / with a wrong key', withHeaders(APPLICATION, WRONG_KEY, PLAIN)],
    ['POST / without a key', withHeaders(PLAIN)],
    [
      'POST / with a body that is no JSON',
      { headers: [APPLICATION, KEY, PLAIN, 'Content-Length: 1'], body: '{' },
    ],
    [
      'POST /?x, which comes by its route',
      { start: 'POST /?x HTTP/1.1', ...withHeaders(APPLICATION, KEY, PLAIN) },
    ],
    ['POST /v1', { start: 'POST /v1 HTTP/1.1', ...withHeaders(APPLICATION, KEY, PLAIN) }],
    ['POST /push', { start: 'POST /push HTTP/1.1', ...withHeaders(APPLICATION, KEY, PLAIN) }],
    [
      'POST where nothing is',
      { start: 'POST /nowhere HTTP/1.1', ...withHeaders(APPLICATION, KEY, PLAIN) },
    ],
    [
      'the preflight of a page',
      {
        start: 'OPTIONS / HTTP/1.1',
        headers: [PLAIN, 'Origin: https://shop.example', 'Access-Control-Request-Method: POST'],
        body: '',
      },
    ],
  ];
  for (const [name, wire] of rejected) {
    check(`${name} is rejected before it is read`, async () => {
      await using gateway = await startTestGateway(behindProxy);

      await expectRejected(gateway, wire, [403, 'https_required']);

      expect([gateway.usedKeys, gateway.rejections, gateway.campaigns]).toEqual([[], [], []]);
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
  check('https is admitted', async () => {
    await using gateway = await startTestGateway(behindProxy);
    expect(
      (await send(gateway, withHeaders(APPLICATION, KEY, 'X-Forwarded-Proto: https'))).status,
    ).toBe(200);
  });
  check('a caller without a proxy is admitted, despite its headers', async (gateway) => {
    expect((await send(gateway, withHeaders(APPLICATION, KEY, PLAIN))).status).toBe(200);
  });
  check('with HTTPS_ONLY=false, plain HTTP is admitted', async () => {
    await using gateway = await startTestGateway({ ...behindProxy, isHttpsOnly: false });
    expect((await send(gateway, withHeaders(APPLICATION, KEY, PLAIN))).status).toBe(200);
  });
});

describeCorpus('size of headers', ({ check }) => {
  check('headers of 17 KiB', async (gateway) => {
    await expectRejected(
      gateway,
      { headers: [APPLICATION, KEY, LENGTH, `X-Big: ${'x'.repeat(17 * 1024)}`] },
      [431, 'headers_too_large'],
    );
  });
  check('headers of 15 KiB', async (gateway) => {
    expect(
      (
        await send(gateway, {
          headers: [APPLICATION, KEY, LENGTH, `X-Big: ${'x'.repeat(15 * 1024)}`],
        })
      ).status,
    ).toBe(200);
  });
  check('300 headers', async (gateway) => {
    const many = Array.from({ length: 300 }, (_, index) => `X-${index}: 1`);
    expect((await send(gateway, { headers: [APPLICATION, KEY, LENGTH, ...many] })).status).toBe(
      200,
    );
  });
});
