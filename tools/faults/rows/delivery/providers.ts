import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { PROVIDER_TIMEOUT_MS, SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import type { SandboxFault } from '../../rigs/sandbox-control.ts';
import { runFor, noteRecovery } from '../steps.ts';
import { sendUntested, withoutProvider, writeSettingsAgain } from './broken-settings.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { noteProbes, probe, PUSHES_BEFORE_FAULT, type Probes } from './probes.ts';
import { untilSends } from './steps.ts';
import { providerFaults, type ProviderFault } from './provider-faults.ts';

/** Duration of all faults of a channel, in outages. */
const OUTAGES_PER_CHANNEL = 2;
const SHORTEST_MS = 1_000;
const RESUMES_WITHIN_MS = 60_000;

export const providersDisturbed: DeliveryRow = {
  id: 'D11',
  fault:
    'providers: rate limit, errors, late, cut, reset, lost, garbled, slow, silent; no TLS, no DNS',
  brokers: 1,
  async inject(run) {
    await sendUntested(run);
    const probes: Probes = {
      beforeFault: { EMAIL: [], SMS: [], WEB_HOOK: [] },
      duringFault: { EMAIL: [], SMS: [], WEB_HOOK: [] },
    };
    for (let push = 0; push < PUSHES_BEFORE_FAULT; push += 1)
      await Promise.all(
        SENT_CHANNELS.map(async (channel) =>
          probes.beforeFault[channel].push(await probe(run, channel)),
        ),
      );
    for (const channel of SENT_CHANNELS) {
      const faults = providerFaults(channel);
      const forMs = Math.max(
        SHORTEST_MS,
        (OUTAGES_PER_CHANNEL * run.plan.outageMs) / faults.length,
      );
      for (const providerFault of faults) {
        // Reset the breakers, whose open time grows with each fault. Those of the last fault stay.
        await writeSettingsAgain(run, channel);
        await disturb(run, { channel, providerFault, forMs, probes });
      }
      const from = performance.now();
      await untilSends(run, channel);
      noteRecovery(run, {
        what: `${channel} sends again`,
        ms: performance.now() - from,
        msMax: RESUMES_WITHIN_MS,
      });
      await withoutProvider(run, channel);
    }
    noteProbes(run, probes);
  },
};

type Disturbance = {
  readonly channel: SentChannel;
  readonly providerFault: ProviderFault;
  readonly forMs: number;
  readonly probes: Probes;
};

async function disturb(
  run: DeliveryRun,
  { channel, providerFault, forMs, probes }: Disturbance,
): Promise<void> {
  const { sandbox, proxies } = run.rig;
  const provider = proxies.providers[channel];
  const disturbedBefore = provider.disturbed();
  const startedAt = performance.now();
  let struck = (): Promise<number> => Promise.resolve(0);
  if (providerFault.by === 'sandbox') {
    struck = await sandbox.disturb({ channel, rate: 1, ...providerFault.fault } as SandboxFault);
  } else if (providerFault.by === 'answer') provider.setMode(providerFault.mode);
  else provider.proxy.set(providerFault.network);

  // Other providers' messages continue.
  const others = SENT_CHANNELS.filter((other) => other !== channel);
  await Promise.all(
    others.map(async (other) => probes.duringFault[other].push(await probe(run, other))),
  );
  await runFor(run, forMs);

  const times = await struck();
  if (providerFault.by === 'sandbox') await sandbox.calm();
  provider.setMode('comes');
  provider.proxy.set({});
  if (!providerFault.isAmbiguous) return;
  // A send in flight may still meet the fault when it is counted; in a bad network, each timed-out
  // send is ambiguous.
  const gaveUp =
    providerFault.by === 'network'
      ? (Math.ceil((performance.now() - startedAt) / PROVIDER_TIMEOUT_MS) + 1) * SEND_CONCURRENCY
      : SEND_CONCURRENCY;
  run.ambiguousMax[channel] += times + provider.disturbed() - disturbedBefore + gaveUp;
}
