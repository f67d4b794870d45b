import { CHANNELS, type Channel } from '@tidings/contracts';
import { compileValidator } from '@tidings/platform';

/** How a stand-in provider misbehaves; the words are the same for every protocol. */
export const FAULT_KINDS = ['delay', 'reject', 'status', 'drop_reply', 'reset'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

type Shared = {
  readonly channel: Channel;
  /** The share of requests that it strikes, 0 to 1. */
  readonly rate: number;
  readonly delayMs?: number;
  readonly status?: number;
  /** The provider's own error code: for e-mail an enhanced status code such as 5.1.1, for SMS a code of Twilio such as 21211, for app push a word of FCM such as UNREGISTERED. */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
};

/** What a kind cannot do without. */
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

/** A fault that is in force; `struck` counts how often it was felt. */
export type Fault = FaultRequest & { readonly id: string; readonly struck: number };

const DELAY_MS_MAX = 600_000;

const properties = {
  channel: { enum: CHANNELS },
  kind: { enum: FAULT_KINDS },
  rate: { type: 'number', minimum: 0, maximum: 1 },
  delayMs: { type: 'integer', minimum: 0, maximum: DELAY_MS_MAX },
  status: { type: 'integer', minimum: 300, maximum: 599 },
  // Closed to line breaks: the code becomes part of a reply line.
  code: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' },
  retryAfterSeconds: { type: 'integer', minimum: 0, maximum: 86_400 },
};

/** The body of `POST /api/faults`. */
export const parseFaultRequest = compileValidator<FaultRequest>({
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
