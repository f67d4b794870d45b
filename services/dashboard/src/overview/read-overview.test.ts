import { expect, test } from '@jest/globals';
import { connectDatabase } from '@tidings/db';
import { systemClock, systemIds } from '@tidings/platform';
import { createServer, type AddressInfo } from 'node:net';
import { readOverview } from './read-overview.ts';

/** A port that was free a moment ago: no process listens there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('while Postgres is away the overview fails, and leaves no rejection unhandled, which would end the process', async () => {
  const db = connectDatabase({
    databaseUrl: `postgres://a:b@127.0.0.1:${await freePort()}/none`,
    poolMax: 20,
    applicationName: 'test',
  });
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);

  try {
    const reading = readOverview(
      { db, clock: systemClock, readIngestLag: () => Promise.resolve(null) },
      systemIds.uuid(),
    );
    await expect(reading).rejects.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
    await db.close();
  }
  expect(unhandled).toEqual([]);
});
