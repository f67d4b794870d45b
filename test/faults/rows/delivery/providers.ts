import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { AnswerFate } from '../../net/provider-answers.ts';
import type { Weather } from '../../net/tcp-proxy.ts';
import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { PROVIDER_TIMEOUT_MS, SEND_CONCURRENCY, settingsOf, type Sender } from '../../rigs/delivery-rig.ts';
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
/** What a push by another channel may take in the median, beside three times of what it took in peace. */
const OTHERS_SLOWER_MS = 5_000;
const PUSHES_IN_PEACE = 5;
const PROBE_WITHIN_MS = 60_000;
const RESUMES_WITHIN_MS = 60_000;

export const providersDisturbed: DeliveryRow = {
  id: 'F11',
  fault: 'providers: too many, errors, late, cut, reset, lost, garbled, slow, silent; no TLS, no name',
  brokers: 1,
  async inject(run) {
    const probes: Probes = { inPeace: { EMAIL: [], SMS: [], WEB_HOOK: [] }, meanwhile: { EMAIL: [], SMS: [], WEB_HOOK: [] } };
    for (let push = 0; push < PUSHES_IN_PEACE; push += 1) await Promise.all(SENT_CHANNELS.map(async (channel) => probes.inPeace[channel].push(await probe(run, channel))));
    for (const channel of SENT_CHANNELS) {
      const troubles = [...OWN[channel], ...ALL];
      const forMs = Math.max(SHORTEST_MS, (OUTAGES_PER_CHANNEL * run.plan.outageMs) / troubles.length);
      for (const trouble of troubles) await disturb(run, { channel, trouble, forMs, probes });
      const from = performance.now();
      await untilSends(run, channel);
      noteRecovery(run, { what: `${channel} is sent again`, ms: performance.now() - from, msMax: RESUMES_WITHIN_MS });
      await withoutProvider(run, channel);
    }
    noteProbes(run, probes);
  },
};

type Disturbance = { readonly channel: SentChannel; readonly trouble: Trouble; readonly forMs: number; readonly probes: Probes };

async function disturb(run: DeliveryRun, { channel, trouble, forMs, probes }: Disturbance): Promise<void> {
  const { sandbox, proxies } = run.rig;
  const provider = proxies.providers[channel];
  const disturbedBefore = provider.disturbed();
  const startedAt = performance.now();
  let struck = (): Promise<number> => Promise.resolve(0);
  if (trouble.by === 'sandbox') {
    struck = await sandbox.disturb({ channel, rate: 1, ...trouble.fault } as SandboxFault);
  } else if (trouble.by === 'answer') provider.setFate(trouble.fate);
  else provider.proxy.set(trouble.weather);

  // Whatever one provider does, the others' messages go on.
  const others = SENT_CHANNELS.filter((other) => other !== channel);
  await Promise.all(others.map(async (other) => probes.meanwhile[other].push(await probe(run, other))));
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

/** How long pushes by each channel took until they were sent, in milliseconds. */
type Probes = { readonly inPeace: Readonly<Record<SentChannel, number[]>>; readonly meanwhile: Readonly<Record<SentChannel, number[]>> };

/** @throws when it is not sent at all */
async function probe(run: DeliveryRun, channel: SentChannel): Promise<number> {
  const from = performance.now();
  const campaignId = await accept(run, run.pushes.one(channel));
  await eventually(
    async () => {
      const { rows } = await run.rig.db.sql.query<{ n: number }>(`select count(*)::int as n from deliveries where campaign_id = $1 and state in ('sent', 'delivered')`, [campaignId]);
      if (rows[0]?.n === 0) throw new Error(`a push by ${channel} is not sent while another provider is disturbed`);
    },
    { timeoutMs: PROBE_WITHIN_MS, intervalMs: 50 },
  );
  return performance.now() - from;
}

function noteProbes(run: DeliveryRun, { inPeace, meanwhile }: Probes): void {
  for (const channel of SENT_CHANNELS) {
    const [before, ms] = [median(inPeace[channel]), median(meanwhile[channel])];
    run.notes.push(`pushes by ${channel}, in the median: sent after ${Math.round(before)} ms in peace, ${Math.round(ms)} ms while another provider was disturbed`);
    noteRecovery(run, { what: `a push by ${channel} while another provider is disturbed, in the median`, ms, msMax: 3 * before + OTHERS_SLOWER_MS });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
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
  // Without a test send: what failed meanwhile has its turn before it.
  for (const sender of new Set<Sender>([first, second])) await callApi(sender.admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body: well });
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
