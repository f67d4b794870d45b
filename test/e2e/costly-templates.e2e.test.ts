import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { homeLayout, type LocalFile } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import { cancelAll, type Attacker } from '@tidings/tools/faults/load/neighbours/attacker';
import { personOf } from '@tidings/tools/faults/load/neighbours/costly';
import { templatesInCampaigns } from '@tidings/tools/faults/rows/neighbours/templates';
import { createClient, registerUsers } from './support/client.ts';

const KNOWN = 3;

/** Without bounds of time: `npm run faults -- neighbours` has them. */
test('a template that costs as much as it can fails its own recipients; no process ends, and a push of another application is sent', async () => {
  const [attacking, { home, local }] = [
    await shareTidings('Costly templates'),
    await shareTidings('Beside costly templates'),
  ];
  const pids = (): readonly number[] =>
    (JSON.parse(readFileSync(homeLayout(home).localFile, 'utf8')) as LocalFile).services.map(
      ({ pid }) => pid,
    );
  const before = pids();
  const [client, ordinary] = [createClient(attacking.local), createClient(local)];
  const people = Array.from({ length: KNOWN }, (_, user) => personOf(user));
  await Promise.all([registerUsers(client, people), registerUsers(ordinary, ['ada'])]);
  await eventually(() =>
    Promise.all([client.read(`users/${people.at(-1)}`), ordinary.read('users/ada')]),
  );
  const ending = new AbortController();
  const attacker: Attacker = {
    rig: { gatewayUrl: local.baseUrl, apiUrl: local.baseUrl },
    neighbour: {
      id: attacking.local.applicationId,
      headers: {
        'X-Application-Id': attacking.local.applicationId,
        'X-API-Key': attacking.local.serverKey,
      },
      admin: {
        baseUrl: local.baseUrl,
        headers: {
          'X-Application-Id': attacking.local.applicationId,
          Authorization: `Bearer ${attacking.local.adminToken}`,
        },
      },
    },
    signal: ending.signal,
    answers: new Map(),
    campaignIds: new Set(),
  };

  const attack = templatesInCampaigns.attack(attacker);
  await eventually(() => expect(attacker.campaignIds.size).toBeGreaterThan(0));
  ending.abort();
  await attack;
  const { body } = await ordinary.push({
    recipients: ['ada'],
    channel: 'EMAIL',
    message: { title: 'Hello', body: 'Hello' },
  });

  await eventually(async () => {
    const { counts } = await ordinary.campaign(body.campaignId);
    expect(counts.successful).toBe(1);
  });
  // The first template is the one that searches.
  const [campaignId = ''] = attacker.campaignIds;
  await eventually(async () => {
    const { failures } = await client.campaign(campaignId);
    expect(failures).toMatchObject({ template_error: KNOWN });
  });
  expect(pids()).toEqual(before);
  await cancelAll(attacker);
}, 60_000);
