import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSecretBox } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import { listLaggingEndpoints, readLongestWait } from './backlog.ts';
import { webhookHelpers } from './testing/queued-webhooks.ts';

// Claims select from the whole database.
const db = await createOwnDatabase();
const box = createSecretBox('k'.repeat(32));
afterAll(() => db.close());
beforeEach(() => db.sql.query('truncate webhook_deliveries, webhook_endpoints'));
const { newEndpoint, queueEvents, claim, record, outcome } = webhookHelpers(db, box);

describe('how long webhooks wait', () => {
  const putBack = ({ endpointId }: { readonly endpointId: string }, minutes: number) =>
    db.sql.query(
      "update webhook_deliveries set next_at = now() - $2 * interval '1 min' where endpoint_id = $1 and state = 'pending' and lease_until is null",
      [endpointId, minutes],
    );
  const behind = async (limit = 20) =>
    (await listLaggingEndpoints(db, { minSeconds: 300, limit })).map(({ endpointId, seconds }) => [
      endpointId,
      Math.round(seconds / 60),
    ]);

  test('of the service: nothing is attempted. The backlog of an attempted endpoint counts only for the endpoint', async () => {
    const [dead, other] = [await newEndpoint(), await newEndpoint()];
    await queueEvents(dead, 3);
    await putBack(dead, 20);
    expect(await readLongestWait(db)).toBeCloseTo(1_200, -1);

    const [first] = await claim({ rowsPerOther: 1, rowsMax: 1 });
    if (first === undefined) throw new Error('nothing claimed');
    await record([outcome(first, { outcome: 'retry', delayMs: 60_000 })]);

    expect(await readLongestWait(db)).toBeLessThan(15);
    expect(await behind()).toEqual([[dead.endpointId, 20]]);
    await queueEvents(other);
    await putBack(other, 12);
    expect(await readLongestWait(db)).toBeCloseTo(720, -1);
    await db.sql.query(
      "update webhook_endpoints set attempted_at = now() - interval '11 min' where id = $1",
      [dead.endpointId],
    );
    expect(await readLongestWait(db)).toBeCloseTo(720, -1);
    expect(await behind()).toEqual([
      [dead.endpointId, 20],
      [other.endpointId, 12],
    ]);
    expect(await behind(1)).toEqual([[dead.endpointId, 20]]);
  });

  test('of an endpoint also counts while it fails and all its webhooks wait for a retry', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint);
    const [first] = await claim();
    if (first === undefined) throw new Error('nothing claimed');
    await record([outcome(first, { outcome: 'retry', delayMs: 3_600_000 })]);
    expect(await behind()).toEqual([]);

    await db.sql.query("update webhook_endpoints set failing_since = now() - interval '40 min'");

    expect(await behind()).toEqual([[endpoint.endpointId, 40]]);
    expect(await readLongestWait(db)).toBe(0);
  });

  test('the time of the last attempt is written every few seconds, not for each attempt', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint, 3);
    const version = async () =>
      (
        await db.sql.query<{ xmin: string; at: Date | null }>(
          'select xmin::text as xmin, attempted_at as at from webhook_endpoints',
        )
      ).rows[0];
    const claimed = await claim();
    const versions: Awaited<ReturnType<typeof version>>[] = [];
    for (const one of claimed) {
      await record([outcome(one, { outcome: 'succeeded' })]);
      versions.push(await version());
    }

    expect(versions).toEqual(
      Array.from({ length: 3 }, () => ({ xmin: versions[0]?.xmin, at: expect.any(Date) })),
    );
  });
});
