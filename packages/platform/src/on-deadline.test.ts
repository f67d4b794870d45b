import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onDeadline } from './on-deadline.ts';

const DEADLINE_MS = 30;

/** Nothing in this process goes on meanwhile. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Resolves with what came first. */
const first = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    const cancel = onDeadline(DEADLINE_MS, () => resolve('the deadline'));
    socket.once('data', () => {
      cancel();
      resolve('the reply');
    });
  });

describe('a deadline', () => {
  let server: Server | undefined;
  let socket: Socket | undefined;
  afterEach(async () => {
    socket?.destroy();
    if (server !== undefined) await new Promise((resolve) => server?.close(resolve));
  });

  /** A connection whose other end is in this process too. */
  async function connected(): Promise<{ readonly near: Socket; readonly far: Socket }> {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [far] = (await accepted) as [Socket];
    return { near: socket, far };
  }

  test('passes when nothing arrives', async () => {
    const { near } = await connected();

    expect(await first(near)).toBe('the deadline');
  });

  test('does not pass over a reply that arrived while the event loop was blocked', async () => {
    const { near, far } = await connected();
    const outcome = first(near);

    far.write('there');
    block(3 * DEADLINE_MS);

    expect(await outcome).toBe('the reply');
  });

  test.each([
    ['before it', 0],
    ['between its timer and its call', 2 * DEADLINE_MS],
  ])('is called off %s', async (_when, ms) => {
    let calls = 0;
    const cancel = onDeadline(DEADLINE_MS, () => (calls += 1));
    // A timer due with that of the deadline runs in the same turn, after it.
    const canceling = new Promise<void>((resolve) =>
      setTimeout(
        () => {
          cancel();
          resolve();
        },
        ms === 0 ? 0 : DEADLINE_MS,
      ),
    );
    block(ms);
    await canceling;
    await new Promise((resolve) => setTimeout(resolve, 2 * DEADLINE_MS));

    expect(calls).toBe(0);
  });
});
