import { describe, expect, test } from '@jest/globals';
import { PUBLIC_ROUTES } from '@tidings/api-spec/public-routes';
import { INBOX_CHANNELS } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT_DIR } from './source-files.ts';

const services = readdirSync(join(ROOT_DIR, 'services'));
const source = (service: string, file: string): string =>
  join(ROOT_DIR, 'services', service, 'src', file);
const values = parse(readFileSync(join(ROOT_DIR, 'helm', 'tidings', 'values.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, { readonly http?: boolean }>>;
  readonly workers: Readonly<Record<string, unknown>>;
  readonly routes: readonly { readonly path: string; readonly service: string }[];
};

const INBOX_WORKERS: readonly string[] = INBOX_CHANNELS.map(workerName);
/** Not in the chart: one replaces the providers, one runs all others in one process. */
const NOT_IN_CHART: readonly string[] = ['sandbox', 'all'];

describe('processes', () => {
  test.each(services)(
    '%s has the common structure: a short main, its config, one file that wires',
    (service) => {
      const isWorker = service.startsWith('worker-');
      const isInbox = INBOX_WORKERS.includes(service);
      const main = readFileSync(source(service, 'main.ts'), 'utf8').trimEnd().split('\n');

      expect(main.length).toBeLessThanOrEqual(10);
      expect(main.at(-1)).toBe(
        service === 'all' ? 'await runServices(allServices);' : 'await runService(service);',
      );
      expect(existsSync(source(service, 'config.ts'))).toBe(true);
      expect(readFileSync(source(service, 'service.ts'), 'utf8')).toMatch(
        service === 'all'
          ? /^export const allServices = /m
          : isInbox
            ? /^export const service = inboxWorker\(/m
            : isWorker
              ? /^export const service = channelWorker\(/m
              : /^export const service = \{$/m,
      );
      expect(existsSync(source(service, `${service.replace('worker-', '')}-channel.ts`))).toBe(
        isWorker && !isInbox,
      );
    },
  );

  test('every service that runs alone in production is in the chart', () => {
    const entries = [
      ...Object.keys(values.services),
      ...Object.keys(values.workers).map((slug) => `worker-${slug}`),
    ];

    expect(new Set(entries)).toEqual(
      new Set(services.filter((service) => !NOT_IN_CHART.includes(service))),
    );
  });

  test('every public route leads to a service with an HTTP server, in the chart and in one process', () => {
    expect(values.routes).toEqual(PUBLIC_ROUTES);
    expect(values.routes.filter(({ service }) => values.services[service]?.http !== true)).toEqual(
      [],
    );
  });
});
