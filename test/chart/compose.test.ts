import { expect, test } from '@jest/globals';
import { entryPoints } from '@tidings/image/entry-points';
import { createRouter, type Route } from '@tidings/api-spec/public-routes';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART_DIR, ROOT_DIR } from './support/helm.ts';
import { readFields } from '../generated/configuration-table.ts';

type Compose = {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image: string;
        readonly command?: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
        readonly restart?: string;
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
      }
    >
  >;
  readonly configs: { readonly 'front-door': { readonly content: string } };
};
type Entry = { readonly nodeFlags?: readonly string[] };

const compose = parse(readFileSync(join(ROOT_DIR, 'deploy', 'compose.yaml'), 'utf8'), {
  merge: true,
}) as Compose;
const values = parse(readFileSync(join(CHART_DIR, 'values.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, Entry>>;
  readonly workers: Readonly<Record<string, Entry>>;
  readonly routes: readonly Route[];
  readonly evaluation: Readonly<Record<string, { readonly image?: string }>>;
};
const entries = Object.entries({
  ...values.services,
  ...Object.fromEntries(
    Object.entries(values.workers).map(([slug, worker]) => [`worker-${slug}`, worker]),
  ),
});

test('compose runs every service of the chart, by the same command', () => {
  const commands = Object.entries(compose.services).flatMap(([name, { command }]) =>
    command?.at(-1)?.startsWith('services/') ? [[name, command]] : [],
  );

  expect(Object.fromEntries(commands)).toEqual(
    Object.fromEntries(
      entries.map(([name, { nodeFlags = [] }]) => [
        name,
        [
          'node',
          '--disable-warning=ExperimentalWarning',
          ...nodeFlags,
          `services/${name}/src/main.ts`,
        ],
      ]),
    ),
  );
});

test('the compile cache is filled with the node flags of the services', () => {
  const flags = entryPoints(ROOT_DIR).flatMap(({ file, nodeFlags }) =>
    file.startsWith('services/') ? [[file.split('/')[1], nodeFlags]] : [],
  );

  expect(Object.fromEntries(flags)).toEqual(
    Object.fromEntries(entries.map(([name, { nodeFlags = [] }]) => [name, nodeFlags])),
  );
});

test('compose sets every variable that a service requires', async () => {
  for (const [name] of entries) {
    const required = (await readFields(name))
      .filter((field) => field.default === undefined)
      .map(({ env, fallbackEnv = env }) => fallbackEnv);

    expect(Object.keys(compose.services[name]?.environment ?? {})).toEqual(
      expect.arrayContaining(required),
    );
  }
});

test('plain HTTP is accepted', () => {
  expect(
    Object.fromEntries(
      ['gateway', 'api', 'client-api'].map((name) => [
        name,
        compose.services[name]?.environment?.['HTTPS_ONLY'],
      ]),
    ),
  ).toEqual({ gateway: 'false', api: 'false', 'client-api': 'false' });
});

test('another service depends on each container that exits, as `up --wait` needs', () => {
  const ending = Object.entries(compose.services).flatMap(([name, { restart }]) =>
    restart === 'unless-stopped' ? [] : [name],
  );
  const awaited = Object.values(compose.services).flatMap(({ depends_on = {} }) =>
    Object.entries(depends_on).flatMap(([name, { condition }]) =>
      condition === 'service_completed_successfully' ? [name] : [],
    ),
  );

  expect(ending).toEqual(['preparation']);
  expect(awaited).toEqual(ending);
});

test('its stores equal those of the evaluation', () => {
  const images = ['postgres', 'kafka', 'valkey'].map((name) => [
    name,
    compose.services[name]?.image,
  ]);

  expect(images).toEqual(
    ['postgres', 'kafka', 'valkey'].map((name) => [name, values.evaluation[name]?.image]),
  );
});

test('its routes equal those of the chart', () => {
  const routes = [...compose.configs['front-door'].content.matchAll(/@(\S+) path (.*)/g)].flatMap(
    ([, service = '', paths = '']) =>
      paths.split(' ').flatMap((path) => (path.endsWith('/*') ? [] : [{ path, service }])),
  );
  const urls = [
    ...values.routes.map(({ path }) => path),
    ...values.routes.map(({ path }) => `${path === '/' ? '' : path}/below`),
    '/apis',
    '/nowhere',
  ];

  expect(routes.length).toBeGreaterThan(5);
  for (const url of urls)
    expect([url, createRouter(routes)(url) ?? 'gateway']).toEqual([
      url,
      createRouter(values.routes)(url),
    ]);
});
