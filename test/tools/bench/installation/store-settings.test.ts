import { expect, test } from '@jest/globals';
import { renderStoreSettings } from './store-settings.ts';

test('the settings of the stores are a line each, so that they stand below the figures', () => {
  const text = renderStoreSettings({
    postgres: { fsync: 'on', full_page_writes: 'on' },
    kafka: { acks: 'all', 'log.flush.interval.ms': 'none' },
  });

  expect(text.split('\n')).toEqual([
    'Postgres: fsync=on, full_page_writes=on',
    'Kafka: acks=all, log.flush.interval.ms=none',
  ]);
});
