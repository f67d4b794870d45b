import type { Channel } from '@tidings/contracts/channels/channels';
import { Counter } from '@tidings/platform';

const unmappedTotal = new Counter({
  name: 'tidings_worker_unmapped_error_total',
  help: 'Provider responses with a code that is not in the channel’s error map.',
  labelNames: ['channel', 'code'] as const,
});

/**
 * Maximum codes with their own label. Webhook receivers can answer anything; further codes share
 * one label.
 */
const CODES_MAX = 50;
const PLAIN_CODE = /^[A-Za-z0-9_.-]{1,24}( [245]\.\d{1,3}\.\d{1,3})?$/;
const OTHER = 'other';

/** Counts provider codes without a row in the error map. */
export interface UnmappedErrors {
  count(code: string | undefined): void;
}

export function createUnmappedErrors(channel: Channel): UnmappedErrors {
  const labelOf = createCodeLabels();
  return { count: (code) => unmappedTotal.inc({ channel, code: labelOf(code) }) };
}

/** The label of a code: the code itself if it is plain and few are known, otherwise `other`. */
export function createCodeLabels(): (code: string | undefined) => string {
  const known = new Set<string>();
  return (code) => {
    if (code === undefined || !PLAIN_CODE.test(code)) return OTHER;
    if (!known.has(code) && known.size >= CODES_MAX) return OTHER;
    known.add(code);
    return code;
  };
}
