import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';
import type { TemplateVariable } from '@tidings/liquid/variables';

const NUMBER = 42;

type Path = Pick<TemplateVariable, 'path' | 'isNumber'>;

/**
 * An event that has what messages show: the names of its attributes stand for texts, and a number
 * where they calculate.
 * @param now in milliseconds
 */
export const sampleEvent = (variables: readonly TemplateVariable[], now: number): TriggerEvent => ({
  name: 'sample_event',
  time: now,
  attributes: sampleOf(
    variables
      .filter(({ path }) => path[0] === 'event' && path[1] === 'attributes')
      .map(({ path, isNumber }) => ({ path: path.slice(2), isNumber })),
  ),
  revenue: NUMBER,
  currency: 'EUR',
});

function sampleOf(paths: readonly Path[]): Record<string, unknown> {
  const named = paths.filter(({ path }) => path.length > 0);
  return Object.fromEntries(
    [...Map.groupBy(named, ({ path: [key = ''] }) => key)].map(([key, own]) => {
      const within = own.map(({ path, isNumber }) => ({ path: path.slice(1), isNumber }));
      const word = own.some(({ isNumber }) => isNumber) ? NUMBER : key;
      return [key, own.some(({ path }) => path.length > 1) ? sampleOf(within) : word];
    }),
  );
}
