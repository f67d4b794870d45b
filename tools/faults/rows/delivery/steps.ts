import { RETRY_IF_UNKNOWN } from '@tidings/contracts/channels/channels';
import { eventually } from '@tidings/testing';
import { campaignOf, type SentPush } from '../../load/delivery/pushes.ts';
import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import type { Breakpoint } from '../../net/breakpoints.ts';
import { between } from '../../load/random.ts';
import type { DeliveryRun } from './delivery-row.ts';

/** A killed worker waits for the session of its predecessor (6 s), starts, and claims work. */
const SENDS_WITHIN_MS = 60_000;
const REACHED_WITHIN_MS = 45_000;

/**
 * Allows the ambiguous attempts of `times` interrupted workers: each had up to all sends in flight,
 * and up to the same number of unrecorded outcomes where a repeat is harmless.
 */
export function allowAmbiguousAttempts(
  { ambiguousMax }: DeliveryRun,
  channels: readonly SentChannel[],
  times = 1,
): void {
  for (const channel of channels)
    ambiguousMax[channel] += times * SEND_CONCURRENCY * (RETRY_IF_UNKNOWN[channel] ? 2 : 1);
}

/** Resolves when the provider of the channel has accepted another message and its worker knows. */
export async function untilSends({ rig }: DeliveryRun, channel: SentChannel): Promise<void> {
  const { passed } = rig.proxies.providers[channel];
  const before = passed();
  await eventually(
    () => {
      if (passed() === before) throw new Error(`nothing is sent by ${channel}`);
    },
    { timeoutMs: SENDS_WITHIN_MS, intervalMs: 20 },
  );
}

export async function untilAllSend(run: DeliveryRun): Promise<void> {
  await Promise.all(SENT_CHANNELS.map((channel) => untilSends(run, channel)));
}

/**
 * Kills a service at a breakpoint, the first time or one of the next; the event is not forwarded.
 */
export async function killAt(
  run: DeliveryRun,
  {
    service,
    point,
    passagesMax,
  }: { readonly service: string; readonly point: Breakpoint; readonly passagesMax: number },
): Promise<void> {
  const { breakpoints } = run.rig.proxies;
  const passages = Math.ceil(between(run.random, 0, passagesMax));
  breakpoints.set(service, {
    point,
    passages: Math.max(1, passages),
    spring: () => run.rig.supervisor.kill(service, 'SIGKILL'),
  });
  await eventually(
    () => {
      if (breakpoints.isSet(service))
        throw new Error(
          `${service} never reached the point "${point.name}": the fault had no effect`,
        );
    },
    { timeoutMs: REACHED_WITHIN_MS, intervalMs: 20 },
  );
}

/** Sends a campaign and resolves with its id. @throws if it is not accepted */
export async function accept({ load }: DeliveryRun, push: SentPush): Promise<string> {
  await load.send(push);
  const campaignId = campaignOf(push);
  if (campaignId === undefined)
    throw new Error(`a push was not accepted: ${JSON.stringify(push.attempts.at(-1))}`);
  return campaignId;
}
