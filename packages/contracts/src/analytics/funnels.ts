import { LIMITS } from '../limits.ts';
import { EVENT_PARTS, type FollowingEvent } from '../segments/leaves/event.ts';
import type { AttributePath, Duration } from '../segments/leaves/parts.ts';
import { DURATION, PATH } from '../segments/leaves/schemas.ts';

/** An event that a person does, with `where` as in conditions. */
export type FunnelStep = Pick<FollowingEvent, 'event' | 'where'>;

/** What people do one after the other, the last at most `window` after the first. */
export type FunnelDefinition = {
  readonly steps: readonly FunnelStep[];
  readonly window: Duration;
};

/**
 * Parts of a result by a value of the user as it is now, or of the first event of the chain by which
 * a person first came so far.
 */
export type FunnelBreakdown =
  | { readonly field: string }
  | { readonly attribute: AttributePath }
  | { readonly stepAttribute: AttributePath };

/** How a person stands to a step: came to it, no further in time, no further yet; or to the last. */
export const FUNNEL_PARTS = ['reached', 'dropped', 'open', 'converted'] as const;
export type FunnelState = (typeof FUNNEL_PARTS)[number];

const STEP = {
  type: 'object',
  required: ['event'],
  properties: EVENT_PARTS,
  additionalProperties: false,
};
const funnelProperties = {
  steps: {
    type: 'array',
    minItems: LIMITS.funnelStepsMin,
    maxItems: LIMITS.funnelStepsMax,
    items: STEP,
  },
  window: DURATION,
};

/** The JSON Schema of a funnel. Not in it: rules that need the application. */
export const FunnelSchema: object = {
  type: 'object',
  required: ['steps', 'window'],
  properties: funnelProperties,
  additionalProperties: false,
};

/** The JSON Schema of a breakdown. */
export const BreakdownSchema: object = {
  type: 'object',
  properties: { field: { type: 'string' }, attribute: PATH, stepAttribute: PATH },
  additionalProperties: false,
};
