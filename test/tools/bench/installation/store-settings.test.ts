import { expect, test } from '@jest/globals';
import { renderStoreSettings } from './store-settings.ts';

test('prints the settings of the stores on one line each', () => {
  const text = renderStoreSettings({
    postgres: { fsync: 'on', full_page_writes: 'on' },
    kafka: { acks: 'all', 'log.flush.interval.ms': 'none' },
  });

  expect(text.split('\n')).toEqual([
    'Postgres: fsync=on, full_page_writes=on',
    'Kafka: acks=all, log.flush.interval.ms=none',
  ]);
});
