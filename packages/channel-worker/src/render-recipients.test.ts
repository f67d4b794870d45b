import { expect, test } from '@jest/globals';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import type { Prepared } from './prepare.ts';
import { renderRecipients, type RenderDependencies } from './render-recipients.ts';

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
