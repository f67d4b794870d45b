import { afterAll, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { appendRecipients } from '@tidings/delivery/append-recipients';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock, systemIds } from '@tidings/platform';
import { connectTestDatabase, createRecordingLogger } from '@tidings/testing';
import { readChanges, readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import type { SendResult } from './channel.ts';
import { deliverChunkToInbox } from './deliver-to-inbox.ts';
import { inboxDependencies } from './inbox-worker.ts';
import { sendChunk } from './send-chunk.ts';
import { unending } from './testing/first-chunk.ts';
import { personalCampaigns } from './testing/personal-campaigns.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { createApplication } = personalCampaigns(db);

const BODY = '{{ user.city }}: {{ event.attributes.item }} of {{ event.name }}, {{ run.id }}';
const run = (customUserId: string, item: string) => ({
  customUserId,
  runId: systemIds.uuid(),
  enteredAt: 1_700_000_000_500,
  event: {
    name: 'cartd',
    time: 1_700_000_000_000,
    attributes: { item },
    revenue: null,
    currency: null,
  },
});

async function append(
  channel: Channel,
  {
    message,
    heard = [],
    settings = {},
  }: {
    readonly message: PushMessage;
    readonly heard?: readonly string[];
    readonly settings?: { readonly keepSentMessages?: boolean };
  },
) {
  const applicationId = await createApplication(channel, {
    ada: { city: 'Ulm' },
    bob: { city: 'Bonn' },
  });
  await updateApplication(db, applicationId, { settings });
  const recipients = [run('ada', 'pens'), run('bob', 'ink')];
  const { chunks } = await db.transaction((sql) =>
    appendRecipients(sql, [
      {
        applicationId,
        automationId: systemIds.uuid(),
        automationSlug: 'cart',
        version: 1,
        node: 'mail',
        channel,
        purpose: 'transactional',
        templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
        messageNo: 0,
        templateVersion: 0,
        expiresInMs: 3_600_000,
        heard,
        createdBy: 'test',
        shard: 0,
        recipients,
      },
    ]),
  );
  const [chunk = { campaignId: '', chunkNo: 0 }] = chunks;
  return { chunk, recipients };
}

const wordsOf = (recipients: readonly ReturnType<typeof run>[]) => [
  `Ulm: pens of cartd, ${recipients[0]?.runId}`,
  `Bonn: ink of cartd, ${recipients[1]?.runId}`,
];

test.each([true, false])(
  'each recipient has the event of their run, at each attempt, kept: %s',
  async (keepSentMessages) => {
    const { chunk, recipients } = await append('WEB_HOOK', {
      message: { body: BODY },
      settings: { keepSentMessages },
    });
    const answers: SendResult[] = [
      { status: 'transient', reason: 'provider_timeout', retryAfterMs: 0 },
      { status: 'sent' },
    ];

    for (const answer of answers) {
      const channel = scriptedChannel(() => answer);
      await sendChunk(testWorker(db, channel, { channelName: 'WEB_HOOK' }), chunk, unending);
      expect(channel.calls.map(({ message }) => message['body']).toSorted()).toEqual(
        wordsOf(recipients).toSorted(),
      );
      await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
        chunk.campaignId,
      ]);
    }
  },
);

test('messages that devices fetch have it too', async () => {
  const { chunk, recipients } = await append('IN_APP', { message: { body: BODY } });
  const deps = {
    ...inboxDependencies({
      db,
      channel: 'IN_APP',
      owner: systemIds.uuid(),
      claimLeaseMs: 30_000,
      onDelivered: () => undefined,
    }),
    clock: systemClock,
    logger: createRecordingLogger().logger,
    renderWaitMs: () => 0,
  };

  await deliverChunkToInbox(deps, chunk, unending);

  const { rows } = await db.sql.query<{ body: string }>(
    `select message ->> 'body' as body from inbox where campaign_id = $1`,
    [chunk.campaignId],
  );
  expect(rows.map(({ body }) => body).toSorted()).toEqual(wordsOf(recipients).toSorted());
});

test('a failure that an automation waits for is told, whether a provider or a template caused it', async () => {
  const told = async (campaignId: string) => {
    const { topicId } = await readUserChangesTopic(db.sql);
    const milestones: string[] = [];
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const { changes } = await readChanges(db.sql, { topicId, shard, from: 0n, max: 1_000_000 });
      for (const { change } of changes)
        if (change?.kind === 'outcome' && change.campaignId === campaignId)
          milestones.push(change.milestone);
    }
    return milestones;
  };
  const channel = scriptedChannel(() => ({ status: 'permanent', reason: 'provider_rejected' }));
  const worker = testWorker(db, channel, { channelName: 'WEB_HOOK' });
  const rejected = await append('WEB_HOOK', { message: { body: BODY }, heard: ['failed'] });
  const unrenderable = await append('WEB_HOOK', {
    message: { body: '{{ event.attributes.none }}' },
    heard: ['failed'],
  });

  await sendChunk(worker, rejected.chunk, unending);
  await sendChunk(worker, unrenderable.chunk, unending);

  expect(await told(rejected.chunk.campaignId)).toEqual(['failed', 'failed']);
  expect(await told(unrenderable.chunk.campaignId)).toEqual(['failed', 'failed']);
});
