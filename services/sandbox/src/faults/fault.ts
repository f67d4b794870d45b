import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { createValidator } from '@tidings/validation';

/** Kinds of faults; the same for every protocol. */
const FAULT_KINDS = ['delay', 'reject', 'status', 'drop_reply', 'reset'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

type Shared = {
  readonly channel: Channel;
  /** Share of requests that it affects, 0 to 1. */
  readonly rate: number;
  readonly delayMs?: number;
  readonly status?: number;
  /**
   * Provider error code: an enhanced status code for e-mail (5.1.1), a code of the provider for SMS
   * (21211 at Twilio, 1240 at Vonage), an FCM code for app push (UNREGISTERED).
   */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
};

/** Fields that a kind requires. */
type Needed = {
  readonly delay: { readonly delayMs: number };
  readonly reject: unknown;
  readonly status: { readonly status: number };
  readonly drop_reply: unknown;
  readonly reset: unknown;
};
const NEEDED = {
  delay: ['delayMs'],
  reject: [],
  status: ['status'],
  drop_reply: [],
  reset: [],
} as const satisfies {
  readonly [K in FaultKind]: readonly (keyof Needed[K])[];
};

export type FaultRequest = {
  [K in FaultKind]: Shared & { readonly kind: K } & Needed[K];
}[FaultKind];

/** An active fault; `struck` counts the affected requests. */
export type Fault = FaultRequest & { readonly id: string; readonly struck: number };

const DELAY_MS_MAX = 600_000;

const properties = {
  channel: { enum: CHANNELS },
  kind: { enum: FAULT_KINDS },
  rate: { type: 'number', minimum: 0, maximum: 1 },
  delayMs: { type: 'integer', minimum: 0, maximum: DELAY_MS_MAX },
  status: { type: 'integer', minimum: 300, maximum: 599 },
  // No line breaks: the code becomes part of an SMTP reply line.
  code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' },
  retryAfterSeconds: { type: 'integer', minimum: 0, maximum: 86_400 },
};

/** The body of `POST /api/faults`. */
export const parseFaultRequest = createValidator<FaultRequest>({
  type: 'object',
  required: ['channel', 'kind', 'rate'],
  properties,
  discriminator: { propertyName: 'kind' },
  oneOf: FAULT_KINDS.map((kind) => ({
    type: 'object',
    required: ['kind', ...NEEDED[kind]],
    properties: { kind: { const: kind } },
  })),
});
