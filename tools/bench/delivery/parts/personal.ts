import type { Figure, PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { DeliveryBench } from '../context.ts';
import { sendCampaign, type SentCampaign } from '../send-campaign.ts';

const CHANNEL = 'EMAIL';
const PARAGRAPH =
  '<p style="margin:0 0 16px;font:16px sans-serif">Your order is on its way, and arrives soon.</p>\n';

/** A mail of some 7 KB; with three variables and one branch, or with texts in their place. */
const mail = (name: string, plan: string, visits: string) => ({
  title: `Hello ${name}`,
  body: `<html><body><h1>Hello ${name}</h1>${PARAGRAPH.repeat(40)}<p>${plan}</p><a href="https://shop.example/orders?of=${visits}">Order</a>${PARAGRAPH.repeat(30)}</body></html>`,
});
const PLAIN = mail('Ada', 'Thank you.', '1760000000000');
const PERSONAL = mail(
  "{{ user.firstName | default: 'there' }}",
  '{% if user.customAttributes.visits > 1 %}Thank you.{% else %}Welcome.{% endif %}',
  '{{ user.customAttributes.visits }}',
);

const RATE_PERCENT_LEAST = 80;
const MORE_CPU_MICROSECONDS_MOST = 40;
const RECORD_BYTES_MOST = 300;

type Round = { readonly plain: SentCampaign; readonly personal: SentCampaign };

/** The same mail with and without Liquid, in alternating rounds. */
export async function measurePersonal(run: DeliveryBench): Promise<PartReport> {
  const { rounds: count } = run.sizes;
  const recipients = run.sizes.sent[CHANNEL];
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    console.error(`  ${recipients} by ${CHANNEL}, plain and personal, ${round} of ${count} …`);
    const plain = await sendCampaign(run, { channel: CHANNEL, recipients, message: PLAIN });
    const personal = await sendCampaign(run, {
      channel: CHANNEL,
      recipients,
      message: PERSONAL,
      isPersonal: true,
    });
    rounds.push({ plain, personal });
  }
  return {
    title: `${recipients} deliveries by ${CHANNEL}, with and without Liquid`,
    figures: [...listFigures(rounds), await measureRecords(run)],
    data: { rounds },
  };
}

/** What was filled into a mail, with its index. */
async function measureRecords({ bench }: DeliveryBench): Promise<Figure> {
  const { rows } = await bench.db.sql.query<{ bytes: number }>(
    `select pg_total_relation_size('delivery_data')::float8 / count(*) as bytes from delivery_data`,
  );
  return {
    name: 'record of a personal mail',
    value: rows[0]?.bytes ?? Number.NaN,
    unit: 'bytes',
    goal: { atMost: RECORD_BYTES_MOST },
  };
}

function listFigures(rounds: readonly Round[]): Figure[] {
  const workerMicroseconds = ({ costs }: SentCampaign): number => costs.cpuSeconds.worker * 1e6;
  const shares = rounds.map(({ plain, personal }) => (personal.perSecond / plain.perSecond) * 100);
  const more = rounds.map(
    ({ plain, personal }) => workerMicroseconds(personal) - workerMicroseconds(plain),
  );
  return [
    {
      name: 'deliveries, plain',
      value: median(rounds.map(({ plain }) => plain.perSecond)),
      unit: 'perSecond',
    },
    {
      name: 'deliveries, personal',
      value: median(rounds.map(({ personal }) => personal.perSecond)),
      unit: 'perSecond',
    },
    {
      name: 'personal, of plain',
      value: median(shares),
      unit: 'percent',
      goal: { atLeast: RATE_PERCENT_LEAST },
      note: `rounds: ${shares.map((share) => share.toFixed(0)).join(', ')}`,
    },
    {
      name: 'CPU of the worker for a plain mail',
      value: median(rounds.map(({ plain }) => workerMicroseconds(plain))),
      unit: 'microseconds',
    },
    {
      name: 'more CPU of the worker for a personal mail',
      value: median(more),
      unit: 'microseconds',
      goal: { atMost: MORE_CPU_MICROSECONDS_MOST },
      note: `rounds: ${more.map((each) => each.toFixed(0)).join(', ')}`,
    },
  ];
}
