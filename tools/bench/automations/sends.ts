import { acceptCampaigns } from '@tidings/delivery/accept';
import { appendRecipients } from '@tidings/delivery/append-recipients';
import { expandSmallCampaigns } from '@tidings/delivery/expand';
import { completeCampaigns } from '@tidings/delivery/sweeps';
import { systemIds } from '@tidings/platform';
import { newCampaign } from '@tidings/testing';
import type { FreshDatabase } from '../delivery/fresh-database.ts';
import { backendCpu } from '../installation/backend-cpu.ts';
import type { Figure, Goal, PartReport } from '../report/figures.ts';
import { median } from '../report/median.ts';
import type { SendSizes } from './sizes.ts';

const MICROSECONDS = 1_000_000;
const MESSAGE = { title: 'Still there, {{ user.firstName }}?', body: 'Your cart waits.' };
const TEMPLATES = [{ slug: null, version: null, share: 1, message: MESSAGE, variants: [] }];

type Way = {
  readonly name: string;
  /** Recipients of a transaction. */
  readonly atATime: number;
  readonly send: (database: FreshDatabase, ids: readonly string[]) => Promise<void>;
  readonly goal?: Goal;
};

const OWN: Way = {
  name: 'a campaign of its own, 50 accepted together',
  atATime: 50,
  send: sendOwn,
};
const WAYS: readonly Way[] = [
  OWN,
  ...[1, 5, 50, 500].map((atATime): Way => ({
    name: `appended ${atATime} at a time`,
    atATime,
    send: append,
    ...(atATime === 50 && { goal: { atMost: 0.25 } }),
  })),
];

/** Seconds of Postgres for each recipient, by round. */
type Costs = {
  readonly pending: ReadonlyMap<Way, number[]>;
  /** To complete the campaigns of their own; an open one is completed once in hours. */
  readonly completed: number[];
};

/**
 * What a recipient of an automation costs Postgres, until the delivery is pending, beside a campaign of
 * its own with its completion.
 */
export async function measureSends(database: FreshDatabase, sizes: SendSizes): Promise<PartReport> {
  const run = { ...sizes, people: peopleOf(sizes.users) };
  // Plans and first pages.
  for (const way of WAYS) await measureRound(database, way, run);
  await completeAll(database, sizes);
  const pending = new Map(WAYS.map((way): [Way, number[]] => [way, []]));
  const completed: number[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    console.error(`  ${sizes.recipients} recipients each way, ${round + 1} of ${sizes.rounds} …`);
    for (const index of WAYS.keys()) {
      const way = WAYS[(index + round) % WAYS.length] ?? OWN;
      pending.get(way)?.push(await measureRound(database, way, run));
      if (way === OWN) completed.push(await completeAll(database, sizes));
    }
  }
  const { rows } = await database.db.sql.query<{ n: number }>(
    'select count(*)::int as n from campaigns where automation_id is not null',
  );
  const costs = { pending, completed };
  return {
    title: `A recipient of an automation (${sizes.recipients} a round and way)`,
    figures: [
      ...WAYS.flatMap((way) => figuresOf(way, costs)),
      { name: 'open campaigns made', value: rows[0]?.n ?? NaN, unit: 'count' },
    ],
    data: { completed, ...Object.fromEntries([...pending].map(([{ name }, own]) => [name, own])) },
  };
}

function figuresOf(way: Way, { pending, completed }: Costs): Figure[] {
  const own = pending.get(way) ?? [];
  const cpu = (name: string, of: readonly number[]): Figure => ({
    name: `CPU of Postgres, ${name}`,
    value: median(of) * MICROSECONDS,
    unit: 'microseconds',
  });
  if (way === OWN) return [cpu(way.name, own), cpu('to complete it', completed)];
  const before = pending.get(OWN) ?? [];
  const ratios = own.map(
    (cost, round) => cost / ((before[round] ?? NaN) + (completed[round] ?? NaN)),
  );
  return [
    cpu(way.name, own),
    {
      name: `${way.name} : a campaign of its own`,
      value: median(ratios),
      unit: 'ratio',
      goal: way.goal,
      note: `rounds: ${ratios.map((one) => one.toFixed(3)).join(', ')}`,
    },
  ];
}

/** Seconds of Postgres for each recipient, to complete what was sent meanwhile. */
async function completeAll(
  { worker, db }: FreshDatabase,
  { recipients }: Pick<SendSizes, 'recipients'>,
): Promise<number> {
  await db.sql.query(`update campaign_counters k set state = 'sent' from campaigns c
    where c.id = k.campaign_id and c.automation_id is null and k.state = 'pending'`);
  await db.sql.query(`update deliveries d set state = 'sent', sent_at = now() from campaigns c
    where c.id = d.campaign_id and c.automation_id is null and d.state = 'pending'`);
  const before = await backendCpu(worker);
  while ((await completeCampaigns(worker)) > 0);
  return ((await backendCpu(worker)) - before) / recipients;
}

/** Seconds of Postgres for each recipient. */
async function measureRound(
  database: FreshDatabase,
  { atATime, send }: Way,
  { recipients, people }: Pick<SendSizes, 'recipients'> & { readonly people: () => string },
): Promise<number> {
  const before = await backendCpu(database.worker);
  for (let sent = 0; sent < recipients; sent += atATime)
    await send(database, Array.from({ length: atATime }, people));
  return ((await backendCpu(database.worker)) - before) / recipients;
}

/** One after the other: no one comes twice into one campaign. */
function peopleOf(users: number): () => string {
  let last = 0;
  return () => {
    last = (last % users) + 1;
    return `user-${String(last).padStart(8, '0')}`;
  };
}

async function sendOwn(
  { worker, applicationId }: FreshDatabase,
  ids: readonly string[],
): Promise<void> {
  const campaigns = ids.map((id) =>
    newCampaign({ applicationId, recipients: [id], message: MESSAGE, templates: TEMPLATES }),
  );
  await acceptCampaigns(worker, campaigns);
  let left = campaigns.map(({ campaignId }) => campaignId);
  while (left.length > 0) {
    const { done } = await expandSmallCampaigns(worker, left);
    left = left.filter((id) => !done.has(id));
  }
}

const automationId = systemIds.uuid();

async function append(
  { worker, applicationId }: FreshDatabase,
  ids: readonly string[],
): Promise<void> {
  await worker.transaction((sql) =>
    appendRecipients(sql, [
      {
        applicationId,
        automationId,
        automationSlug: 'cart',
        version: 1,
        // Each way has a node of its own: the campaigns are not too large to take all.
        node: `of-${ids.length}`,
        channel: 'EMAIL',
        purpose: 'transactional',
        templates: TEMPLATES,
        messageNo: 0,
        templateVersion: 0,
        expiresInMs: 72 * 3_600_000,
        heard: [],
        createdBy: 'bench',
        shard: 0,
        recipients: ids.map((customUserId) => ({
          customUserId,
          runId: systemIds.uuid(),
          enteredAt: Date.now(),
          event: {
            name: 'cartd',
            time: Date.now(),
            attributes: { price: 12, item: 'a thing' },
            revenue: null,
            currency: null,
          },
        })),
      },
    ]),
  );
}
