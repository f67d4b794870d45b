export const CHART_STEPS = ['hour', 'day', 'week', 'month'] as const;
export type ChartStep = (typeof CHART_STEPS)[number];
