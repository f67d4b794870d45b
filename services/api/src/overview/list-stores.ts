import type { STORES } from '@tidings/api-spec/endpoints/overview';
import type { ApiConfig } from '../config.ts';

/** What the installation runs on, for the dashboard. */
export function listStores({
  bus,
  redisUrl,
}: Pick<ApiConfig, 'bus' | 'redisUrl'>): (typeof STORES)[number][] {
  return [
    'postgres',
    ...(bus === 'kafka' ? (['kafka'] as const) : []),
    ...(redisUrl === '' ? [] : (['redis'] as const)),
  ];
}
