import { integer } from '@tidings/platform';
export const DELIVERY_RETENTION_DAYS = integer(
  'DELIVERY_RETENTION_DAYS',
  'Days to keep deliveries, attempts and the event log of a campaign, from its acceptance, and runs of automations, from their end. The report keeps its counts. The same for all services: api and gateway warn of conditions that look further back.',
  { default: 90, min: 31, max: 36_500 },
);
