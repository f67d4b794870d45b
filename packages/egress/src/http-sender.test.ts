import { afterAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { generate } from 'selfsigned';
import { createEgress, EgressRefusedError } from './egress.ts';
import { createHttpSender, type HttpSenderOptions } from './http-sender.ts';

const certificate = await generate([{ name: 'commonName', value: 'receiver.example' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'receiver.example' }, { type: 7, ip: '127.0.0.1' }] },
  ],
});

const open: AsyncDisposable[] = [];
afterAll(async () => {
  for (const one of open) await one[Symbol.asyncDispose]();
});

async function listening(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

const startReceiver = (answer: RequestListener) => listening(createServer({ keepAliveTimeout: 60_000 }, answer));

/** A sender that finds every name at this machine, which is opened to it unless told otherwise. */
function senderTo({ networks = ['127.0.0.0/8'], ...options }: { readonly networks?: readonly string[] } & Partial<HttpSenderOptions> = {}) {
  const sender = createHttpSender(createEgress({ egressAllowedNetworks: networks }, async () => ['127.0.0.1']), { publicPorts: [443], answerBytesMax: 100, ...options });
  open.push({ [Symbol.asyncDispose]: async () => sender.close() });
  return (url: string, timeoutMs = 5_000) => sender.post(new URL(url), { headers: { 'Content-Type': 'application/json' }, body: '{"a":"ü"}', timeoutMs });
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) text += String(chunk);
  return text;
}

const answering = (status: number, body = '', headers: Readonly<Record<string, string>> = {}) => (_req: IncomingMessage, res: ServerResponse) => res.writeHead(status, headers).end(body);

describe('a request', () => {
  test('arrives as it is, and brings status, headers and the beginning of the answer', async () => {
    const seen: unknown[] = [];
    const { port } = await startReceiver((req, res) => {
      void textOf(req).then((text) => {
        seen.push([req.method, req.url, req.headers.host, req.headers['content-type'], text]);
        res.writeHead(429, { 'Retry-After': '7' }).end('x'.repeat(1_000));
      });
    });

    const answer = await senderTo()(`http://receiver.example:${port}/hook?a=1`);

    expect(seen).toEqual([['POST', '/hook?a=1', `receiver.example:${port}`, 'application/json', '{"a":"ü"}']]);
    expect(answer).toMatchObject({ status: 429, body: 'x'.repeat(100) });
    expect(answer.headers['retry-after']).toBe('7');
  });

  test('takes the connection of the one before', async () => {
    const { port, sockets } = await startReceiver(answering(200, 'ok'));
    const post = senderTo();

    for (let n = 0; n < 3; n += 1) await post(`http://receiver.example:${port}/`);

    expect(sockets.size).toBe(1);
  });

  test('is sent again when the kept connection was given up just then', async () => {
    const { port, sockets } = await startReceiver(answering(200, 'ok'));
    const post = senderTo();
    await post(`http://receiver.example:${port}/`);
    // Closed without a word, as by a box on the way that has forgotten the connection.
    for (const socket of sockets) socket.on('data', () => undefined).resetAndDestroy();

    await eventually(async () => expect((await post(`http://receiver.example:${port}/`)).status).toBe(200));
    expect(sockets.size).toBe(2);
  });

  test('over TLS proves who is there: the name, or the address', async () => {
    const { port } = await listening(createSecureServer({ key: certificate.private, cert: certificate.cert }, answering(204)));
    const post = senderTo({ ca: certificate.cert });

    expect((await post(`https://receiver.example:${port}/`)).status).toBe(204);
    expect((await post(`https://127.0.0.1:${port}/`)).status).toBe(204);
    await expect(post(`https://other.example:${port}/`)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await expect(senderTo()(`https://receiver.example:${port}/`)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });
});

describe('an answer', () => {
  test('S24 that sends elsewhere is not followed', async () => {
    let followed = 0;
    const elsewhere = await startReceiver((_req, res) => {
      followed += 1;
      res.end();
    });
    const { port } = await startReceiver(answering(307, '', { Location: `http://receiver.example:${elsewhere.port}/` }));

    expect((await senderTo()(`http://receiver.example:${port}/`)).status).toBe(307);
    expect(followed).toBe(0);
  });

  test('that does not come ends in time, and so does its connection', async () => {
    const { port, sockets } = await startReceiver(() => undefined);

    await expect(senderTo()(`http://receiver.example:${port}/`, 50)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await eventually(() => expect([...sockets].every((socket) => socket.destroyed)).toBe(true));
  });

  test('whose body never ends counts by its status', async () => {
    const { port } = await startReceiver((_req, res) => {
      res.writeHead(200).write('begin');
    });

    expect(await senderTo()(`http://receiver.example:${port}/`, 200)).toMatchObject({ status: 200, body: 'begin' });
  });

  test('that is endless is read to the bound', async () => {
    const { port, sockets } = await startReceiver((_req, res) => {
      const more = (): void => {
        while (!res.destroyed && res.write('x'.repeat(10_000)));
        res.once('drain', more);
      };
      more();
    });

    expect((await senderTo()(`http://receiver.example:${port}/`)).body).toHaveLength(100);
    await eventually(() => expect([...sockets].every((socket) => socket.destroyed)).toBe(true));
  });

  test.each([
    ['is no HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH\r\n'), /^HPE_/],
    ['is nothing', (socket: Socket) => socket.end(), /ECONNRESET/],
  ])('that %s is an error', async (_name, answer, code) => {
    const { port, sockets } = await startReceiver(() => {
      for (const socket of sockets) answer(socket);
    });

    await expect(senderTo()(`http://receiver.example:${port}/`)).rejects.toMatchObject({ code: expect.stringMatching(code) });
  });
});

describe('an address', () => {
  test.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]', 'http://0x7f.1', 'http://2130706433', 'http://169.254.169.254', 'https://10.0.0.1', 'https://[::ffff:127.0.0.1]', 'https://[fd00:ec2::254]'])(
    'S21 S22 %s, which is private, is refused without a connection',
    async (origin) => {
      const { port, sockets } = await startReceiver(answering(200));

      await expect(senderTo({ networks: [] })(`${origin}:${port}/`)).rejects.toThrow(EgressRefusedError);
      expect(sockets.size).toBe(0);
    },
  );

  test.each(['http://8.8.8.8/', 'http://8.8.8.8:443/', 'https://8.8.8.8:22/', 'https://8.8.8.8:5432/'])('S21 %s, which is public, is refused: without TLS, or at another port', async (url) => {
    await expect(senderTo()(url)).rejects.toThrow(EgressRefusedError);
  });
});
