import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { SuppressionReason } from '@tidings/contracts/channels/suppression-reasons';
import type { EventKind } from '@tidings/contracts/ingest/ingest';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { NamedDefinition } from '../condition-context.ts';

/** An event of a person, under whichever of its ids. */
export type StoredEvent = {
  readonly userId: string;
  readonly slug: string;
  readonly kind: EventKind;
  readonly time: number;
  readonly receivedAt: number;
  readonly messageId: string;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly revenue: number | null;
  readonly currency: string | null;
  readonly isProved: boolean | null;
};

export type StoredDevice = {
  readonly kind: 'web_push' | 'fcm' | 'none';
  readonly hasAddress: boolean;
  readonly timeZone: string | null;
  readonly seenAt: number;
  readonly isProof: boolean;
};

export type StoredCampaign = {
  readonly id: string;
  readonly channel: Channel;
  readonly purpose: Purpose;
  readonly tags: readonly string[];
};

/** When a message of a campaign reached its milestones. */
export type StoredMessage = {
  readonly campaignId: string;
  /** A test send: it went to a typed address. */
  readonly isTest: boolean;
  readonly sent: number | null;
  readonly delivered: number | null;
  readonly opened: number | null;
  readonly clicked: number | null;
};

export type Stamp = readonly [number, string] | readonly [number, string, 'client'];

export type Person = {
  readonly id: string;
  /** Null: an anonymous user. */
  readonly customUserId: string | null;
  readonly registeredAt: number | null;
  /** Anonymous users merged into the person. */
  readonly mergedIds: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly customAttributes: Readonly<Record<string, unknown>>;
  readonly clocks: {
    readonly fields: Readonly<Record<string, Stamp>>;
    readonly custom: Readonly<Record<string, Stamp>>;
  };
  readonly phoneE164: string | null;
  readonly events: readonly StoredEvent[];
  readonly devices: readonly StoredDevice[];
  readonly messages: readonly StoredMessage[];
};

/** All that conditions of one application are about, as plain values. */
export type Population = {
  readonly applicationId: string;
  readonly now: number;
  readonly timeZone: string | null;
  readonly sendUntested: boolean;
  readonly channels: { readonly [channel in Channel]?: 'ready' | 'untested' };
  readonly definitions: readonly NamedDefinition[];
  readonly segments: ReadonlyMap<string, Condition>;
  readonly funnels: ReadonlyMap<string, FunnelDefinition>;
  readonly campaigns: readonly StoredCampaign[];
  readonly persons: readonly Person[];
  readonly suppressions: readonly {
    readonly channel: Channel;
    readonly address: string;
    readonly reason: SuppressionReason;
  }[];
};
