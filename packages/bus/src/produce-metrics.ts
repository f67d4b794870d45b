import { Counter, Histogram } from '@tidings/platform';

export const producedRecords = new Counter({
  name: 'tidings_bus_produced_records_total',
  help: 'Records sent to the broker, by outcome: written, refused or unavailable.',
  labelNames: ['topic', 'outcome'],
});
export const produceSeconds = new Histogram({
  name: 'tidings_bus_produce_seconds',
  help: 'Duration of one produce call.',
  labelNames: ['topic'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10],
});
