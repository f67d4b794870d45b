import { expect, test } from '@jest/globals';
import { ConfigError, createLogger, loadConfig } from '@tidings/platform';
import { kafkaBusFrom, kafkaConfig } from './config.ts';

const ctx = { logger: createLogger('test', 'error'), service: 'test' };

test('the brokers alone are enough', () => {
  const config = loadConfig(kafkaConfig, { KAFKA_BROKERS: 'one:9092, two:9092' });

  expect(config.kafkaBrokers).toEqual(['one:9092', 'two:9092']);
  expect(kafkaBusFrom(config, ctx)).toHaveProperty('admin');
});

test.each([
  [
    { KAFKA_SASL_MECHANISM: 'plain' },
    'KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
  ],
  [
    { KAFKA_HEARTBEAT_INTERVAL_MS: '20000' },
    'KAFKA_HEARTBEAT_INTERVAL_MS must be at most a third of KAFKA_SESSION_TIMEOUT_MS',
  ],
  [{ KAFKA_TLS_CA: 'pem' }, 'KAFKA_TLS_CA is given but KAFKA_TLS is false'],
])('settings that contradict each other stop the start: %j', (environment, problem) => {
  const config = loadConfig(kafkaConfig, { KAFKA_BROKERS: 'one:9092', ...environment });

  let problems: readonly string[] = [];
  try {
    kafkaBusFrom(config, ctx);
  } catch (error) {
    if (error instanceof ConfigError) problems = error.problems;
  }

  expect(problems).toEqual([problem]);
});
