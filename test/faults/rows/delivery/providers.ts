import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { AnswerFate } from '../../net/provider-answers.ts';
import type { Weather } from '../../net/tcp-proxy.ts';
import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { connectChannel, PROVIDER_TIMEOUT_MS, SEND_CONCURRENCY, settingsOf, type Sender } from '../../rigs/delivery-rig.ts';
import type { SandboxFault } from '../../rigs/sandbox-control.ts';
import { goOn, noteRecovery } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { accept, untilSends } from './steps.ts';

/** How a provider is disturbed, and whether a worker that meets it cannot know what became of its message. */
type Trouble = { readonly name: string; readonly isDoubt: boolean } & (
  | { readonly by: 'sandbox'; readonly fault: Omit<SandboxFault, 'channel' | 'rate'> }
  | { readonly by: 'answer'; readonly fate: AnswerFate }
  | { readonly by: 'network'; readonly weather: Weather }
);

const LATE_MS = PROVIDER_TIMEOUT_MS + 1_500;

/** What everybody's provider does on a bad day. */
const ALL: readonly Trouble[] = [
  { name: 'answers later than the worker waits', isDoubt: true, by: 'sandbox', fault: { kind: 'delay', delayMs: LATE_MS } },
  { name: 'accepts and cuts the connection', isDoubt: true, by: 'sandbox', fault: { kind: 'drop_reply' } },
  { name: 'resets before it accepts', isDoubt: false, by: 'sandbox', fault: { kind: 'reset' } },
  { name: 'accepts, and the answer is lost', isDoubt: true, by: 'answer', fate: 'lost' },
  { name: 'answers garbage', isDoubt: true, by: 'answer', fate: 'garbled' },
  { name: 'sends a byte a second', isDoubt: true, by: 'network', weather: { bytesPerSecond: 1 } },
  { name: 'is silent on open connections', isDoubt: true, by: 'network', weather: { isStalled: true } },
];

/** Too many, and an error of its own, each in the provider's words; a 500 of Twilio does not say whether it was taken. */
const OWN: Readonly<Record<SentChannel, readonly Trouble[]>> = {
  EMAIL: [
    { name: '421', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 421 } },
    { name: '451', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 451 } },
  ],
  SMS: [
    { name: '429, Retry-After 2', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 429, retryAfterSeconds: 2 } },
    { name: '500', isDoubt: true, by: 'sandbox', fault: { kind: 'status', status: 500 } },
    { name: '503', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 503 } },
  ],
  WEB_HOOK: [
    { name: '429, Retry-After 2', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 429, retryAfterSeconds: 2 } },
    { name: '500', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 500 } },
  ],
};

/** All troubles of a channel together take this many outages. */
const OUTAGES_PER_CHANNEL = 2;
const SHORTEST_MS = 1_000;
const OTHERS_SEND_WITHIN_MS = 10_000;
const RESUMES_WITHIN_MS = 60_000;

export const providersDisturbed: DeliveryRow = {
  id: 'F11',
  fault: 'providers: too many, errors, late, cut, reset, lost, garbled, slow, silent; no TLS, no name',
  brokers: 1,
  async inject(run) {
    for (const channel of SENT_CHANNELS) {
      const troubles = [...OWN[channel], ...ALL];
      const forMs = Math.max(SHORTEST_MS, (OUTAGES_PER_CHANNEL * run.plan.outageMs) / troubles.length);
      for (const trouble of troubles) await disturb(run, { channel, trouble, forMs });
      const from = performance.now();
      await untilSends(run, channel);
      noteRecovery(run, { what: `${channel} is sent again`, ms: performance.now() - from, msMax: RESUMES_WITHIN_MS });
      await withoutProvider(run, channel);
    }
  },
};

async function disturb(run: DeliveryRun, { channel, trouble, forMs }: { readonly channel: SentChannel; readonly trouble: Trouble; readonly forMs: number }): Promise<void> {
  const { sandbox, proxies } = run.rig;
  const provider = proxies.providers[channel];
  const disturbedBefore = provider.disturbed();
  const startedAt = performance.now();
  let struck = (): Promise<number> => Promise.resolve(0);
  if (trouble.by === 'sandbox') {
    struck = await sandbox.disturb({ channel, rate: 1, ...trouble.fault } as SandboxFault);
  } else if (trouble.by === 'answer') provider.setFate(trouble.fate);
  else provider.proxy.set(trouble.weather);

  await checkOthers(run, { channel, trouble });
  await goOn(run, forMs);

  const times = await struck();
  if (trouble.by === 'sandbox') await sandbox.calm();
  provider.setFate('comes');
  provider.proxy.set({});
  if (!trouble.isDoubt) return;
  // One in flight may still meet it when it is counted; in a bad network each that gives up after its time is in doubt.
  const gaveUp = trouble.by === 'network' ? (Math.ceil((performance.now() - startedAt) / PROVIDER_TIMEOUT_MS) + 1) * SEND_CONCURRENCY : SEND_CONCURRENCY;
  run.doubts[channel] += times + provider.disturbed() - disturbedBefore + gaveUp;
}

/** Whatever one provider does, the others' messages go on: one of each is sent and arrives. */
async function checkOthers(run: DeliveryRun, { channel, trouble }: { readonly channel: SentChannel; readonly trouble: Trouble }): Promise<void> {
  await Promise.all(
    SENT_CHANNELS.filter((other) => other !== channel).map(async (other) => {
      const from = performance.now();
      const campaignId = await accept(run, run.pushes.one(other));
      const ms = await untilSent(run, campaignId).then(
        () => performance.now() - from,
        () => null,
      );
      if (ms === null || ms > OTHERS_SEND_WITHIN_MS) noteRecovery(run, { what: `a push by ${other} while ${channel} ${trouble.name}`, ms, msMax: OTHERS_SEND_WITHIN_MS });
    }),
  );
}

async function untilSent({ rig }: DeliveryRun, campaignId: string): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await rig.db.sql.query<{ n: number }>(`select count(*)::int as n from deliveries where campaign_id = $1 and state in ('sent', 'delivered')`, [campaignId]);
      if (rows[0]?.n === 0) throw new Error('not sent');
    },
    { timeoutMs: 4 * OTHERS_SEND_WITHIN_MS, intervalMs: 50 },
  );
}

/** One application's provider does not speak TLS, another's has no name; then both are mended, and what waited is sent. */
async function withoutProvider(run: DeliveryRun, channel: SentChannel): Promise<void> {
  const well = settingsOf(run.rig.proxies)[channel];
  const [first, second = first] = run.senders;
  if (first === undefined || second === undefined) throw new Error('this row needs applications');
  const broken = [
    [first, withoutTls(channel, well)],
    [second, withoutName(channel, well)],
  ] as const;
  for (const [sender, settings] of broken) {
    await callApi(sender.admin, { method: 'PATCH', path: `/api/v1/applications/${sender.id}`, body: { settings: { sendUntested: true } } });
    await callApi(sender.admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body: settings });
  }
  await goOn(run, Math.max(SHORTEST_MS, run.plan.outageMs / 5));
  for (const sender of new Set<Sender>([first, second])) await connectChannel(sender.admin, { channel, settings: well });
}

const NO_SUCH_HOST = 'no-such-host.invalid';

function withoutTls(channel: SentChannel, well: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return channel === 'EMAIL' ? { ...well, security: 'tls' } : withUrl(well, (url) => url.replace('http:', 'https:'));
}

function withoutName(channel: SentChannel, well: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return channel === 'EMAIL' ? { ...well, host: NO_SUCH_HOST } : withUrl(well, (url) => url.replace('127.0.0.1', NO_SUCH_HOST));
}

function withUrl(well: Readonly<Record<string, unknown>>, change: (url: string) => string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(well).map(([name, value]) => [name, ['url', 'apiBaseUrl'].includes(name) ? change(String(value)) : value]));
}
