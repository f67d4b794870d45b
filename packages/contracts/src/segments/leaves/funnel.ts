import {
  FUNNEL_PARTS,
  FunnelSchema,
  type FunnelDefinition,
  type FunnelState,
} from '../../analytics/funnels.ts';
import { LIMITS } from '../../limits.ts';
import type { LeafDescriptor, Phrases } from './descriptor.ts';
import type { EventWindow } from './parts.ts';
import { SLUG, window } from './schemas.ts';

/** When a person entered: the last `within`, or from an instant (included) to another (excluded). */
type FunnelCondition = EventWindow & {
  /** Its slug; or the funnel itself, as campaigns keep it. */
  readonly funnel: string | FunnelDefinition;
  readonly state: FunnelState;
  /** From 1. Of who converted there is none. */
  readonly step?: number;
};

export const funnel = {
  meaning:
    'the user entered the funnel in the window, and `reached` this `step`, `dropped` out after it, is still `open` there, or `converted` (without `step`). A funnel is a slug, or `{"steps", "window"}`',
  schema: {
    required: ['state'],
    properties: {
      funnel: {
        ...FunnelSchema,
        ...SLUG,
        type: ['string', 'object'],
        description: 'the slug of a funnel, or its steps and window',
      },
      state: { type: 'string', enum: [...FUNNEL_PARTS] },
      step: { type: 'integer', minimum: 1, maximum: LIMITS.funnelStepsMax },
      ...window,
    },
  },
  label: 'Funnel',
  begins: ['have', 'have not'],
  initial: { funnel: '', state: 'dropped', step: 1, within: '30d' },
  names: ['funnel'],
  words: describeFunnel,
  fields: null,
} as const satisfies LeafDescriptor<FunnelCondition>;

function describeFunnel({ funnel: named, state, step, ...when }: FunnelCondition, say: Phrases) {
  const name =
    typeof named === 'string'
      ? say.funnel(named)
      : named.steps.map(({ event }) => say.event(event)).join(' → ');
  const at = step === undefined ? '…' : String(step);
  const done = {
    reached: `reached step ${at} of “${name}”`,
    dropped: `dropped out of “${name}” at step ${at}`,
    open: `come to step ${at} of “${name}” and may still go on`,
    converted: `converted in “${name}”`,
  }[state];
  return `${done}, entered${say.window(when)}`;
}
