import { describe, expect, test } from '@jest/globals';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { createEgress, EgressRefusedError } from './egress.ts';
import { createEgressHttp } from './http-client.ts';
import { HttpFailure } from './http-exchange.ts';

const open = { egressPlainHttp: true, egressHttpPorts: ['*'] };
const POST = { method: 'POST', headers: {}, body: 'text', timeoutMs: 5_000 } as const;

function testHttp({ config = open, networks = ['127.0.0.1/32'], connections = 2 } = {}) {
  const http = createEgressHttp(config, { egress: createEgress({ egressAllowedNetworks: networks }), connections, connectTimeoutMs: 1_000 });
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

const failureOf = async (work: Promise<unknown>): Promise<unknown> => work.then(() => 'answered', (error: unknown) => error);

describe('a request', () => {
  test('is answered with status, headers and text; the connection is kept for the next', async () => {
    await using server = await startServer((req, res) => {
      res.writeHead(201, { 'X-Method': req.method });
      req.pipe(res);
    });
    await using http = testHttp({ connections: 1 });

    for (const body of ['one', 'zwei €']) {
      expect(await http.request({ ...POST, url: `${server.url}/a?b=c`, body })).toMatchObject({ status: 201, headers: { 'x-method': 'POST' }, body });
    }
    expect(server.sockets.size).toBe(1);
  });

  test('S24 a redirect is an answer and nothing more', async () => {
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
      const more = (): void => void (!res.destroyed && res.write('x'.repeat(10_000), () => setImmediate(more)));
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

    expect(await http.request({ ...POST, url: server.url })).toMatchObject({ status: 200, body: 'half' });
  });
});

describe('a failure says whether anything may have left', () => {
  test('nobody listens: nothing left', async () => {
    const server = await startServer(() => undefined);
    await server[Symbol.asyncDispose]();
    await using http = testHttp();

    expect(await failureOf(http.request({ ...POST, url: server.url }))).toMatchObject({ isHandedOver: false, code: 'ECONNREFUSED' });
  });

  test('the connection is cut after the request came: it may have been taken', async () => {
    await using server = await startServer((req) => req.resume().once('end', () => req.socket.resetAndDestroy()));
    await using http = testHttp();

    const failure = await failureOf(http.request({ ...POST, url: server.url }));

    expect(failure).toBeInstanceOf(HttpFailure);
    expect(failure).toMatchObject({ isHandedOver: true });
  });

  test('no answer in time: it may have been taken, and the connection is given up', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using server = await startServer((req) => void req.socket.once('close', () => resolve()));
    await using http = testHttp();

    expect(await failureOf(http.request({ ...POST, url: server.url, timeoutMs: 100 }))).toMatchObject({ isHandedOver: true, code: 'ETIMEDOUT' });
    await closed;
  });

  test('no TLS there: nothing left', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume().end('this is no TLS\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await using http = testHttp();

    expect(await failureOf(http.request({ ...POST, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }))).toMatchObject({ isHandedOver: false });
    await new Promise((resolve) => server.close(resolve));
  });

  test('whoever may no longer begin sends nothing', async () => {
    let calls = 0;
    await using server = await startServer((_req, res) => {
      calls += 1;
      res.end();
    });
    await using http = testHttp();

    expect(await failureOf(http.request({ ...POST, url: server.url, mayBegin: () => false }))).toMatchObject({ isHandedOver: false, isRefusedToBegin: true });
    expect((await http.request({ ...POST, url: server.url, mayBegin: () => true })).status).toBe(200);
    expect(calls).toBe(1);
  });

  test('given up while it waits for a connection: it never leaves', async () => {
    const bodies: string[] = [];
    const held: (() => void)[] = [];
    await using server = await startServer((req, res) => {
      req.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      held.push(() => res.end());
    });
    await using http = testHttp({ connections: 1 });
    const first = http.request({ ...POST, url: server.url, body: 'first' });

    const second = await failureOf(http.request({ ...POST, url: server.url, body: 'second', timeoutMs: 50 }));
    held.splice(0).forEach((answer) => answer());
    await first;
    const third = http.request({ ...POST, url: server.url, body: 'third', timeoutMs: 2_000 });
    while (!bodies.includes('third')) await new Promise((resolve) => setImmediate(resolve));
    held.splice(0).forEach((answer) => answer());
    await third;

    expect(second).toMatchObject({ isHandedOver: false, code: 'ETIMEDOUT' });
    expect(bodies).toEqual(['first', 'third']);
  });
});

describe('TLS', () => {
  test('S21 asks for the name of the URL at the vetted address, and believes no certificate that nobody vouches for', async () => {
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
    const egress = createEgress({ egressAllowedNetworks: ['127.0.0.1/32'] }, async () => ['127.0.0.1']);
    const http = createEgressHttp(open, { egress, connections: 1 });

    const failure = await failureOf(http.request({ ...POST, url: `https://hooks.example:${(server.address() as AddressInfo).port}/` }));

    expect(failure).toMatchObject({ isHandedOver: false, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect([names, requests]).toEqual([['hooks.example'], 0]);
    await http.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('an address that may not be reached is refused', () => {
  test.each([
    ['S21 http', 'http://example.com/', {}],
    ['S21 another port', 'https://example.com:8443/', {}],
    ['S21 credentials', 'https://user:pass@example.com/', {}],
    ['another scheme', 'ftp://example.com/', {}],
    ['no URL', 'example', {}],
    ['S22 loopback', 'https://127.0.0.1/', {}],
    ['S22 loopback in other words', 'https://2130706433/', {}],
    ['S22 loopback of IPv6', 'https://[::1]/', {}],
    ['S22 metadata', 'https://169.254.169.254/', {}],
  ])('%s', async (_name, url) => {
    await using http = testHttp({ config: { egressPlainHttp: false, egressHttpPorts: ['443'] }, networks: [] });

    expect(await failureOf(http.request({ ...POST, url }))).toBeInstanceOf(EgressRefusedError);
  });
});
