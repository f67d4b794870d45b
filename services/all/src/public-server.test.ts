import { afterEach, expect, test } from '@jest/globals';
import type { HttpServer } from '@tidings/platform';
import type { RequestListener } from 'node:http';
import { createPublicServer } from './public-server.ts';

const open: HttpServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

const answering =
  (name: string): RequestListener =>
  (_req, res) =>
    void res.end(name);

/** Services listen at addresses of their own, which do not count. */
async function listen(names: readonly string[]): Promise<readonly HttpServer[]> {
  const server = createPublicServer({
    address: { host: '127.0.0.1', port: 0 },
    routes: [
      { path: '/', service: 'one' },
      { path: '/other', service: 'other' },
    ],
    options: {},
  });
  const servers = await Promise.all(
    names.map((name) => server.listenFor(name)(answering(name), { host: '0.0.0.0', port: 1 })),
  );
  open.push(...servers);
  return servers;
}

const get = async ({ url }: { url: string }, path: string) => {
  const answer = await fetch(`${url}${path}`);
  return [answer.status, await answer.text()] as const;
};

test('services share one port, and each gets the requests of its routes', async () => {
  const [one, other] = await listen(['one', 'other']);

  expect(one?.port).toBe(other?.port);
  expect(await get(one as HttpServer, '/x')).toEqual([200, 'one']);
  expect(await get(one as HttpServer, '/other/x?y=/')).toEqual([200, 'other']);
});

test('requests for a service that is still starting get 503 with Retry-After', async () => {
  const [one] = await listen(['one']);
  const answer = await fetch(`${one?.url}/other`);

  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
    503,
    expect.stringContaining('application/problem+json'),
  ]);
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('all services may close it; it refuses connections after the first', async () => {
  const [one, other] = await listen(['one', 'other']);

  await one?.close();
  await other?.close();

  await expect(fetch(`${one?.url}/other`)).rejects.toThrow();
});
