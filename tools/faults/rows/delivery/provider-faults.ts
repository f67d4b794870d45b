import type { AnswerMode } from '../../net/provider-answers.ts';
import type { NetworkCondition } from '../../net/tcp-proxy.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import { PROVIDER_TIMEOUT_MS } from '../../rigs/delivery-rig.ts';
import type { SandboxFault } from '../../rigs/sandbox-control.ts';

/** A provider fault, and whether it leaves the attempt ambiguous. */
export type ProviderFault = { readonly name: string; readonly isAmbiguous: boolean } & (
  | { readonly by: 'sandbox'; readonly fault: Omit<SandboxFault, 'channel' | 'rate'> }
  | { readonly by: 'answer'; readonly mode: AnswerMode }
  | { readonly by: 'network'; readonly network: NetworkCondition }
);

const LATE_MS = PROVIDER_TIMEOUT_MS + 1_500;

/** Common faults of any provider. */
const ALL: readonly ProviderFault[] = [
  {
    name: 'responds later than the timeout',
    isAmbiguous: true,
    by: 'sandbox',
    fault: { kind: 'delay', delayMs: LATE_MS },
  },
  {
    name: 'accepts and closes the connection',
    isAmbiguous: true,
    by: 'sandbox',
    fault: { kind: 'drop_reply' },
  },
  { name: 'resets before it accepts', isAmbiguous: false, by: 'sandbox', fault: { kind: 'reset' } },
  { name: 'accepts, and the response is lost', isAmbiguous: true, by: 'answer', mode: 'lost' },
  { name: 'answers garbage', isAmbiguous: true, by: 'answer', mode: 'garbled' },
  {
    name: 'sends a byte per second',
    isAmbiguous: true,
    by: 'network',
    network: { bytesPerSecond: 1 },
  },
  {
    name: 'is silent on open connections',
    isAmbiguous: true,
    by: 'network',
    network: { isStalled: true },
  },
];

/** Rate limit and a specific error, each in the provider's format; a Twilio 500 is ambiguous. */
const OWN: Readonly<Record<SentChannel, readonly ProviderFault[]>> = {
  EMAIL: [
    { name: '421', isAmbiguous: false, by: 'sandbox', fault: { kind: 'status', status: 421 } },
    { name: '451', isAmbiguous: false, by: 'sandbox', fault: { kind: 'status', status: 451 } },
  ],
  SMS: [
    {
      name: '429, Retry-After 2',
      isAmbiguous: false,
      by: 'sandbox',
      fault: { kind: 'status', status: 429, retryAfterSeconds: 2 },
    },
    { name: '500', isAmbiguous: true, by: 'sandbox', fault: { kind: 'status', status: 500 } },
    { name: '503', isAmbiguous: false, by: 'sandbox', fault: { kind: 'status', status: 503 } },
  ],
  WEB_HOOK: [
    {
      name: '429, Retry-After 2',
      isAmbiguous: false,
      by: 'sandbox',
      fault: { kind: 'status', status: 429, retryAfterSeconds: 2 },
    },
    { name: '500', isAmbiguous: false, by: 'sandbox', fault: { kind: 'status', status: 500 } },
  ],
};

export function providerFaults(channel: SentChannel): readonly ProviderFault[] {
  return [...OWN[channel], ...ALL];
}
