/** Kinds of items in the overview that need attention (closed list). */
export const ATTENTION_KINDS = [
  'dead_letters',
  'webhook_failing',
  'webhook_disabled',
  'channel_paused',
  'channel_failing',
  'channel_breaker_open',
  'channel_untested',
  'campaign_failing',
  'addresses_refused',
  'ingest_behind',
  'definitions_nearly_full',
  'client_definitions_nearly_full',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];
