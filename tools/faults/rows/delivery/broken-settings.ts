import { callApi } from '@tidings/local';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import { buildSettings } from '../../rigs/delivery-rig.ts';
import { runFor } from '../steps.ts';
import type { DeliveryRun } from './delivery-row.ts';

const SHORTEST_MS = 1_000;

/**
 * One application's provider has no TLS, another's host name does not resolve. Then both are
 * corrected, and the waiting messages are sent.
 */
export async function withoutProvider(run: DeliveryRun, channel: SentChannel): Promise<void> {
  const well = buildSettings(run.rig.proxies)[channel];
  const [first, second = first] = run.senders;
  if (first === undefined || second === undefined) throw new Error('this row needs applications');
  const broken = [
    [first, withoutTls(channel, well)],
    [second, withoutName(channel, well)],
  ] as const;
  for (const [sender, settings] of broken) {
    await callApi(sender.admin, {
      method: 'PUT',
      path: `/api/v1/channels/${channel}`,
      body: settings,
    });
  }
  await runFor(run, Math.max(SHORTEST_MS, run.plan.outageMs / 5));
  // Without a test send: the waiting messages would precede it.
  await writeSettingsAgain(run, channel);
}

/** Lets settings apply at once, without a test send; or no longer. */
export async function sendUntested({ senders }: DeliveryRun, isOn = true): Promise<void> {
  for (const sender of senders)
    await callApi(sender.admin, {
      method: 'PATCH',
      path: `/api/v1/applications/${sender.id}`,
      body: { settings: { sendUntested: isOn } },
    });
}

/**
 * Rewrites the settings, as an operator does to skip open breakers: new settings count as a new
 * account.
 */
export async function writeSettingsAgain(
  { rig, senders }: DeliveryRun,
  channel: SentChannel,
): Promise<void> {
  const well = buildSettings(rig.proxies)[channel];
  for (const sender of senders)
    await callApi(sender.admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body: well });
}

const NO_SUCH_HOST = 'no-such-host.invalid';

function withoutTls(
  channel: SentChannel,
  well: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return channel === 'EMAIL'
    ? { ...well, security: 'tls' }
    : withUrl(well, (url) => url.replace('http:', 'https:'));
}

function withoutName(
  channel: SentChannel,
  well: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return channel === 'EMAIL'
    ? { ...well, host: NO_SUCH_HOST }
    : withUrl(well, (url) => url.replace('127.0.0.1', NO_SUCH_HOST));
}

function withUrl(
  well: Readonly<Record<string, unknown>>,
  change: (url: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(well).map(([name, value]) => [
      name,
      ['url', 'apiBaseUrl'].includes(name) ? change(String(value)) : value,
    ]),
  );
}
