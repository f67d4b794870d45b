import type { BounceCounts } from './bounces.ts';
import type { Channel } from '../channels/channels.ts';
import type { DeliveryReason } from './deliveries.ts';
import type { Warning } from '../errors/error-codes.ts';
import type { CampaignAudience } from './push-audience.ts';
import type { CampaignNames } from './push-names.ts';
import type { CampaignSchedule } from './push-schedule.ts';
import type { PushMessage } from './push.ts';
import type { Purpose } from './purposes.ts';
import type { CampaignWinner } from './push-winner.ts';
import type { NamedCampaignTemplate } from './templates.ts';

export const CAMPAIGN_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'paused',
  'completed',
  'canceled',
  'failed',
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Actions on a campaign: `POST /api/v1/campaigns/{id}/{action}`. */
export const CAMPAIGN_ACTIONS = ['pause', 'resume', 'cancel', 'retry-failed'] as const;
export type CampaignAction = (typeof CAMPAIGN_ACTIONS)[number];

export const CAMPAIGN_SOURCES = ['api', 'dashboard', 'test', 'automation'] as const;
export type CampaignSource = (typeof CAMPAIGN_SOURCES)[number];

/** The node whose messages a campaign has. `slug` as it was then; null: it had none. */
export type CampaignAutomation = {
  readonly id: string;
  readonly slug: string | null;
  readonly version: number;
  readonly node: string;
};

/**
 * Seconds for which a recipient that is unknown at the start of a campaign is looked up again
 * before it fails.
 */
export const UNKNOWN_RECIPIENT_RETRY_SECONDS = 10;

export type CampaignCounts = {
  readonly total: number;
  readonly pending: number;
  readonly waiting: number;
  readonly sent: number;
  readonly delivered: number;
  readonly displayed: number;
  readonly opened: number;
  readonly clicked: number;
  readonly successful: number;
  readonly failed: number;
  readonly unknown: number;
  readonly expired: number;
  readonly canceled: number;
  readonly unsubscribed: number;
  readonly complained: number;
  /** Opens and clicks by privacy proxies and scanners. No other count includes them. */
  readonly machineOpened: number;
  readonly machineClicked: number;
};

export type FailureCounts = Readonly<Partial<Record<DeliveryReason, number>>>;

/**
 * How a completed campaign ended, worst first. `no_one_reached`: every recipient was unreachable or
 * expired.
 */
export const CAMPAIGN_VERDICTS = [
  'no_one_reached',
  'all_failed',
  'with_failures',
  'with_unknown',
  'with_expired',
  'waiting',
  'successful',
] as const;
export type CampaignVerdict = (typeof CAMPAIGN_VERDICTS)[number];

/** `attempted` = successful + unknown + failed, without unreachable recipients. */
export type DeliveryAttempts = {
  readonly attempted: number;
  /** Recipients that failed for one of `UNREACHABLE_REASONS`. */
  readonly notReachable: number;
  /** Ratio of successful to attempted, from 0 to 1; null without attempts. */
  readonly successRate: number | null;
};

/** `verdict` is null until the campaign is completed. */
export type CampaignResult = DeliveryAttempts & { readonly verdict: CampaignVerdict | null };

/** Why a campaign is `failed`: it got no recipients, and nothing was sent. */
export const CAMPAIGN_FAILURE_REASONS = [
  'segment_too_slow',
  'segment_not_found',
  'funnel_not_found',
  'condition_too_large',
  'too_many_recipients',
  'too_many_persons',
  'expired',
] as const;
export type CampaignFailureReason = (typeof CAMPAIGN_FAILURE_REASONS)[number];

/** The record at `GET /api/v1/campaigns/{id}`; times in milliseconds since the epoch. */
export type CampaignRecord = CampaignNames & {
  readonly campaignId: string;
  readonly channel: Channel;
  readonly purpose: Purpose;
  readonly source: CampaignSource;
  /** Null unless `source` is `automation`. */
  readonly automation: CampaignAutomation | null;
  readonly status: CampaignStatus;
  /** Null unless it is `failed`, and for one that failed in an earlier version. */
  readonly failureReason: CampaignFailureReason | null;
  /** Of a personalised campaign before it is rendered. */
  readonly message: PushMessage;
  /** Null: the message is sent as it is. */
  readonly templates: readonly NamedCampaignTemplate[] | null;
  /** Null: every recipient gets a template at once. */
  readonly winner: CampaignWinner | null;
  /** Of a segment: 0 until its recipients are read. */
  readonly recipients: { readonly requested: number; readonly unique: number };
  /** Of a campaign to a segment; null for one with a list of recipients. */
  readonly audience: CampaignAudience | null;
  /** When it begins; null for one that began when it was accepted. */
  readonly schedule: CampaignSchedule | null;
  /** Since when deliveries and event log are past their retention, and gone; the counts stay. */
  readonly recipientsDeletedAt: number | null;
  readonly counts: CampaignCounts;
  readonly result: CampaignResult;
  readonly failures: FailureCounts;
  /** Failed e-mails by what their servers meant. */
  readonly bounces: BounceCounts;
  readonly timing: {
    readonly createdAt: number;
    readonly startedAt: number | null;
    readonly firstSentAt: number | null;
    readonly lastSentAt: number | null;
    readonly completedAt: number | null;
    readonly durationMs: number | null;
    readonly p50Ms: number | null;
    readonly p95Ms: number | null;
  };
  readonly createdBy: string;
  readonly requestId: string;
};

/** The response to an accepted `POST /push`. */
export type PushAccepted = {
  readonly campaignId: string;
  /** `scheduled`: it begins at `sendAt`. */
  readonly status: 'queued' | 'scheduled';
  readonly sendAt?: number;
  readonly channel: Channel;
  readonly recipients: { readonly requested: number; readonly unique: number };
  readonly createdAt: number;
  readonly requestId: string;
  readonly warnings: readonly Warning[];
};

/** The response to an accepted push to a segment. */
export type SegmentPushAccepted = Omit<PushAccepted, 'recipients'> & {
  readonly recipients: SegmentEstimate;
};

/** `segment` is null for a condition; `estimated` from the gateway, and if it took too long. */
export type SegmentEstimate = {
  readonly segment: string | null;
  readonly estimated: number | null;
};

/** The response to a push to a segment with `dryRun`: exact, at this moment; null from the gateway. */
export type SegmentDryRunAnswer = {
  readonly dryRun: true;
  readonly channel: Channel;
  readonly recipients: { readonly segment: string | null; readonly count: number | null };
  readonly reachable: number | null;
  /** Users who lack a required variable, by its name; only of a personalised push, as the counts. */
  readonly unrenderable?: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
};

/** The response to a push with `dryRun`. */
export type DryRunAnswer = {
  readonly dryRun: true;
  readonly channel: Channel;
  readonly recipients: { readonly requested: number; readonly unique: number };
  readonly reachable: number;
  readonly unreachable: Readonly<Partial<Record<string, number>>>;
  /** Recipients who lack a required variable, by its name; only of a personalised push. */
  readonly unrenderable?: Readonly<Record<string, number>>;
  readonly results: readonly {
    readonly customUserId: string;
    readonly reachable: boolean;
    readonly reason?: DeliveryReason;
    /** SMS: the number that is called. */
    readonly number?: string;
    /** SMS: what the number in the profile may mean instead. */
    readonly otherReading?: string;
  }[];
  readonly warnings: readonly Warning[];
};
