import { setTimeout as delay } from 'node:timers/promises';
import { costFigures, costsBetween } from '../../installation/costs.ts';
import type { Figure, PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { DeliveryBench } from '../context.ts';
import { buildListmonk, LISTMONK_VERSION } from '../listmonk/build-listmonk.ts';
import { startListmonk, type Listmonk } from '../listmonk/start-listmonk.ts';
import { sendCampaign, type SentCampaign } from '../send-campaign.ts';

const CHANNEL = 'EMAIL';
const SENT_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 50;
const OF_LISTMONK_LEAST = 0.7;

type Round = { readonly ours: SentCampaign; readonly listmonk: SentCampaign };

/**
 * The same mails by listmonk, on the same Postgres and to the same sink, in alternating rounds.
 * listmonk records no outcome of a recipient, and sends a mail again after a crash.
 */
export async function measureListmonk(run: DeliveryBench): Promise<PartReport> {
  const { rounds: count, sent } = run.sizes;
  const mails = sent[CHANNEL];
  const title = `${mails} mails, beside listmonk ${LISTMONK_VERSION}`;
  const folder = buildListmonk();
  if (folder === undefined)
    return { title: `${title}: not measured, since Go is not installed`, figures: [], data: {} };
  const rounds: Round[] = [];
  const listmonk = await startListmonk(run.bench, {
    folder,
    smtpPort: run.sink.smtpPort,
    subscribers: mails,
  });
  try {
    for (let round = 1; round <= count; round += 1) {
      console.error(`  ${mails} by each, ${round} of ${count} …`);
      const ours = await sendCampaign(run, { channel: CHANNEL, recipients: mails });
      rounds.push({ ours, listmonk: await measureCampaign(run, { listmonk, mails }) });
    }
  } finally {
    await listmonk.stop();
  }
  return { title, figures: listFigures(rounds), data: { rounds } };
}

function listFigures(rounds: readonly Round[]): Figure[] {
  const ratios = rounds.map((round) => round.ours.perSecond / round.listmonk.perSecond);
  return [
    {
      name: 'Tidings : listmonk',
      value: median(ratios),
      unit: 'ratio',
      goal: { atLeast: OF_LISTMONK_LEAST },
      note: `rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
    },
    {
      name: 'deliveries of Tidings',
      value: median(rounds.map(({ ours }) => ours.perSecond)),
      unit: 'perSecond',
      note: 'from the accepted push to the last outcome recorded',
    },
    ...costFigures(
      rounds.map(({ ours }) => ours.costs),
      'delivery of Tidings',
    ),
    {
      name: 'mails of listmonk',
      value: median(rounds.map((round) => round.listmonk.perSecond)),
      unit: 'perSecond',
      note: 'from the first mail to the last at the sink',
    },
    ...costFigures(
      rounds.map((round) => round.listmonk.costs),
      'mail of listmonk',
    ),
  ];
}

/** Starts timing at the first mails: listmonk looks for new campaigns every five seconds. */
async function measureCampaign(
  run: DeliveryBench,
  { listmonk, mails }: { readonly listmonk: Listmonk; readonly mails: number },
): Promise<SentCampaign> {
  const others = [{ group: 'worker', processId: listmonk.processId }] as const;
  const { mails: before } = await run.sink.received();
  const countersBefore = await run.readCounters(others);
  await listmonk.sendCampaign();
  const deadline = performance.now() + SENT_WITHIN_MS;
  let first: { readonly at: number; readonly sent: number } | undefined;
  for (;;) {
    const sent = (await run.sink.received()).mails - before;
    const at = performance.now();
    if (sent > 0) first ??= { at, sent };
    if (first !== undefined && sent >= mails)
      return {
        perSecond: (sent - first.sent) / ((at - first.at) / 1000),
        costs: costsBetween(countersBefore, await run.readCounters(others), mails),
      };
    if (at > deadline)
      throw new Error(`listmonk sent ${sent} of ${mails} mails in ${SENT_WITHIN_MS / 1000} s`);
    await delay(LOOK_EVERY_MS);
  }
}
