import type { DeliveryReason } from './campaigns.ts';
import type { Channel } from './channels.ts';

/** Why nothing is sent to an address (closed list). */
export const SUPPRESSION_REASONS = [
  'unsubscribed',
  'suppressed_bounce',
  'suppressed_complaint',
  'sms_stop',
] as const satisfies readonly DeliveryReason[];
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** Whoever has unsubscribed gets no more marketing; everything else holds for every message. */
export const MARKETING_SUPPRESSION = 'unsubscribed' satisfies SuppressionReason;

/** The channels that have addresses to suppress, with the reasons that make sense there. */
export const SUPPRESSION_REASONS_OF = {
  SMS: ['unsubscribed', 'sms_stop', 'suppressed_bounce', 'suppressed_complaint'],
  EMAIL: ['unsubscribed', 'suppressed_bounce', 'suppressed_complaint'],
} as const satisfies Partial<Record<Channel, readonly SuppressionReason[]>>;
export type SuppressibleChannel = keyof typeof SUPPRESSION_REASONS_OF;
export const SUPPRESSIBLE_CHANNELS = Object.keys(
  SUPPRESSION_REASONS_OF,
) as readonly SuppressibleChannel[];

/** An address that nothing is sent to, as `/api/v1/suppressions` shows it. */
export type SuppressionRecord = {
  readonly id: string;
  readonly channel: SuppressibleChannel;
  /** For SMS in E.164, of e-mails in lower case. */
  readonly address: string;
  readonly reason: SuppressionReason;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
};
