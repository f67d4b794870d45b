import { SUCCESS_STATES } from '@tidings/contracts/push/deliveries';

/** Steps that the service counts itself, so every channel has them. */
export const SERVICE_STEPS = ['requested', 'unique', 'reachable'] as const;
export const FUNNEL_STEPS = [...SERVICE_STEPS, ...SUCCESS_STATES] as const;
