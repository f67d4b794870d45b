import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readBody } from '@tidings/http/read-body';
import { AppError, listen, sendProblem, systemIds, type HttpServer } from '@tidings/platform';
import { openRawConnection } from '@tidings/platform/testing';
import { ensureCertificate, type Certificate } from './certificate.ts';
import { startReverseProxy, type ReverseProxy } from './reverse-proxy.ts';
import { freePorts } from './stack/ports.ts';

let certificate: Certificate;
let certificateDir: string;
const upstreams: Server[] = [];
const services: HttpServer[] = [];
const doors: ReverseProxy[] = [];

beforeAll(async () => {
  certificateDir = await mkdtemp(join(tmpdir(), 'tidings-certificate-'));
  certificate = await ensureCertificate(join(certificateDir, 'certificate.json'));
});
afterAll(() => rm(certificateDir, { recursive: true }));

afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.close()));
  await Promise.all(services.splice(0).map((service) => service.close()));
  for (const upstream of upstreams.splice(0)) upstream.close();
});

async function doorTo(
  handler: RequestListener | undefined,
  service?: HttpServer,
): Promise<ReverseProxy> {
  const [port = 0, httpsPort = 0, closedPort = 0] = await freePorts(3);
  let upstreamPort = service?.port ?? closedPort;
  if (service !== undefined) services.push(service);
  if (handler !== undefined) {
    const upstream = createServer(handler).listen(0, '127.0.0.1');
    upstreams.push(upstream);
    await once(upstream, 'listening');
    upstreamPort = (upstream.address() as AddressInfo).port;
  }
  const door = await startReverseProxy({
    port,
    httpsPort,
    certificate,
    routes: [{ path: '/', service: 'any' }],
    portOf: () => upstreamPort,
  });
  doors.push(door);
  return door;
}

const LARGE = Buffer.alloc(1_100_000, ' ');
const SMALL = Buffer.from('{}');
const ROUNDS = 25;
const ANSWER_WITHIN_MS = 5_000;

/** Sends 413 before the body has arrived, then reads the body to its end. */
const respondEarly: RequestListener = (req, res) => {
  readBody(req, { bytesMax: 1024 * 1024, types: ['application/json'] }).then(
    () => res.end('{}'),
    (error: unknown) =>
      sendProblem(res, error instanceof AppError ? error : new AppError('internal'), {
        requestId: systemIds.uuid(),
      }),
  );
};

const isLarge = (req: IncomingMessage): boolean =>
  Number(req.headers['content-length']) > SMALL.length;

const ANSWERS_BEFORE_THE_BODY: readonly (readonly [string, RequestListener])[] = [
  ['the service reads on', respondEarly],
  [
    'the service closes its connection',
    (req, res) =>
      void (isLarge(req)
        ? res.writeHead(413, { Connection: 'close', 'Content-Length': 0 }).end()
        : res.setHeader('Content-Length', 2).end('{}')),
  ],
  [
    'the service dies without an answer',
    (req, res) =>
      void (isLarge(req) ? res.destroy() : res.setHeader('Content-Length', 2).end('{}')),
  ],
];

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const timer = AbortSignal.timeout(ms);
  const late = new Promise<never>((_resolve, reject) =>
    timer.addEventListener('abort', () => reject(new Error(`no answer within ${ms} ms`)), {
      once: true,
    }),
  );
  return Promise.race([promise, late]);
}

describe('the reverse proxy', () => {
  test('sets X-Forwarded-For and X-Forwarded-Proto, and ignores those of the client', async () => {
    const door = await doorTo((req, res) =>
      res.end(JSON.stringify([req.headers['x-forwarded-for'], req.headers['x-forwarded-proto']])),
    );

    const answer = await fetch(door.baseUrl, {
      headers: { 'X-Forwarded-For': '203.0.113.5', 'X-Forwarded-Proto': 'gopher' },
    });

    expect(await answer.json()).toEqual(['127.0.0.1', 'http']);
  });

  test('serves https with its own certificate', async () => {
    const door = await doorTo((req, res) => res.end(req.headers['x-forwarded-proto']));

    const req = requestTls(door.httpsUrl, { ca: certificate.cert }).end();
    const [answer] = (await once(req, 'response')) as [IncomingMessage];

    expect(await text(answer)).toBe('https');
  });

  test('streams a request body', async () => {
    const door = await doorTo((req, res) => req.pipe(res));

    const req = request(door.baseUrl, { method: 'POST' });
    req.write('first');
    const [answer] = (await once(req, 'response')) as [IncomingMessage];
    const [chunk] = (await once(answer, 'data')) as [Buffer];
    req.end();

    expect(chunk.toString()).toBe('first');
    await once(answer.resume(), 'end');
  });

  test('keeps the client connection when the service closes its own', async () => {
    const door = await doorTo((_req, res) => res.setHeader('Connection', 'close').end());

    const answer = await fetch(door.baseUrl);

    expect(answer.headers.get('Connection')).toBe('keep-alive');
  });

  test('answers 503 with Retry-After while the service is down', async () => {
    const door = await doorTo(undefined);

    const answer = await fetch(door.baseUrl, { method: 'POST', body: '{}' });

    expect(answer.status).toBe(503);
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    expect(answer.headers.get('Retry-After')).toBe('1');
    expect(await answer.json()).toMatchObject({
      code: 'unavailable',
      requestId: answer.headers.get('X-Request-Id'),
    });
  });

  test('closes the connection when the service dies during its response', async () => {
    const door = await doorTo((_req, res) => {
      res.writeHead(200, { 'Content-Length': '100' });
      res.write('half');
      setImmediate(() => res.destroy());
    });

    await expect(fetch(door.baseUrl).then((answer) => answer.text())).rejects.toThrow();
  });

  test.each(ANSWERS_BEFORE_THE_BODY)(
    'accepts the next request on a connection whose body arrived after its response: %s',
    async (_case, handler) => {
      const door = await doorTo(handler);
      await using caller = await openRawConnection(Number(new URL(door.baseUrl).port));
      const answers: number[] = [];

      for (let round = 0; round < ROUNDS; round += 1) {
        for (const body of [LARGE, SMALL]) {
          caller.socket.write(
            `POST / HTTP/1.1\r\nHost: proxy\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
          );
          caller.socket.write(body);
          answers.push((await within(ANSWER_WITHIN_MS, caller.answer())).status);
        }
      }

      expect(answers).toHaveLength(2 * ROUNDS);
      expect(answers.filter((status, index) => index % 2 === 1 && status !== 200)).toEqual([]);
      expect(
        answers.filter((status, index) => index % 2 === 0 && ![413, 503].includes(status)),
      ).toEqual([]);
    },
    60_000,
  );

  test('does so for fetch, which reuses the connection', async () => {
    const door = await doorTo(respondEarly);
    const post = async (body: Buffer): Promise<number> => {
      const answer = await fetch(door.baseUrl, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const answers: number[] = [];

    for (let round = 0; round < ROUNDS; round += 1)
      answers.push(await post(LARGE), await post(SMALL));

    expect(answers).toEqual(Array.from({ length: ROUNDS }, () => [413, 200]).flat());
  }, 60_000);

  test.each([
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 400],
    ['an invalid Host', 'GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405],
  ])('answers %s with problem+json and forwards nothing', async (_what, request, status) => {
    let passedOn = 0;
    const door = await doorTo((_req, res) => {
      passedOn += 1;
      res.end();
    });

    const socket = connect(Number(new URL(door.baseUrl).port), '127.0.0.1');
    socket.write(request);

    expect(await text(socket)).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} [^]*application/problem\\+json`),
    );
    expect(passedOn).toBe(0);
  });

  test('sends 100 Continue only when the service does, and then keeps the connection', async () => {
    const door = await doorTo(
      undefined,
      await listen(
        async (req, res) => {
          if (req.url === '/refuse') return void res.writeHead(403, { 'Content-Length': 0 }).end();
          res
            .setHeader('Content-Length', 4)
            .end(await readBody(req, { bytesMax: 4, types: ['application/json'] }));
        },
        { host: '127.0.0.1', port: 0 },
      ),
    );
    const expecting = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: proxy\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`;
    await using caller = await openRawConnection(Number(new URL(door.baseUrl).port));
    const seen: (number | string)[] = [];

    for (const body of ['"ab"', '"cd"']) {
      caller.socket.write(expecting('/'));
      seen.push((await within(ANSWER_WITHIN_MS, caller.answer())).status);
      caller.socket.write(body);
      const { status, body: said } = await within(ANSWER_WITHIN_MS, caller.answer());
      seen.push(status, said);
    }
    caller.socket.write(expecting('/refuse'));
    const refused = await within(ANSWER_WITHIN_MS, caller.answer());
    await within(ANSWER_WITHIN_MS, caller.closed);

    expect(seen).toEqual([100, 200, '"ab"', 100, 200, '"cd"']);
    expect([refused.status, refused.headers['connection']]).toEqual([403, 'close']);
  });

  test('answers non-HTTP input with problem+json', async () => {
    const door = await doorTo((_req, res) => res.end());

    const socket = connect(Number(new URL(door.baseUrl).port), '127.0.0.1');
    socket.write('NOT HTTP\r\n\r\n');

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json/);
  });
});
