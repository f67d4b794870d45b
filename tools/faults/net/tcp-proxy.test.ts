import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { freePorts } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let echo: net.Server;
let proxy: TcpProxy;
let port: number;
let dice: number[] = [];
const clients: net.Socket[] = [];

beforeEach(async () => {
  echo = net.createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  [port = 0] = await freePorts(1);
  proxy = await startTcpProxy({
    port,
    targetPort: () => (echo.address() as net.AddressInfo).port,
    random: () => dice.shift() ?? 1,
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

/** A connection with its received data, and whether it was closed. */
async function dial() {
  const client = net.connect({ port, host: '127.0.0.1' });
  const heard = { text: '', hasEnded: false };
  clients.push(client.on('error', () => undefined));
  client.on('data', (bytes: Buffer) => (heard.text += bytes.toString()));
  client.on('close', () => (heard.hasEnded = true));
  await new Promise((resolve) => client.once('connect', resolve).once('close', resolve));
  return { client, heard };
}

test('without network faults everything passes', async () => {
  const { client, heard } = await dial();

  client.write('hello');

  await eventually(() => expect(heard.text).toBe('hello'));
});

test('a cut closes connections and rejects new ones until it is removed', async () => {
  const { heard } = await dial();

  proxy.set({ isCut: true });
  const during = await dial();
  await eventually(() => expect([heard.hasEnded, during.heard.hasEnded]).toEqual([true, true]));
  proxy.set({});
  const after = await dial();
  after.client.write('back');

  await eventually(() => expect(after.heard.text).toBe('back'));
});

test('data sent during a stall arrives after it, on the same connection', async () => {
  const { client, heard } = await dial();
  client.write('one ');
  await eventually(() => expect(heard.text).toBe('one '));

  proxy.set({ isStalled: true });
  client.write('two ');
  const other = await dial();
  other.client.write('x');
  const silence = { mine: heard.text, theirs: other.heard.text };
  proxy.set({});

  await eventually(() =>
    expect([heard.text, other.heard.text, heard.hasEnded]).toEqual(['one two ', 'x', false]),
  );
  expect(silence).toEqual({ mine: 'one ', theirs: '' });
});

test('delay and loss slow the data down but keep its order', async () => {
  const { client, heard } = await dial();
  const startedAt = performance.now();

  proxy.set({ delayMs: 50 });
  for (const word of ['a', 'b', 'c']) client.write(word);
  await eventually(() => expect(heard.text).toBe('abc'));
  const slowMs = performance.now() - startedAt;
  dice = [0.1, 0.9, 0.9];
  proxy.set({ loss: 0.3 });
  const lostAt = performance.now();
  client.write('d');
  await eventually(() => expect(heard.text).toBe('abcd'));

  expect(slowMs).toBeGreaterThanOrEqual(99);
  expect(performance.now() - lostAt).toBeGreaterThanOrEqual(199);
});

test('a byte rate delivers byte by byte, and the rest once it is removed', async () => {
  const { client, heard } = await dial();

  proxy.set({ bytesPerSecond: 1 });
  client.write('hello');
  await eventually(() => expect(heard.text).toBe('h'));
  proxy.set({});

  await eventually(() => expect(heard.text).toBe('hello'));
});
