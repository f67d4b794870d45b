import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import { costFigures, type CostGroup } from '../../installation/costs.ts';
import type { Figure, Goal, PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { Transport } from '../bare/clients/client.ts';
import { runBareClient } from '../bare/start-bare-client.ts';
import type { WorkerChannel } from '../channels.ts';
import { BODY, CONCURRENCY, type DeliveryBench } from '../context.ts';
import { registerDevicesForUsers } from '../register-devices.ts';
import { sendCampaign, type SentCampaign } from '../send-campaign.ts';

const SHARE_OF_BARE_LEAST_PERCENT: Readonly<Record<WorkerChannel, number>> = {
  EMAIL: 50,
  WEB_HOOK: 25,
  SMS: 50,
  WEB_PUSH: 50,
  APP_PUSH: 50,
};
const BARE_CLIENTS: Readonly<Record<WorkerChannel, string>> = {
  EMAIL: 'nodemailer with a pool',
  WEB_HOOK: 'undici',
  SMS: 'twilio’s package with its own axios',
  WEB_PUSH: 'web-push over undici, signed once',
  APP_PUSH: 'send() of firebase-admin with its own client, keep-alive',
};
/**
 * Workers replace the HTTP client of these packages, so the bare client is measured over undici
 * too.
 */
const OVER_UNDICI: readonly WorkerChannel[] = ['SMS', 'APP_PUSH'];
const MICROSECONDS = 1_000_000;

const COST_GOALS: Partial<Record<WorkerChannel, Partial<Record<CostGroup | 'WAL', Goal>>>> = {
  EMAIL: { worker: { atMost: 110 } },
  WEB_HOOK: { WAL: { atMost: 1_500 } },
  APP_PUSH: { WAL: { atMost: 1_500 } },
};

type Bare = { readonly perSecond: number; readonly cpu: number };
type Round = SentCampaign & {
  readonly bare: Bare;
  readonly overUndici?: Bare;
};

/**
 * A campaign with the full protocol and all outcomes recorded, compared with the bare client
 * sending the same number of messages; in alternating rounds.
 */
export async function measureSending(
  run: DeliveryBench,
  channel: WorkerChannel,
): Promise<PartReport> {
  const { rounds: count } = run.sizes;
  const sent = run.sizes.sent[channel];
  if (isDeviceChannel(channel))
    await registerDevicesForUsers(run.bench, { channel, users: sent, sink: run.sink });
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    console.error(`  ${sent} by ${channel}, ${round} of ${count} …`);
    rounds.push(await measureRound(run, channel));
  }
  const shares = rounds.map(({ perSecond, bare }) => (perSecond / bare.perSecond) * 100);
  return {
    title: `${sent} deliveries by ${channel}, ${CONCURRENCY} at a time`,
    figures: [
      {
        name: 'share of the bare client',
        value: median(shares),
        unit: 'percent',
        goal: { atLeast: SHARE_OF_BARE_LEAST_PERCENT[channel] },
        note: `rounds: ${shares.map((share) => share.toFixed(1)).join(', ')}`,
      },
      {
        name: 'deliveries',
        value: median(rounds.map(({ perSecond }) => perSecond)),
        unit: 'perSecond',
        note: 'from the accepted push to the last outcome recorded',
      },
      {
        name: 'bare client',
        value: median(rounds.map(({ bare }) => bare.perSecond)),
        unit: 'perSecond',
        note: BARE_CLIENTS[channel],
      },
      ...costFigures(
        rounds.map(({ costs }) => costs),
        'delivery',
        COST_GOALS[channel],
      ),
      {
        name: 'CPU of the bare client, per message',
        value: median(rounds.map(({ bare }) => bare.cpu)) * MICROSECONDS,
        unit: 'microseconds',
      },
      ...overUndiciFigures(rounds),
    ],
    data: { rounds },
  };
}

function overUndiciFigures(rounds: readonly Round[]): readonly Figure[] {
  const both = rounds.flatMap(({ perSecond, overUndici }) =>
    overUndici === undefined ? [] : [{ perSecond, overUndici }],
  );
  if (both.length === 0) return [];
  return [
    {
      name: 'share of the bare client over undici',
      value: median(
        both.map(({ perSecond, overUndici }) => (perSecond / overUndici.perSecond) * 100),
      ),
      unit: 'percent',
      note: 'same client as the worker',
    },
    {
      name: 'bare client over undici',
      value: median(both.map(({ overUndici }) => overUndici.perSecond)),
      unit: 'perSecond',
    },
    {
      name: 'CPU of the bare client over undici, per message',
      value: median(both.map(({ overUndici }) => overUndici.cpu)) * MICROSECONDS,
      unit: 'microseconds',
    },
  ];
}

async function measureRound(run: DeliveryBench, channel: WorkerChannel): Promise<Round> {
  const { sink } = run;
  const messages = run.sizes.sent[channel];
  const sent = await sendCampaign(run, { channel, recipients: messages });

  const bareBy = async (transport: Transport): Promise<Bare> => {
    const bare = await runBareClient({
      channel,
      transport,
      messages,
      concurrency: CONCURRENCY,
      smtpPort: sink.smtpPort,
      sinkUrl: sink.httpUrl,
      body: BODY,
    });
    return { perSecond: messages / bare.seconds, cpu: bare.cpuSeconds / messages };
  };
  return {
    ...sent,
    bare: await bareBy('own'),
    ...(OVER_UNDICI.includes(channel) && { overUndici: await bareBy('undici') }),
  };
}
