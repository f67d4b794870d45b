import type { DeliveryReason } from '../push/deliveries.ts';

/** Suppression reasons (closed list). */
export const SUPPRESSION_REASONS = [
  'unsubscribed',
  'suppressed_bounce',
  'suppressed_complaint',
  'sms_stop',
] as const satisfies readonly DeliveryReason[];
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** Unsubscribed recipients get no marketing. All other reasons block every message. */
export const MARKETING_SUPPRESSION = 'unsubscribed' satisfies SuppressionReason;
