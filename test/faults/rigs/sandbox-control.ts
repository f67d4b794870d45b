import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from '@tidings/local';
import { SENT_CHANNELS, type SentChannel } from './delivery-proxies.ts';

/** A message that a provider has accepted. */
export type AcceptedMessage = {
  readonly channel: SentChannel;
  readonly to: string;
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
  /** Of a hook: the id by which its receiver knows a repeat. */
  readonly hookId: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
};

export type SandboxFault = { readonly channel: SentChannel; readonly kind: string; readonly rate: number } & Readonly<Record<string, string | number>>;

/** The stand-in providers: how they behave, and what they accepted. */
export type SandboxControl = {
  /** No fault but that everything takes a moment, as it does with any provider. */
  calm(): Promise<void>;
  /** Has a provider misbehave; resolves with how to ask later how often that was felt. */
  disturb(fault: SandboxFault): Promise<() => Promise<number>>;
  forget(): Promise<void>;
  /** What was accepted since it was told to forget: as it is on its disk, where everything is before it is accepted. */
  accepted(): readonly AcceptedMessage[];
};

const USUAL_DELAY_MS = 25;
const JOURNAL = /^messages-\d+\.jsonl$/;

export function createSandboxControl(url: string, dataDir: string): SandboxControl {
  const sandbox = { baseUrl: url, headers: {} };
  const addFault = (fault: SandboxFault): Promise<{ readonly id: string }> => callApi(sandbox, { method: 'POST', path: '/api/faults', body: fault });
  return {
    async calm() {
      await callApi(sandbox, { method: 'DELETE', path: '/api/faults' });
      for (const channel of SENT_CHANNELS) await addFault({ channel, kind: 'delay', rate: 1, delayMs: USUAL_DELAY_MS });
    },
    async disturb(fault) {
      const { id } = await addFault(fault);
      return async () => {
        const { faults } = await callApi<{ readonly faults: readonly { readonly id: string; readonly struck: number }[] }>(sandbox, { path: '/api/faults' });
        return faults.find((one) => one.id === id)?.struck ?? 0;
      };
    },
    forget: () => callApi(sandbox, { method: 'DELETE', path: '/api/messages' }),
    accepted: () =>
      readdirSync(dataDir)
        .filter((name) => JOURNAL.test(name))
        .flatMap((name) => readFileSync(join(dataDir, name), 'utf8').split('\n'))
        .filter((line) => line !== '')
        .map(readLine),
  };
}

type Line = Omit<AcceptedMessage, 'hookId'> & { readonly data: { readonly headers?: Readonly<Record<string, string>> } };

function readLine(line: string): AcceptedMessage {
  const { channel, to, campaignId, deliveryId, receivedAt, data } = JSON.parse(line) as Line;
  return { channel, to, campaignId, deliveryId, receivedAt, hookId: channel === 'WEB_HOOK' ? (data.headers?.['webhook-id'] ?? null) : null };
}
