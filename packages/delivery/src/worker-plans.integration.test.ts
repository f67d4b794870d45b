import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { Database } from '@tidings/postgres/database';
import {
  configureChannel,
  createOwnDatabase,
  createPushCampaign,
  createSendingCampaign,
  createTestApplication,
  someDevices,
} from '@tidings/testing';
import { dueBulkChunks } from './bulk.ts';
import { changeDeliveryStates, targetOf } from './change-states.ts';
import {
  dueChunks,
  markDispatched,
  postponeChunks,
  putOffChunk,
  scheduleChunks,
  takeChunks,
} from './chunks.ts';
import {
  claimRead,
  readDueRows,
  claimChunks,
  releaseClaims,
  type ClaimedDelivery,
} from './claims.ts';
import { markSending, markGroupsSending } from './mark-sending.ts';
import { deliverToInbox } from './deliver-to-inbox.ts';
import { correctFutureTimes } from './future-times.ts';
import { completeCampaigns, expireCampaigns, expireSendingLeases } from './sweeps.ts';
import { readPlan, recordStatements } from './testing/record-statements.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';

const worked = await createOwnDatabase({ isKeyed: true });
/** Nothing is ever written to it, and nothing counted: as an installation is when its workers make the plans that they keep. */
const fresh = await createOwnDatabase({ isKeyed: true });
afterAll(() => Promise.all([worked.close(), fresh.close()]));

/** What rows of these tables are found by. */
const KEYS = {
  deliveries: ['campaign_id', 'chunk_no', 'id'],
  delivery_addresses: ['campaign_id', 'chunk_no', 'delivery_id', 'address_no'],
  campaign_chunks: ['campaign_id', 'chunk_no'],
} as const;
const LEASE_MS = 60_000;
const recorded = recordStatements(worked);

async function claimAll(
  db: Database,
  campaignId: string,
  channel: Channel,
): Promise<ClaimedDelivery[]> {
  return (
    await claimChunks(db, [{ campaignId, chunkNo: 0 }], {
      channel,
      owner: 'worker',
      leaseMs: LEASE_MS,
      rowsMax: 10,
    })
  ).flat();
}

async function settle(db: Database, claims: readonly ClaimedDelivery[]): Promise<void> {
  const changes = claims.map((one, index) => ({
    ...targetOf(one),
    fence: one.fence,
    state: index === 0 ? ('failed' as const) : ('sent' as const),
    ...(index === 0 && { reason: 'no_address' as const }),
  }));
  await changeDeliveryStates(db.sql, ['sending'], changes);
  await changeDeliveryStates(
    db.sql,
    ['sending'],
    changes.map((change) => ({ ...change, address: 'dead' })),
  );
}

/**
 * All statements of workers for a chunk: on a channel with one address per user, with several, and
 * on an inbox channel.
 */
beforeAll(async () => {
  const { db } = recorded;
  const { applicationId } = await createTestApplication(worked);
  await configureChannel(worked, applicationId, 'IN_APP');
  const mails = await createSendingCampaign(worked, { count: 6 });
  const pushes = await createPushCampaign(worked, { devices: someDevices(2, 2, 1) });
  const offers = await createSendingCampaign(worked, {
    applicationId,
    channel: 'IN_APP',
    count: 2,
  });

  const ofMails = await claimAll(db, mails.campaignId, 'EMAIL');
  const ofPushes = await claimAll(db, pushes.campaignId, 'WEB_PUSH');
  await releaseClaims(db, [...ofMails.slice(5), ...ofPushes.slice(4)], 0);
  await markSending(db, ofMails.slice(0, 2), LEASE_MS);
  const read = await readDueRows(db, {
    campaignId: mails.campaignId,
    chunkNo: 0,
    rowsMax: 200,
    leaseMs: LEASE_MS,
  });
  await claimRead(db, read, { owner: 'worker', leaseMs: LEASE_MS });
  await markGroupsSending(db, [ofMails.slice(2, 5), ofPushes.slice(0, 4)], LEASE_MS);
  await settle(db, ofMails.slice(0, 5));
  await settle(db, ofPushes.slice(0, 4));
  await deliverToInbox(db, await claimAll(db, offers.campaignId, 'IN_APP'));
  for (const [{ campaignId }, channel] of [
    [mails, 'EMAIL'],
    [pushes, 'WEB_PUSH'],
  ] as const)
    await scheduleChunks(
      db,
      [{ campaignId, chunkNo: 0, read: { partition: 0, offset: 1n } }],
      channel,
    );
  await putOffChunk(
    db,
    { campaignId: mails.campaignId, chunkNo: 0 },
    { delayMs: 0, read: { partition: 0, offset: 1n } },
  );
});

async function sweepAll(db: Database): Promise<void> {
  const chunks = [{ campaignId: '00000000-0000-0000-0000-000000000001', chunkNo: 0 }];
  for (const sweep of [
    correctFutureTimes,
    expireSendingLeases,
    resolveUnknownRecipients,
    expireCampaigns,
    completeCampaigns,
    dueChunks,
  ])
    await sweep(db);
  await dueBulkChunks(db, 10);
  await postponeChunks(db, chunks, 0);
  await takeChunks(db, chunks, 0);
  await markDispatched(db, [
    { campaignId: '00000000-0000-0000-0000-000000000001', chunkNo: 0, partition: 0, offset: 1n },
  ]);
}

/** Reads of the tables that do not go by an index, or read rows of others than the keys name and leave them out. */
async function badReads(
  statements: Iterable<string>,
  tables: readonly string[] = Object.keys(KEYS),
): Promise<string[]> {
  const bad: string[] = [];
  for (const statement of statements) {
    for (const { table, how, index, condition, filter } of await readPlan(fresh.sql, statement)) {
      const keys = KEYS[table as keyof typeof KEYS] ?? [];
      const isFiltered = keys.some((key) => new RegExp(`\\b${key} = `).test(filter));
      if (tables.includes(table) && (index === null || condition === '' || isFiltered))
        bad.push(
          `${table}: ${how} ${String(index)} by ${condition}, filter ${filter}, in ${statement.slice(0, 200)}`,
        );
    }
  }
  return bad;
}

function claimsIn(statements: Iterable<string>): string[] {
  const claims = [...statements].filter(
    (text) => text.startsWith('with chunk as') && text.includes('skip locked'),
  );
  expect(claims).toHaveLength(2);
  return claims;
}

function readsIn(statements: Iterable<string>): string[] {
  const reads = [...statements].filter((text) => text.includes('as read_until from chunk'));
  expect(reads).toHaveLength(1);
  return reads;
}

describe('on tables that were never counted', () => {
  test('workers find deliveries, addresses and chunks by an index alone: no statement reads the rest of the campaign', async () => {
    expect(recorded.statements.size).toBeGreaterThanOrEqual(12);
    expect(await badReads(recorded.statements)).toEqual([]);
  });

  test('a claim or a read finds the deliveries of its chunk by the one index that has them in order', async () => {
    for (const statement of [...claimsIn(recorded.statements), ...readsIn(recorded.statements)]) {
      const [first] = (await readPlan(fresh.sql, statement)).filter(
        ({ table, condition }) => table === 'deliveries' && condition.includes('chunk_no'),
      );
      expect(first).toMatchObject({ how: 'Index Scan', index: 'deliveries_in_chunks' });
      expect(first?.condition).toMatch(/campaign_id = .* AND .*chunk_no = /);
    }
  });

  test('a claim looks its campaign up by the id, and before the rows: not once for each', async () => {
    for (const statement of claimsIn(recorded.statements)) {
      const reads = await readPlan(fresh.sql, statement);

      expect(reads.filter(({ table }) => table === 'campaigns')).toEqual([
        expect.objectContaining({
          condition: expect.stringMatching(/^\(id = x(_\d+)?\.campaign_id\)$/),
        }),
      ]);
      expect(statement).toMatch(/from campaigns c .* for update of d skip locked/);
      expect(statement).not.toMatch(/from deliveries d join campaigns/);
    }
  });

  test('sweeps find deliveries by an index alone, and chunks that were written ahead by the time of that', async () => {
    const sweeps = recordStatements(worked);
    await sweepAll(sweeps.db);
    const statements = [...sweeps.statements].filter((text) =>
      /^\s*(with|select|update|insert|delete)/.test(text),
    );
    expect(statements.length).toBeGreaterThanOrEqual(10);

    expect(await badReads(statements, ['deliveries', 'delivery_addresses'])).toEqual([]);
    const [ahead = ''] = statements;
    expect(await readPlan(fresh.sql, ahead)).toContainEqual(
      expect.objectContaining({
        table: 'campaign_chunks',
        index: 'campaign_chunks_written',
        condition: expect.stringContaining('written_at > '),
      }),
    );
  });
});
