import { describe, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { integer, loadConfig, text, type ConfigError, type ConfigSpec } from '@tidings/platform';
import { allConfig, OWN_NAMES } from './config.ts';
import { mergeConfigs } from './merge-configs.ts';
import { planAll, STAGES } from './service.ts';

const size = integer('SIZE', 'How many.', { default: 1 });
const none = { own: {}, ownNames: {} };

function read(service: { name: string; config: ConfigSpec }, values: Record<string, string>) {
  const merged = mergeConfigs([service], none);
  return merged.configOf(service, loadConfig(merged.spec, values));
}

describe('merging', () => {
  test('a service gets the values of its own keys', () => {
    const service = { name: 'one', config: { size, place: text('PLACE', 'Where.') } };

    expect(read(service, { PLACE: 'here', OTHER: 'x' })).toEqual({ size: 1, place: 'here' });
  });

  test('two keys of one variable have its value, and may explain it differently', () => {
    const one = { name: 'one', config: { size } };
    const other = { name: 'other', config: { count: { ...size, doc: 'As many as wanted.' } } };
    const merged = mergeConfigs([one, other], none);
    const values = loadConfig(merged.spec, { SIZE: '7' });

    expect(Object.keys(merged.spec)).toEqual(['SIZE']);
    expect([merged.configOf(one, values), merged.configOf(other, values)]).toEqual([
      { size: 7 },
      { count: 7 },
    ]);
  });

  test.each([
    ['default', { ...size, default: 2 }],
    ['schema', integer('SIZE', 'How many.', { default: 1, max: 9 })],
    ['fallback', { ...size, fallbackEnv: 'COUNT' }],
    ['secrecy', { ...size, secret: true }],
  ])('another %s is a conflict', (_what, field) => {
    const services = [
      { name: 'one', config: { size } },
      { name: 'other', config: { size: field } },
    ];

    expect(() => mergeConfigs(services, none)).toThrow(
      'SIZE is not the same setting in one and other',
    );
  });

  test('a conflict is resolved by an own field for all, or another name for one', () => {
    const one = { name: 'one', config: { size } };
    const other = { name: 'other', config: { size: { ...size, default: 2 } } };
    const own = { size: { ...size, default: 3 } };
    const ownNames = { other: { SIZE: { env: 'OTHER_SIZE', fallbackEnv: 'SIZE' } } };

    const forAll = mergeConfigs([one, other], { own, ownNames: {} });
    const forOne = mergeConfigs([one, other], { own: {}, ownNames });
    const read = (merged: typeof forAll, environment: Record<string, string>) =>
      [one, other].map((service) => merged.configOf(service, loadConfig(merged.spec, environment)));

    expect(read(forAll, {})).toEqual([{ size: 3 }, { size: 3 }]);
    expect(read(forOne, {})).toEqual([{ size: 1 }, { size: 2 }]);
    expect(read(forOne, { SIZE: '5' })).toEqual([{ size: 5 }, { size: 5 }]);
    expect(read(forOne, { SIZE: '5', OTHER_SIZE: '6' })).toEqual([{ size: 5 }, { size: 6 }]);
  });
});

/** What an installation with the sandbox must name. */
const ENVIRONMENT = {
  DATABASE_URL: 'postgres://host/name',
  KAFKA_BROKERS: 'host:9092',
  REDIS_URL: 'redis://host',
  ENCRYPTION_KEY: 'a key for tests, of thirty-two characters',
  PUBLIC_BASE_URL: 'https://host',
};

describe('the services of this repository', () => {
  test('are all there', () => {
    const names = [...STAGES.flat().map(({ name }) => name), 'all', 'sandbox'];

    expect(names.toSorted()).toEqual(readdirSync(join(import.meta.dirname, '..', '..')).toSorted());
  });

  const namesOf = (plan: Awaited<ReturnType<typeof planAll>>) =>
    plan.stages.map((stage) => stage.map(({ name }) => name));

  test('have no conflict, with the sandbox too, and drain in this order', async () => {
    const plan = await planAll({ ...ENVIRONMENT, SANDBOX: 'true', DATA_DIR: '/data' });

    expect(namesOf(plan)).toEqual([
      ['gateway', 'api', 'client-api'],
      ['users-consumer', 'events-consumer', 'campaigns', 'webhooks', 'scheduler'],
      ['automation-engine'],
      [
        'worker-app-push',
        'worker-email',
        'worker-in-app',
        'worker-on-site',
        'worker-sms',
        'worker-web-hook',
        'worker-web-push',
      ],
      ['sandbox'],
    ]);
    expect(plan.settings.drainDeadlineMs).toBe(60_000);
  });

  test('do not include the sandbox by default, which would need DATA_DIR', async () => {
    expect(namesOf(await planAll(ENVIRONMENT)).flat()).not.toContain('sandbox');
    await expect(planAll({ ...ENVIRONMENT, SANDBOX: 'true' })).rejects.toThrow('DATA_DIR');
  });

  test('do not include the workers if nothing may be sent', async () => {
    expect(namesOf(await planAll({ ...ENVIRONMENT, WORKERS: 'false' }))).toEqual([
      ['gateway', 'api', 'client-api'],
      ['users-consumer', 'events-consumer', 'campaigns', 'webhooks', 'scheduler'],
      ['automation-engine'],
      ['workers'],
    ]);
  });

  test('report each missing variable once, all at once', async () => {
    const problems = await planAll({}).catch(({ problems: all }: ConfigError) => all);

    expect(problems).toEqual([...new Set(problems as readonly string[])]);
    expect(problems).toEqual(
      expect.arrayContaining(
        ['ENCRYPTION_KEY', 'PUBLIC_BASE_URL'].map((name) =>
          expect.stringContaining(`${name} is missing`),
        ),
      ),
    );
  });

  test('have the concurrency of mails apart', () => {
    const services = STAGES.flat();
    const merged = mergeConfigs(services, { own: allConfig, ownNames: OWN_NAMES });
    const concurrencyOf = (environment: Record<string, string>) =>
      ['worker-email', 'worker-sms'].map((name) => {
        const service = services.find((one) => one.name === name);
        return (
          service &&
          merged.configOf(service, loadConfig(merged.spec, { ...ENVIRONMENT, ...environment }))[
            'sendConcurrency'
          ]
        );
      });

    expect(concurrencyOf({})).toEqual([50, 20]);
    expect(concurrencyOf({ WORKER_EMAIL_SEND_CONCURRENCY: '9' })).toEqual([9, 20]);
  });
});
