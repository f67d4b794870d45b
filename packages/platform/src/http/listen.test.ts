import { once } from 'node:events';
import { request, type RequestListener, type ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openRawConnection } from '../testing/raw-connection.ts';
import { listen, type HttpServer } from './listen.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(
  handler: RequestListener = (_req, res) => void res.end('ok'),
  options = {},
): Promise<HttpServer> {
  const server = await listen(
    handler,
    { host: '127.0.0.1', port: 0 },
    { closeDeadlineMs: 2_000, ...options },
  );
  servers.push(server);
  return server;
}

describe('what cannot be parsed is answered like everything else', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n', 400, 'invalid_json'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400, 'invalid_json'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n', 400, 'invalid_json'],
    [
      'a line break inside a header',
      'GET / HTTP/1.1\r\nHost: a\r\nX-API-Key: a\rb\r\n\r\n',
      400,
      'invalid_json',
    ],
    [
      'NUL in a header',
      'GET / HTTP/1.1\r\nHost: a\r\nX-API-Key: a\0b\r\n\r\n',
      400,
      'invalid_json',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
      'invalid_json',
    ],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'invalid_json',
    ],
    [
      'a broken chunk',
      'POST /hold HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'invalid_json',
    ],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'invalid_json'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHOST: b\r\n\r\n', 400, 'invalid_json'],
    ['the same Host twice', 'GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n', 400, 'invalid_json'],
    ['two Hosts by HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'invalid_json'],
    ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 400, 'invalid_json'],
    ['a Host with a space', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'invalid_json'],
    ['a Host with a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', 400, 'invalid_json'],
    ['a Host with a user', 'GET / HTTP/1.1\r\nHost: user@a\r\n\r\n', 400, 'invalid_json'],
    ['a Host with a scheme', 'GET / HTTP/1.1\r\nHost: http://a\r\n\r\n', 400, 'invalid_json'],
    [
      'a Host with half an IPv6 address',
      'GET / HTTP/1.1\r\nHost: [::1\r\n\r\n',
      400,
      'invalid_json',
    ],
    ['a Host with a port of letters', 'GET / HTTP/1.1\r\nHost: a:b\r\n\r\n', 400, 'invalid_json'],
    ['a Host beyond ASCII', 'GET / HTTP/1.1\r\nHost: \xe9\r\n\r\n', 400, 'invalid_json'],
    [
      'CONNECT',
      'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    [
      'headers of 17 KiB',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'headers of 1 MiB',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(1024 * 1024)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s', async (_what, text, status, code) => {
    const server = await serve((req, res) => (req.url === '/hold' ? req.resume() : res.end('ok')));
    await using connection = await openRawConnection(server.port, text);

    const answer = await connection.answer();

    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'api-version': '1',
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      status,
      code,
      requestId: answer.headers['x-request-id'],
    });
    expect((await fetch(server.url)).status).toBe(200);
  });

  test('the connection of an answered fault is closed, even if its caller keeps sending', async () => {
    const server = await serve();
    await using connection = await openRawConnection(server.port, 'garbage\r\n\r\n');
    await connection.answer();

    connection.socket.write('more\r\n');
    await connection.closed;

    expect(connection.socket.readableEnded).toBe(true);
  });

  test('a fault behind an answered request does not disturb its answer', async () => {
    const server = await serve((_req, res) => void res.end('first'));
    await using connection = await openRawConnection(
      server.port,
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n',
    );
    const first = await connection.answer().catch(() => null);

    connection.socket.write('garbage\r\n\r\n');

    expect(first).toMatchObject({ status: 200, body: 'first' });
    expect((await connection.answer()).status).toBe(400);
  });

  test('a fault behind a request that is still in work waits for its answer', async () => {
    let held: ServerResponse | undefined;
    const server = await serve((_req, res) => {
      held = res;
    });
    await using connection = await openRawConnection(
      server.port,
      'GET / HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n',
    );
    while (held === undefined) await turn();
    await turn();

    held.setHeader('Content-Length', 5).end('first');

    expect(await connection.answer()).toMatchObject({ status: 200, body: 'first' });
    expect((await connection.answer()).status).toBe(400);
    await connection.closed;
  });

  test('a fault in the body of a request that was answered before its end gets no second answer', async () => {
    const server = await serve((_req, res) => void res.setHeader('Content-Length', 4).end('sent'));
    await using connection = await openRawConnection(
      server.port,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    await connection.answer();

    connection.socket.write('zz\r\n');

    await expect(connection.answer()).rejects.toThrow('without an answer');
  });
});

describe('expectations', () => {
  test('100-continue is granted', async () => {
    const server = await serve((req, res) => void req.resume().once('end', () => res.end('ok')));
    const call = request(server.url, { method: 'POST', headers: { Expect: '100-continue' } });
    call.flushHeaders();

    await once(call, 'continue');
    call.end('body');
    const [response] = (await once(call, 'response')) as [
      { readonly statusCode: number; resume(): void },
    ];
    response.resume();

    expect(response.statusCode).toBe(200);
  });

  test.each(['a', 'a.example:8080', 'a_b.example', '[::1]', '[2001:db8::1]:8443', '192.0.2.1:1'])(
    'the Host %s is valid',
    async (host) => {
      const server = await serve();
      await using connection = await openRawConnection(
        server.port,
        `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );

      expect((await connection.answer()).status).toBe(200);
    },
  );

  test('an unknown one is ignored', async () => {
    const server = await serve();
    await using connection = await openRawConnection(
      server.port,
      'GET / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    );

    await connection.closed;

    expect((await connection.answer()).status).toBe(200);
  });
});

test('a caller who reads nothing of his answer does not hold it for ever', async () => {
  const MORE_THAN_SOCKETS_HOLD = 64 * 1024 * 1024;
  let closed: Promise<unknown> | undefined;
  const server = await serve(
    (_req, res) => {
      closed = once(res, 'close');
      res.end(Buffer.alloc(MORE_THAN_SOCKETS_HOLD));
    },
    { silenceTimeoutMs: 200 },
  );
  await using connection = await openRawConnection(server.port);
  connection.socket.pause();
  connection.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  while (closed === undefined) await turn();

  await closed;

  expect(connection.socket.bytesRead).toBeLessThan(MORE_THAN_SOCKETS_HOLD);
});

describe('disableKeepAlive', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

  test('everything is answered still, and every answer ends its connection: of a request in work, of a kept connection, of a new one', async () => {
    const held: ServerResponse[] = [];
    const server = await serve((_req, res) => void held.push(res));
    const answerNext = async (): Promise<void> => {
      while (held.length === 0) await turn();
      held.pop()?.setHeader('Content-Length', 2).end('ok');
    };
    await using kept = await openRawConnection(server.port, GET);
    await answerNext();
    const before = await kept.answer();
    await using waiting = await openRawConnection(server.port, GET);
    while (held.length === 0) await turn();

    server.disableKeepAlive();
    await answerNext();
    kept.socket.write(GET);
    await answerNext();
    await using fresh = await openRawConnection(server.port, GET);
    await answerNext();

    expect(before.headers['connection']).toBe('keep-alive');
    for (const connection of [waiting, kept, fresh]) {
      expect(await connection.answer()).toMatchObject({
        status: 200,
        headers: { connection: 'close' },
        body: 'ok',
      });
      await connection.closed;
    }
  });
});

describe('close', () => {
  test('a request in flight finishes, new connections are rejected, and a kept connection is not reused', async () => {
    let held: ServerResponse | undefined;
    const server = await serve((_req, res) => {
      held = res;
    });
    const answer = fetch(server.url);
    while (held === undefined) await turn();

    const closed = server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    held.end('finished');

    expect(await (await answer).text()).toBe('finished');
    await closed;
  });

  test('a connection without a request does not delay it until the deadline', async () => {
    const server = await serve(undefined, { closeDeadlineMs: 60_000 });
    await using connection = await openRawConnection(server.port, '');
    await fetch(server.url);

    await server.close();
    await connection.closed;

    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('an idle connection does not hold it up', async () => {
    const server = await serve();
    await (await fetch(server.url)).text();

    await server.close();

    await expect(fetch(server.url)).rejects.toThrow();
  });

  test.each([
    ['who never sends a request', ''],
    ['who never ends his headers', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['who never ends his body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
  ])('a caller %s holds it up no longer than the deadline', async (_who, text) => {
    const server = await serve((req, res) => void req.resume().once('end', () => res.end('ok')), {
      closeDeadlineMs: 20,
    });
    await using connection = await openRawConnection(server.port, text);
    await (await fetch(server.url)).text();

    await server.close();
    await connection.closed;
  });

  test('a port in use is reported', async () => {
    const server = await serve();

    await expect(
      listen(() => undefined, { host: '127.0.0.1', port: server.port }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('connections above the bound', () => {
  const ASK = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';

  test('get 503 while earlier ones continue; when one closes, another is accepted', async () => {
    const server = await listen(
      (_req, res) => res.end('ok'),
      { host: '127.0.0.1', port: 0 },
      { connectionsMax: 2, closeDeadlineMs: 100 },
    );
    try {
      await using first = await openRawConnection(server.port, ASK);
      const second = await openRawConnection(server.port, ASK);
      expect([(await first.answer()).status, (await second.answer()).status]).toEqual([200, 200]);

      await using third = await openRawConnection(server.port, ASK);
      const rejected = await third.answer();
      await third.closed;

      expect([
        rejected.status,
        (JSON.parse(rejected.body) as { readonly code: string }).code,
      ]).toEqual([503, 'unavailable']);
      expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(rejected.headers['connection']).toBe('close');
      first.socket.write(ASK);
      expect((await first.answer()).status).toBe(200);
      await second[Symbol.asyncDispose]();
      let status = 0;
      for (const endAt = Date.now() + 5_000; status !== 200 && Date.now() < endAt;) {
        await using another = await openRawConnection(server.port, ASK);
        ({ status } = await another.answer());
      }
      expect(status).toBe(200);
    } finally {
      await server.close();
    }
  });

  test('far above it are cut off at once', async () => {
    const server = await listen(
      (_req, res) => res.end('ok'),
      { host: '127.0.0.1', port: 0 },
      { connectionsMax: 1, closeDeadlineMs: 100 },
    );
    const connections = await Promise.all(
      Array.from({ length: 1 + 16 }, () => openRawConnection(server.port)),
    );
    try {
      await using oneTooMany = await openRawConnection(server.port, ASK);

      await oneTooMany.closed;
      await expect(oneTooMany.answer()).rejects.toThrow('without an answer');
    } finally {
      for (const connection of connections) await connection[Symbol.asyncDispose]();
      await server.close();
    }
  });
});
