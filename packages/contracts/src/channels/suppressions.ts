import { CHANNEL_DESCRIPTORS, CHANNELS, type ChannelWith } from './descriptors.ts';
import type { SuppressionReason } from './suppression-reasons.ts';

/** The channels that have addresses to suppress. */
export type SuppressibleChannel = ChannelWith<{
  readonly suppressionReasons: readonly [SuppressionReason, ...SuppressionReason[]];
}>;
export const SUPPRESSIBLE_CHANNELS: readonly SuppressibleChannel[] = CHANNELS.filter(
  (channel): channel is SuppressibleChannel =>
    CHANNEL_DESCRIPTORS[channel].suppressionReasons.length > 0,
);

/** A suppressed address, as shown by `/api/v1/suppressions`. */
export type SuppressionRecord = {
  readonly id: string;
  readonly channel: SuppressibleChannel;
  /** E.164 for SMS, lower case for e-mail. */
  readonly address: string;
  readonly reason: SuppressionReason;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
};
