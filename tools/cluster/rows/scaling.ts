import { CHANNELS } from '@tidings/contracts/channels/channels';
import { CONSUMER_GROUPS, workerName } from '@tidings/contracts/topics';
import { callApi } from '@tidings/install';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from '../application.ts';
import { RELEASE } from '../installation.ts';
import type { ExternalServices } from '../external-services.ts';
import { connectLag } from '../support/lag.ts';
import { withForward } from '../support/forward.ts';
import type { Cluster } from '../support/cluster.ts';
import type { Row } from '../row.ts';

const SLOW = 'worker-sms';
const SEND_TAKES_MS = 1_500;
const DONE_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 2_000;
const OTHERS = CHANNELS.map(workerName).filter((name) => name !== SLOW);

export const scaling: Row = {
  name: 'scaling',
  claim: 'a campaign of a slow channel scales only its worker up, and down again',
  async run(stage) {
    const { cluster, external, installation } = stage;
    if (!(await cluster.knows('scaledobjects.keda.sh')))
      return { leftOut: 'the cluster has no KEDA' };
    const application = await stage.application();
    const slowness = await slowDown(external.sandboxUrl);
    const lag = connectLag(
      external.ownKafkaBrokers,
      CONSUMER_GROUPS.filter(({ group }) => group.startsWith('worker-')),
    );
    const lagMost = new Map<string, number>();
    const podsMost = new Map<string, number>();
    const raise = (most: Map<string, number>, name: string, value: number): void =>
      void most.set(name, Math.max(value, most.get(name) ?? 0));
    const look = async (): Promise<number> => {
      for (const [group, records] of await lag.read()) raise(lagMost, group, records);
      const replicas = await installation.replicas();
      for (const [name, pods] of replicas) raise(podsMost, name, pods);
      return replicas.get(SLOW) ?? 0;
    };
    try {
      const startedAt = performance.now();
      const campaignId = await pushToAll(cluster, application);
      const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
      let [upAt, doneAt, downAt] = [0, 0, 0];
      while (downAt === 0 && performance.now() - startedAt < DONE_WITHIN_MS) {
        const pods = await look();
        if (upAt === 0 && pods > 1) upAt = seconds();
        if (doneAt === 0 && (await isCompleted(external, campaignId))) doneAt = seconds();
        if (doneAt > 0 && upAt > 0 && pods === 1) downAt = seconds();
        await delay(LOOK_EVERY_MS);
      }
      const counts = await countStates(external, campaignId);
      return {
        notes: [
          `${application.users.length} messages: ${podsMost.get(SLOW)} pods, scaled up after ${upAt} s, done after ${doneAt} s, scaled down after ${downAt} s; maximum lag ${lagMost.get(SLOW)}`,
        ],
        violations: [
          ...(upAt === 0 ? [`${SLOW} was never scaled up`] : []),
          ...(doneAt === 0 ? ['the campaign was not completed'] : []),
          ...(downAt === 0 ? [`${SLOW} was never scaled down again`] : []),
          ...(counts['sent'] === application.users.length && Object.keys(counts).length === 1
            ? []
            : [`of ${application.users.length} deliveries: ${JSON.stringify(counts)}`]),
          ...OTHERS.filter((name) => (lagMost.get(name) ?? 0) > 0).map(
            (name) => `${name} has had a lag of ${lagMost.get(name)}`,
          ),
          ...OTHERS.filter((name) => (podsMost.get(name) ?? 0) > 1).map(
            (name) => `${name} was scaled to ${podsMost.get(name)}`,
          ),
        ],
      };
    } finally {
      await lag.disconnect();
      await slowness.end();
    }
  },
};

async function pushToAll(cluster: Cluster, { users, headers }: Application): Promise<string> {
  const { campaignId } = await withForward(cluster, `${RELEASE}-gateway`, (baseUrl) =>
    callApi<{ readonly campaignId: string }>(
      { baseUrl, headers },
      {
        method: 'POST',
        path: '/push',
        body: { recipients: users, channel: 'SMS', message: { body: 'To all.' } },
      },
    ),
  );
  return campaignId;
}

async function isCompleted({ db }: ExternalServices, campaignId: string): Promise<boolean> {
  const { rows } = await db.sql.query<{ status: string }>(
    'select status from campaigns where id = $1',
    [campaignId],
  );
  return rows[0]?.status === 'completed';
}

/** Number of deliveries per state. */
async function countStates(
  { db }: ExternalServices,
  campaignId: string,
): Promise<Readonly<Record<string, number>>> {
  const { rows } = await db.sql.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from deliveries where campaign_id = $1 group by 1',
    [campaignId],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

/** Makes the provider slow for each message. */
async function slowDown(sandboxUrl: string): Promise<{ end(): Promise<void> }> {
  const body = JSON.stringify({ channel: 'SMS', kind: 'delay', rate: 1, delayMs: SEND_TAKES_MS });
  const answer = await fetch(`${sandboxUrl}/api/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  if (!answer.ok) throw new Error(`The sandbox returned ${answer.status}: ${await answer.text()}`);
  return { end: async () => void (await fetch(`${sandboxUrl}/api/faults`, { method: 'DELETE' })) };
}
