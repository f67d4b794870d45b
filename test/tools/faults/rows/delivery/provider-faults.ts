import type { AnswerMode } from '../../net/provider-answers.ts';
import type { NetworkCondition } from '../../net/tcp-proxy.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import { PROVIDER_TIMEOUT_MS } from '../../rigs/delivery-rig.ts';
import type { SandboxFault } from '../../rigs/sandbox-control.ts';

/** A provider fault, and whether it leaves the attempt ambiguous. */
export type ProviderFault = { readonly name: string; readonly isDoubt: boolean } & (
  | { readonly by: 'sandbox'; readonly fault: Omit<SandboxFault, 'channel' | 'rate'> }
  | { readonly by: 'answer'; readonly fate: AnswerMode }
  | { readonly by: 'network'; readonly weather: NetworkCondition }
);

const LATE_MS = PROVIDER_TIMEOUT_MS + 1_500;

/** Common faults of any provider. */
const ALL: readonly ProviderFault[] = [
  {
    name: 'responds later than the timeout',
    isDoubt: true,
    by: 'sandbox',
    fault: { kind: 'delay', delayMs: LATE_MS },
  },
  {
    name: 'accepts and closes the connection',
    isDoubt: true,
    by: 'sandbox',
    fault: { kind: 'drop_reply' },
  },
  { name: 'resets before it accepts', isDoubt: false, by: 'sandbox', fault: { kind: 'reset' } },
  { name: 'accepts, and the response is lost', isDoubt: true, by: 'answer', fate: 'lost' },
  { name: 'answers garbage', isDoubt: true, by: 'answer', fate: 'garbled' },
  { name: 'sends a byte per second', isDoubt: true, by: 'network', weather: { bytesPerSecond: 1 } },
  {
    name: 'is silent on open connections',
    isDoubt: true,
    by: 'network',
    weather: { isStalled: true },
  },
];

/** Rate limit and a specific error, each in the provider's format; a Twilio 500 is ambiguous. */
const OWN: Readonly<Record<SentChannel, readonly ProviderFault[]>> = {
  EMAIL: [
    { name: '421', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 421 } },
    { name: '451', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 451 } },
  ],
  SMS: [
    {
      name: '429, Retry-After 2',
      isDoubt: false,
      by: 'sandbox',
      fault: { kind: 'status', status: 429, retryAfterSeconds: 2 },
    },
    { name: '500', isDoubt: true, by: 'sandbox', fault: { kind: 'status', status: 500 } },
    { name: '503', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 503 } },
  ],
  WEB_HOOK: [
    {
      name: '429, Retry-After 2',
      isDoubt: false,
      by: 'sandbox',
      fault: { kind: 'status', status: 429, retryAfterSeconds: 2 },
    },
    { name: '500', isDoubt: false, by: 'sandbox', fault: { kind: 'status', status: 500 } },
  ],
};

export function providerFaults(channel: SentChannel): readonly ProviderFault[] {
  return [...OWN[channel], ...ALL];
}
