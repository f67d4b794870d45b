import { SUCCESS_STATES } from '@tidings/contracts';

/** Known for every channel: the service itself decides them. */
export const OWN_STEPS = ['requested', 'unique', 'reachable'] as const;
export const FUNNEL_STEPS = [...OWN_STEPS, ...SUCCESS_STATES] as const;
