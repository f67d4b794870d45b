import { afterAll, describe, expect, test } from '@jest/globals';
import type { DispatchRecord } from '@tidings/contracts/ingest/records';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { carryOutActions } from '@tidings/delivery/chunk-actions';
import { controlCampaign } from '@tidings/delivery/control';
import type { NewCampaign } from '@tidings/delivery/accept';
import { releaseScheduled } from '@tidings/delivery/schedules';
import { createOwnDatabase, eventually } from '@tidings/testing';
import { campaignsHelpers, chunkNosOf, readPointers } from './testing/campaigns-service.ts';
import { ofSegment, segmentCampaigns } from './testing/segment-campaigns.ts';

// A worker of the version before would send templates as they are. It skips a dispatch record whose
// chunk number is negative. Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 8 });
afterAll(() => db.close());
const { campaignsService, accepted, makeDue, recordOf } = campaignsHelpers(db);
const { application, accept, takeAll } = segmentCampaigns(db);

const message = { title: 'Hello', body: 'Dear {{ user.firstName }}' };
const templates: readonly CampaignTemplate[] = [
  { slug: null, version: null, share: 1, message, variants: [] },
];

/** As workers of the version before read a dispatch record. */
const isReadBefore = ({ chunkNo }: DispatchRecord): boolean => chunkNo >= 0 && chunkNo < 2 ** 31;

async function chunksOf({ campaignId }: NewCampaign) {
  const { rows } = await db.sql.query<{ no: number; n: number | null }>(
    `select chunk_no as no, jsonb_array_length(recipients) as n from campaign_chunks where campaign_id = $1 order by 1`,
    [campaignId],
  );
  return rows.map(({ no, n }) => [no, n]);
}

describe('no worker of the version before reads a record of a personalised campaign', () => {
  test.each([1, 450, 1_001])('to %d users', async (count) => {
    const campaign = await accepted(count, { templates, message });
    const service = await campaignsService();
    const reader = await readPointers(service.bus);

    await service.sweep();
    await makeDue(campaign);
    await service.sweep();

    const numbers = Array.from({ length: Math.ceil(count / 200) }, (_, index) => -1 - index);
    await eventually(() =>
      expect(new Set(chunkNosOf(campaign, reader.pointers))).toEqual(new Set(numbers)),
    );
    expect(reader.pointers.filter(isReadBefore)).toEqual([]);
    expect(await recordOf(campaign)).toMatchObject({ message, counts: { total: count } });
    await reader.stop();
  });

  test('to the users of a segment, by whichever version they were read', async () => {
    const campaign = await accept(await application(450), ofSegment(), { templates, message });

    // Both versions read them by the same statements.
    await takeAll();

    expect((await chunksOf(campaign)).map(([no]) => no)).toEqual([-3, -2, -1]);
    expect(await recordOf(campaign)).toMatchObject({ counts: { total: 450 } });
  });

  test('to a segment without users', async () => {
    const empty = ofSegment({ segment: null, condition: { field: 'country', is: 'XX' } });
    const campaign = await accept(await application(1), empty, { templates, message });

    const { sweep } = await takeAll();
    await sweep();

    expect(await recordOf(campaign)).toMatchObject({ status: 'completed', counts: { total: 0 } });
  });

  test('that was scheduled', async () => {
    const campaign = await accepted(201, {
      templates,
      message,
      schedule: { sendAt: Date.now() - 1_000, sendAtLocal: null, isLater: true },
    });

    await releaseScheduled(db);

    expect(await chunksOf(campaign)).toEqual([
      [-2, 200],
      [-1, 1],
    ]);
  });
});

test.each([
  ['plain', {}],
  ['personalised', { templates, message }],
])(
  'no worker of the version before sends a %s campaign without asking its segment again',
  async (_name, overrides) => {
    const campaign = await accept(await application(201), ofSegment({ recheck: true }), overrides);

    await takeAll();

    expect((await chunksOf(campaign)).map(([no]) => no)).toEqual([-2, -1]);
    expect(await recordOf(campaign)).toMatchObject({ counts: { total: 201 } });
  },
);

test('an older version finds no message that it could send or show', async () => {
  const personalised = await accepted(1, { templates, message });
  const plain = await accepted(1, { message });

  const { rows } = await db.sql.query<{ message: string }>(
    'select message::text as message from campaigns where id = any($1) order by templates is null',
    [[personalised.campaignId, plain.campaignId]],
  );

  expect(rows.map((row) => JSON.parse(row.message) as unknown)).toEqual([null, message]);
});

test('chunks of other campaigns have the numbers that they had before', async () => {
  const campaign = await accepted(450);
  const toSegment = await accept(await application(201));
  await takeAll();

  expect((await chunksOf(campaign)).map(([no]) => no)).toEqual([0, 1, 2]);
  expect((await chunksOf(toSegment)).map(([no]) => no)).toEqual([0, 1]);
});

test('a personalised campaign of many chunks is canceled whole', async () => {
  const campaign = await accepted(1_401, { templates, message });
  const service = await campaignsService();
  await service.sweep();

  await controlCampaign(db, { ...campaign, action: 'cancel', actor: 'test' });
  const atOnce = (await recordOf(campaign))?.counts.canceled ?? 0;
  for (let after = await carryOutActions(db, null); after !== null;)
    after = await carryOutActions(db, after);

  expect(atOnce).toBeGreaterThan(0);
  expect(await recordOf(campaign)).toMatchObject({ counts: { total: 1_401, canceled: 1_401 } });
});
