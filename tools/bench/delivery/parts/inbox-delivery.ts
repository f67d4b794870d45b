import { costFigures, costsBetween, type Costs } from '../../installation/costs.ts';
import type { PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { DeliveryBench } from '../context.ts';

const INBOX_LEAST_PER_SECOND = 5_000;
const CHANNEL = 'IN_APP';

type Round = { readonly perSecond: number; readonly costs: Costs };

/**
 * From an accepted push to its last message in the inbox of its user, counted and logged. ON_SITE
 * uses the same code.
 */
export async function measureInboxDelivery(run: DeliveryBench): Promise<PartReport> {
  const { rounds: count, inbox } = run.sizes;
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    console.error(`  ${inbox} by ${CHANNEL}, ${round} of ${count} …`);
    rounds.push(await measureRound(run));
  }
  const rates = rounds.map(({ perSecond }) => perSecond);
  return {
    title: `${inbox} recipients by ${CHANNEL}, expanded and in the inbox`,
    figures: [
      {
        name: 'recipients',
        value: median(rates),
        unit: 'perSecond',
        goal: { atLeast: INBOX_LEAST_PER_SECOND },
        note: `rounds: ${rates.map((rate) => rate.toFixed(0)).join(', ')}`,
      },
      ...costFigures(
        rounds.map(({ costs }) => costs),
        'recipient',
      ),
    ],
    data: { rounds },
  };
}

async function measureRound(run: DeliveryBench): Promise<Round> {
  const { bench, sizes } = run;
  const before = await run.readCounters();
  const { campaignId } = await run.push({ channel: CHANNEL, recipients: sizes.inbox });
  const { timing, counts } = await run.completed(campaignId);
  const after = await run.readCounters();
  const { rows } = await bench.db.sql.query<{ in_inbox: number; last_at: Date }>(
    `select (select count(*)::int from inbox where campaign_id = $1) as in_inbox, max(updated_at) as last_at from deliveries where campaign_id = $1 and state = 'waiting'`,
    [campaignId],
  );
  const [{ in_inbox: inInbox, last_at: lastAt } = { in_inbox: NaN, last_at: new Date(NaN) }] = rows;
  if (inInbox !== sizes.inbox || counts.waiting !== sizes.inbox)
    throw new Error(
      `of ${sizes.inbox} messages, ${inInbox} are in the inbox and ${counts.waiting} are counted as waiting`,
    );
  return {
    perSecond: sizes.inbox / ((lastAt.getTime() - timing.createdAt) / 1000),
    costs: costsBetween(before, after, sizes.inbox),
  };
}
