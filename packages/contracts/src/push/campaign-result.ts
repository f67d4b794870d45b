import type {
  CampaignCounts,
  CampaignResult,
  CampaignStatus,
  CampaignVerdict,
  DeliveryAttempts,
  FailureCounts,
} from './campaigns.ts';
import { mapChannels, type Channel } from '../channels/descriptors.ts';
import { UNREACHABLE_REASONS, type DeliveryReason, type SuccessState } from './deliveries.ts';

/** Failures of unreachable recipients, which had no message attempted. */
function countNotReachable(failures: FailureCounts): number {
  return UNREACHABLE_REASONS.reduce((sum, reason) => sum + (failures[reason] ?? 0), 0);
}

/** Failures whose cause may be gone by now: it is neither the recipient nor the message. */
const PASSING_REASONS = [
  'channel_not_configured',
  'channel_disabled',
  'provider_auth',
  'provider_unavailable',
  'provider_timeout',
  'rate_limited',
  'frequency_capped',
  'quiet_hours',
  'spend_cap',
  'internal',
] as const satisfies readonly DeliveryReason[];

/** Failed deliveries that may succeed when they are tried again. */
export function countRetriable(failures: FailureCounts): number {
  return PASSING_REASONS.reduce((sum, reason) => sum + (failures[reason] ?? 0), 0);
}

/**
 * Computes the attempts. `counts.failed` includes unreachable recipients. Canceled, expired and
 * pending recipients are no attempts.
 */
export function countAttempts(
  counts: Pick<CampaignCounts, 'successful' | 'failed' | 'unknown'>,
  notReachable: number,
): DeliveryAttempts {
  const { successful, failed, unknown } = counts;
  const attempted = successful + unknown + failed - notReachable;
  return { attempted, notReachable, successRate: attempted === 0 ? null : successful / attempted };
}

/** The result of a campaign. Every rate and verdict that is shown comes from here. */
export function computeCampaignResult(
  status: CampaignStatus,
  counts: CampaignCounts,
  failures: FailureCounts,
): CampaignResult {
  const notReachable = countNotReachable(failures);
  return {
    verdict: status === 'completed' ? decideVerdict(counts, notReachable) : null,
    ...countAttempts(counts, notReachable),
  };
}

/** The verdict of a completed campaign. */
export function decideVerdict(
  counts: Pick<CampaignCounts, 'successful' | 'failed' | 'unknown' | 'waiting' | 'expired'>,
  notReachable: number,
): CampaignVerdict {
  const { successful, failed, unknown, waiting, expired } = counts;
  const { attempted } = countAttempts(counts, notReachable);
  const failedAttempts = failed - notReachable;
  if (failedAttempts > 0 && failedAttempts === attempted && waiting === 0) return 'all_failed';
  if (attempted === 0 && waiting === 0 && notReachable + expired > 0) return 'no_one_reached';
  if (failedAttempts > 0) return 'with_failures';
  if (unknown > 0) return 'with_unknown';
  if (expired > 0) return 'with_expired';
  return waiting > 0 && successful === 0 ? 'waiting' : 'successful';
}

/**
 * The success states that each channel can report. Counts of unreported states are derived from
 * later ones.
 */
const REPORTED_STATES = mapChannels(({ reportedStates }) => reportedStates);

export function isReported(channel: Channel, state: SuccessState): boolean {
  return REPORTED_STATES[channel].includes(state);
}
