import { expect, test } from '@jest/globals';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import type { Database } from '@tidings/postgres/database';
import type { Prepared } from './prepare.ts';
import { renderRecipients } from './render-recipients.ts';

test('a campaign that is not personalised asks the database nothing, and its rows stay as they are', async () => {
  const asked: unknown[] = [];
  const db = new Proxy({} as Database, {
    get: (_target, name) => {
      asked.push(name);
      throw new Error('the database is used');
    },
  });
  const campaign = { channel: 'EMAIL', templates: null } as CampaignToSend;
  const ready = [{ delivery: { customUserId: 'ada' } }] as Prepared[];

  const rendered = await renderRecipients({ db }, campaign, ready);

  expect(asked).toEqual([]);
  expect(rendered).toEqual({ open: ready, changes: [] });
});
