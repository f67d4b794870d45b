import { describe, expect, test } from '@jest/globals';
import { ConfigError } from '@tidings/platform';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { createEgress, EgressBlockedError } from './egress.ts';
import { createEgressHttp } from './http-client.ts';
import { HttpFailure } from './http-exchange.ts';

const config = { egressPublicPorts: ['443'] };
const POST = { method: 'POST', headers: {}, body: 'text', timeoutMs: 5_000 } as const;

/** A client that resolves every name to this machine, which is allowed by default. */
function testHttp({
  networks = ['127.0.0.1/32'],
  connections = 2,
  ca,
}: {
  readonly networks?: readonly string[];
  readonly connections?: number;
  readonly ca?: string;
} = {}) {
  const egress = createEgress({ egressAllowedNetworks: networks }, async () => ['127.0.0.1']);
  const http = createEgressHttp(config, {
    egress,
    connections,
    connectTimeoutMs: 1_000,
    ...(ca !== undefined && { ca }),
  });
  return { request: http.request, [Symbol.asyncDispose]: () => http.close() };
}

/** A real server; `sockets` are its connections. */
async function startServer(answer: RequestListener) {
  const sockets = new Set<Socket>();
  const server = createHttpServer(answer);
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: unknown) => error,
  );

describe('a request', () => {
  test('is answered with status, headers and text; the connection is kept for the next', async () => {
    await using server = await startServer((req, res) => {
      res.writeHead(201, { 'X-Method': req.method, 'X-Host': req.headers.host });
      req.pipe(res);
    });
    await using http = testHttp({ connections: 1 });

    for (const body of ['one', 'zwei €']) {
      expect(await http.request({ ...POST, url: `${server.url}/a?b=c`, body })).toMatchObject({
        status: 201,
        headers: { 'x-method': 'POST', 'x-host': new URL(server.url).host },
        body,
      });
    }
    expect(server.sockets.size).toBe(1);
  });

  test('a redirect is an answer and nothing more', async () => {
    let calls = 0;
    await using server = await startServer((_req, res) => {
      calls += 1;
      res.writeHead(302, { Location: '/elsewhere' }).end();
    });
    await using http = testHttp();

    expect((await http.request({ ...POST, url: server.url })).status).toBe(302);
    expect(calls).toBe(1);
  });

  test('an answer without end is read up to its bound', async () => {
    await using server = await startServer((_req, res) => {
      res.writeHead(200);
      const more = (): void =>
        void (!res.destroyed && res.write('x'.repeat(10_000), () => setImmediate(more)));
      more();
    });
    await using http = testHttp();

    const answer = await http.request({ ...POST, url: server.url, answerBytesMax: 1_000 });

    expect([answer.status, answer.body.length]).toEqual([200, 1_000]);
  });

  test('an answer that breaks off after its head is an answer', async () => {
    await using server = await startServer((_req, res) => {
      res.writeHead(200, { 'Content-Length': '100' });
      res.write('half', () => res.destroy());
    });
    await using http = testHttp();

    expect(await http.request({ ...POST, url: server.url })).toMatchObject({
      status: 200,
      body: 'half',
    });
  });
});

test('a response that came while the process stood still for longer than the timeout counts', async () => {
  await using server = await startServer((_req, res) => {
    res.end('there', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300));
  });
  await using http = testHttp();

  expect(await http.request({ ...POST, url: server.url, timeoutMs: 100 })).toMatchObject({
    status: 200,
    body: 'there',
  });
});

describe('a kept-alive connection that the server closes when the next request arrives', () => {
  /** Answers the first request of each connection, and resets it at the second. */
  async function startForgetful() {
    const counts = new Map<Socket, number>();
    const server = await startServer((req, res) => {
      const count = (counts.get(req.socket) ?? 0) + 1;
      counts.set(req.socket, count);
      req.resume().once('end', () => (count === 1 ? res.end('ok') : req.socket.resetAndDestroy()));
    });
    return server;
  }

  test('costs a request that may be repeated nothing: it is sent again over a new one', async () => {
    await using server = await startForgetful();
    await using http = testHttp({ connections: 1 });

    for (let n = 0; n < 3; n += 1)
      expect((await http.request({ ...POST, url: server.url, mayRepeat: true })).body).toBe('ok');
    expect(server.sockets.size).toBe(3);
  });

  test('ends one that must not: its outcome is unknown', async () => {
    await using server = await startForgetful();
    await using http = testHttp({ connections: 1 });
    await http.request({ ...POST, url: server.url });

    expect(await failureOf(http.request({ ...POST, url: server.url }))).toMatchObject({
      isHandedOver: true,
      isConnectionOver: true,
    });
    expect(server.sockets.size).toBe(1);
  });

  test('does not apply to a new connection: a receiver that resets every request gets no second one', async () => {
    let requests = 0;
    await using server = await startServer((req) => {
      requests += 1;
      req.socket.resetAndDestroy();
    });
    await using http = testHttp();

    expect(
      await failureOf(http.request({ ...POST, url: server.url, mayRepeat: true })),
    ).toMatchObject({ isHandedOver: true, isConnectionOver: false });
    expect(requests).toBe(1);
  });
});

describe('an invalid response', () => {
  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n', /^HPE_/],
    ['nothing', '', /^UND_ERR_SOCKET$/],
  ])('%s', async (_name, text, code) => {
    await using server = await startServer((req) => void req.socket.end(text));
    await using http = testHttp();

    expect(await failureOf(http.request({ ...POST, url: server.url }))).toMatchObject({
      isHandedOver: true,
      code: expect.stringMatching(code),
    });
  });

  test('an endless body: the status counts, and the connection is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using server = await startServer((req, res) => {
      req.socket.once('close', () => resolve());
      res.writeHead(200).write('begin');
    });
    await using http = testHttp();

    expect(await http.request({ ...POST, url: server.url, timeoutMs: 200 })).toMatchObject({
      status: 200,
      body: 'begin',
    });
    await closed;
  });
});

describe('a failure reports whether anything may have been sent', () => {
  test('a closed port: nothing was sent', async () => {
    const server = await startServer(() => undefined);
    await server[Symbol.asyncDispose]();
    await using http = testHttp();

    expect(await failureOf(http.request({ ...POST, url: server.url }))).toMatchObject({
      isHandedOver: false,
      code: 'ECONNREFUSED',
    });
  });

  test('the connection is cut after the request arrived: it may have been processed', async () => {
    await using server = await startServer((req) =>
      req.resume().once('end', () => req.socket.resetAndDestroy()),
    );
    await using http = testHttp();

    const failure = await failureOf(http.request({ ...POST, url: server.url }));

    expect(failure).toBeInstanceOf(HttpFailure);
    expect(failure).toMatchObject({ isHandedOver: true });
  });

  test('no response in time: it may have been processed, and the connection is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using server = await startServer((req) => void req.socket.once('close', () => resolve()));
    await using http = testHttp();

    expect(
      await failureOf(http.request({ ...POST, url: server.url, timeoutMs: 100 })),
    ).toMatchObject({ isHandedOver: true, code: 'ETIMEDOUT' });
    await closed;
  });

  test('no TLS there: nothing left', async () => {
    const server = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('this is no TLS\r\n'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await using http = testHttp();

    expect(
      await failureOf(
        http.request({
          ...POST,
          url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
        }),
      ),
    ).toMatchObject({ isHandedOver: false });
    await new Promise((resolve) => server.close(resolve));
  });

  test('a false mayBegin sends nothing', async () => {
    let calls = 0;
    await using server = await startServer((_req, res) => {
      calls += 1;
      res.end();
    });
    await using http = testHttp();

    expect(
      await failureOf(http.request({ ...POST, url: server.url, mayBegin: () => false })),
    ).toMatchObject({ isHandedOver: false, isStartDeclined: true });
    expect((await http.request({ ...POST, url: server.url, mayBegin: () => true })).status).toBe(
      200,
    );
    expect(calls).toBe(1);
  });

  test('aborted while waiting for a connection: it is never sent', async () => {
    const bodies: string[] = [];
    const held: (() => void)[] = [];
    await using server = await startServer((req, res) => {
      req.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      held.push(() => res.end());
    });
    await using http = testHttp({ connections: 1 });
    const untilReceived = async (body: string): Promise<void> => {
      while (!bodies.includes(body)) await new Promise((resolve) => setImmediate(resolve));
    };
    const first = http.request({ ...POST, url: server.url, body: 'first' });
    await untilReceived('first');

    const second = await failureOf(
      http.request({ ...POST, url: server.url, body: 'second', timeoutMs: 50 }),
    );
    held.splice(0).forEach((answer) => answer());
    await first;
    const third = http.request({ ...POST, url: server.url, body: 'third', timeoutMs: 2_000 });
    await untilReceived('third');
    held.splice(0).forEach((answer) => answer());
    await third;

    expect(second).toMatchObject({ isHandedOver: false, code: 'ETIMEDOUT' });
    expect(bodies).toEqual(['first', 'third']);
  });
});

describe('TLS', () => {
  test('requests the name of the URL at the checked address, and rejects an untrusted certificate', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'hooks.example' }]);
    const names: string[] = [];
    let requests = 0;
    const server = createTlsServer(
      {
        cert,
        key,
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      },
      (_req, res) => {
        requests += 1;
        res.end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await using http = testHttp();

    const failure = await failureOf(
      http.request({
        ...POST,
        url: `https://hooks.example:${(server.address() as AddressInfo).port}/`,
      }),
    );

    expect(failure).toMatchObject({ isHandedOver: false, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect([names, requests]).toEqual([['hooks.example'], 0]);
    await new Promise((resolve) => server.close(resolve));
  });

  test('proves who is there: the name, or the address', async () => {
    const certificate = await generate([{ name: 'commonName', value: 'receiver.example' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'receiver.example' },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    });
    const server = createTlsServer(
      { key: certificate.private, cert: certificate.cert },
      (_req, res) => res.writeHead(204).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await using http = testHttp({ ca: certificate.cert });

    for (const host of ['receiver.example', '127.0.0.1'])
      expect((await http.request({ ...POST, url: `https://${host}:${port}/` })).status).toBe(204);
    expect(
      await failureOf(http.request({ ...POST, url: `https://other.example:${port}/` })),
    ).toMatchObject({ isHandedOver: false, code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('an address that may not be reached is refused without a connection', () => {
  const HOSTS = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '0x7f.1',
    '2130706433',
    '169.254.169.254',
    '10.0.0.1',
    '[::ffff:127.0.0.1]',
    '[fd00:ec2::254]',
  ];

  test.each(HOSTS.flatMap((host) => [`http://${host}`, `https://${host}`]))(
    '%s, which is private',
    async (origin) => {
      await using server = await startServer((_req, res) => void res.end());
      const egress = createEgress({ egressAllowedNetworks: [] });
      const http = createEgressHttp(config, { egress, connections: 1 });

      expect(
        await failureOf(http.request({ ...POST, url: `${origin}:${new URL(server.url).port}/` })),
      ).toBeInstanceOf(EgressBlockedError);
      expect(server.sockets.size).toBe(0);
      await http.close();
    },
  );

  test.each([
    ['public, without TLS', 'http://8.8.8.8/'],
    ['public, without TLS at the port of TLS', 'http://8.8.8.8:443/'],
    ['public, another port', 'https://8.8.8.8:22/'],
    ['public, another port', 'https://8.8.8.8:8443/'],
    ['credentials', 'https://user:pass@127.0.0.1/'],
    ['another scheme', 'ftp://127.0.0.1/'],
    ['no URL', 'example'],
  ])('%s: %s', async (_name, url) => {
    await using http = testHttp();

    expect(await failureOf(http.request({ ...POST, url }))).toBeInstanceOf(EgressBlockedError);
  });
});

test.each(['https', '65536', '-1', ''])('the port %j stops the start', (port) => {
  expect(() =>
    createEgressHttp(
      { egressPublicPorts: [port] },
      { egress: createEgress({ egressAllowedNetworks: [] }), connections: 1 },
    ),
  ).toThrow(ConfigError);
});
