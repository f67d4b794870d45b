import { afterEach, expect, test } from '@jest/globals';
import { AppError, listen, type HttpServer } from '@tidings/platform';
import { openRawConnection } from '@tidings/platform/testing';
import type { RequestListener } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { readBody } from './read-body.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(handler: RequestListener): Promise<HttpServer> {
  const server = await listen(handler, { host: '127.0.0.1', port: 0 }, { closeDeadlineMs: 2_000 });
  servers.push(server);
  return server;
}

const expecting = (path: string, bytes: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n\r\n`;
/**
 * Rejects paths below `/reject` after a moment, without reading the body; echoes any other body
 * of up to ten bytes.
 */
const echo: RequestListener = async (req, res) => {
  await turn();
  try {
    if (req.url === '/reject') throw new AppError('forbidden');
    const body = await readBody(req, { bytesMax: 10, types: ['application/json'] });
    res.setHeader('Content-Length', body.length).end(body);
  } catch (error) {
    res
      .writeHead(error instanceof AppError && error.code === 'forbidden' ? 403 : 413, {
        'Content-Length': 0,
      })
      .end();
  }
};

test('100-continue is granted when the body is read, each time on a kept connection', async () => {
  const server = await serve(echo);
  await using connection = await openRawConnection(server.port);
  const seen: (string | number)[] = [];
  for (const body of ['first', 'second']) {
    connection.socket.write(expecting('/', body.length));
    seen.push((await connection.answer()).status);
    connection.socket.write(body);
    const { status, headers, body: said } = await connection.answer();
    seen.push(status, String(headers['connection']), said);
  }

  expect(seen).toEqual([100, 200, 'keep-alive', 'first', 100, 200, 'keep-alive', 'second']);
});

test.each([
  ['rejected before its body is read', '/reject', 5, 403],
  ['that announces too much', '/', 11, 413],
])(
  'a request %s is not told to send it, and its connection ends',
  async (_what, path, bytes, status) => {
    const server = await serve(echo);
    await using connection = await openRawConnection(server.port, expecting(path, bytes));

    const answer = await connection.answer();
    await connection.closed;

    expect([answer.status, answer.headers['connection']]).toEqual([status, 'close']);
  },
);

test('a body that comes without waiting is read, and so is the request behind it', async () => {
  const server = await serve(echo);
  await using connection = await openRawConnection(
    server.port,
    `${expecting('/', 4)}sent${expecting('/', 4)}more`,
  );

  // A 100 for a body that already arrived is optional (RFC 9110, 10.1.1).
  const bodies: string[] = [];
  while (bodies.length < 2) {
    const { status, body } = await connection.answer();
    if (status !== 100) bodies.push(body);
  }

  expect(bodies).toEqual(['sent', 'more']);
});
