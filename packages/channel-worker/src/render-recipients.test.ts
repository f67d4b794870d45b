import { afterAll, expect, test } from '@jest/globals';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { renderPool } from '@tidings/templates/process-pool';
import type { Prepared } from './prepare.ts';
import { renderRecipients, type RenderDependencies } from './render-recipients.ts';

afterAll(() => renderPool.close());

test('a campaign that is not personalised asks nothing, and its rows stay as they are', async () => {
  const asked: unknown[] = [];
  const deps = new Proxy({} as RenderDependencies, {
    get: (_target, name) => {
      asked.push(name);
      throw new Error('a dependency is used');
    },
  });
  const campaign = { channel: 'EMAIL', templates: null } as CampaignToSend;
  const ready = [{ delivery: { customUserId: 'ada' } }] as Prepared[];

  const rendered = await renderRecipients(deps, campaign, {
    chunk: { campaignId: 'any', chunkNo: 0 },
    ready,
  });

  expect(asked).toEqual([]);
  expect(rendered).toEqual({ open: ready, changes: [], unrendered: [] });
});

/** Renders an SMS whose record has the city Ulm, claimed with this fence; no profile is known. */
async function renderRecorded(fence: number) {
  const record = {
    delivery_id: 'd1',
    words: '00000000-0000-0000-0000-000000000000',
    rendered_at: 0,
    template_no: 0,
    variant_no: null,
    renderer: 1,
    filled_in: '{"city":"Ulm"}',
  };
  const query = (statement: unknown) => ({
    rows: JSON.stringify(statement).includes('from delivery_data') ? [record] : [],
  });
  const sql = { query: (...given: unknown[]) => Promise.resolve(query(given)) };
  const deps = {
    db: { sql, transaction: (work: (own: unknown) => unknown) => work(sql) },
    renderMsMax: 10_000,
    statements: {
      bulk: {
        noteRendering: () => Promise.resolve({ count: 0, rows: new Set() }),
        takeBackRendering: () => Promise.resolve(),
      },
    },
  } as unknown as RenderDependencies;
  const message = { body: '{{ user.city }}' };
  const campaign = {
    channel: 'SMS',
    lane: 'bulk',
    applicationId: 'a1',
    campaignId: 'c1',
    isKept: true,
    isOfAutomation: false,
    isHeard: false,
    templates: [{ slug: null, version: null, share: 100, message, variants: [] }],
  } as unknown as CampaignToSend;
  const delivery = { customUserId: 'ada', deliveryId: 'd1', attempts: 0, fence };
  const rendered = await renderRecipients(deps, campaign, {
    chunk: { campaignId: 'c1', chunkNo: 0 },
    ready: [{ delivery }] as Prepared[],
  });
  if (rendered === 'timed_out') throw new Error('the conditions were not read');
  return rendered.open.map((prepared) => [
    prepared.rendered?.message.body,
    'data' in prepared.delivery,
  ]);
}

test('after an attempt that was given back, the words are the recorded ones', async () => {
  expect(await renderRecorded(2)).toEqual([['Ulm', false]]);
});

test('the first claim asks for no record', async () => {
  expect(await renderRecorded(1)).toEqual([]);
});
