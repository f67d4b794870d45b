import { SUCCESS_STATES } from '@tidings/contracts';

/** Known for every channel: the service itself decides them. */
export const SERVICE_STEPS = ['requested', 'unique', 'reachable'] as const;
export const FUNNEL_STEPS = [...SERVICE_STEPS, ...SUCCESS_STATES] as const;
