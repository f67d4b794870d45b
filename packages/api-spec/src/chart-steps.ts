export const CHART_STEPS = ['hour', 'day'] as const;
export type ChartStep = (typeof CHART_STEPS)[number];
