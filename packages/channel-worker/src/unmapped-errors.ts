import type { Channel } from '@tidings/contracts';
import { Counter } from '@tidings/platform';

const unmappedTotal = new Counter({
  name: 'tidings_worker_unmapped_error_total',
  help: 'Answers of a provider with a code that the map of its channel does not have.',
  labelNames: ['channel', 'code'] as const,
});

/** A receiver of hooks can answer with what it likes: so many codes have a label of their own, the rest share one. */
const CODES_MAX = 50;
const PLAIN_CODE = /^[A-Za-z0-9_.-]{1,24}( [245]\.\d{1,3}\.\d{1,3})?$/;
const OTHER = 'other';

/** Counts codes that no map knows. */
export interface UnmappedErrors {
  count(code: string | undefined): void;
}

export function createUnmappedErrors(channel: Channel): UnmappedErrors {
  const labelOf = createCodeLabels();
  return { count: (code) => unmappedTotal.inc({ channel, code: labelOf(code) }) };
}

/** The label of a code: itself while there are few and it is a plain one. */
export function createCodeLabels(): (code: string | undefined) => string {
  const known = new Set<string>();
  return (code) => {
    if (code === undefined || !PLAIN_CODE.test(code)) return OTHER;
    if (!known.has(code) && known.size >= CODES_MAX) return OTHER;
    known.add(code);
    return code;
  };
}
