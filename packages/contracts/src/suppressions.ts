import type { DeliveryReason } from './campaigns.ts';
import { CHANNEL_DESCRIPTORS, CHANNELS, type ChannelWith } from './channels/descriptors.ts';

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

/** The channels that have addresses to suppress. */
export type SuppressibleChannel = ChannelWith<{
  readonly suppressionReasons: readonly [SuppressionReason, ...SuppressionReason[]];
}>;
export const SUPPRESSIBLE_CHANNELS: readonly SuppressibleChannel[] = CHANNELS.filter(
  (channel): channel is SuppressibleChannel =>
    CHANNEL_DESCRIPTORS[channel].suppressionReasons.length > 0,
);

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
