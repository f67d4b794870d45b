import type { ChannelState } from '@tidings/web/src/api/types.ts';

/** Of a channel that sent nothing. */
export const IDLE_HEALTH = {
  state: 'idle',
  since: null,
  attempts: 0,
  failed: 0,
  unknown: 0,
  reason: null,
} as const satisfies ChannelState['health'];

/** Of a channel whose attempts all fail since this instant. */
export const failingHealth = (since: number): ChannelState['health'] => ({
  state: 'failing',
  since,
  attempts: 2_262,
  failed: 2_262,
  unknown: 0,
  reason: 'provider_unavailable',
});
