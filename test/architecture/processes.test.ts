import { describe, expect, test } from '@jest/globals';
import { INBOX_CHANNELS, workerName } from '@tidings/contracts';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT_DIR } from './source-files.ts';

const services = readdirSync(join(ROOT_DIR, 'services'));
const source = (service: string, file: string): string =>
  join(ROOT_DIR, 'services', service, 'src', file);
const values = parse(readFileSync(join(ROOT_DIR, 'helm', 'tidings', 'values.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, unknown>>;
  readonly workers: Readonly<Record<string, unknown>>;
  readonly routes: readonly { readonly path: string; readonly service: string }[];
};

const INBOX_WORKERS: readonly string[] = INBOX_CHANNELS.map(workerName);

describe('processes', () => {
  test.each(services)(
    '%s has the common structure: a short main, its config, one file that wires',
    (service) => {
      const isWorker = service.startsWith('worker-');
      const isInbox = INBOX_WORKERS.includes(service);
      const main = readFileSync(source(service, 'main.ts'), 'utf8').trimEnd().split('\n');

      expect(main.length).toBeLessThanOrEqual(10);
      expect(main.join('\n')).toMatch(
        isInbox
          ? /await runInboxWorker\(/
          : isWorker
            ? /await runChannelWorker\(/
            : /await runService\(/,
      );
      expect(existsSync(source(service, 'config.ts'))).toBe(true);
      expect(existsSync(source(service, 'service.ts'))).toBe(!isWorker);
      expect(existsSync(source(service, `${service.replace('worker-', '')}-channel.ts`))).toBe(
        isWorker && !isInbox,
      );
    },
  );

  test('every service except the sandbox is in the chart', () => {
    const entries = [
      ...Object.keys(values.services),
      ...Object.keys(values.workers).map((slug) => `worker-${slug}`),
    ];

    expect(new Set(entries)).toEqual(new Set(services.filter((service) => service !== 'sandbox')));
  });

  test('every public route leads to a service', () => {
    const targets = values.routes.map((route) => route.service);

    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((service) => !services.includes(service))).toEqual([]);
  });
});
