import { Counter } from '@tidings/platform';

export const joins = new Counter({
  name: 'tidings_bus_group_joins_total',
  help: 'Times a consumer joined its group, including rejoins.',
  labelNames: ['group'],
});
