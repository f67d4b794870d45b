import { describe, expect, test } from '@jest/globals';
import { entryPoints } from '@tidings/image/entry-points';
import { createRouter, type Route } from '@tidings/api-spec/public-routes';
import { POSTGRES_LOG } from '@tidings/local';
import { sandboxConfig } from '@tidings/sandbox/src/config.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART_DIR, ROOT_DIR } from '@tidings/tools/helm';
import { readFields } from '../generated/configuration-table.ts';
import { readOneProcessFields } from '../generated/one-process-table.ts';

type Compose = {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image: string;
        readonly command?: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
        readonly restart?: string;
        readonly profiles?: readonly string[];
        readonly ports?: readonly string[];
        readonly volumes?: readonly string[];
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
  readonly oneProcess: Entry;
  readonly routes: readonly Route[];
  readonly evaluation: Readonly<Record<string, { readonly image?: string }>>;
};
const ALL = 'all';
/** Each service in its own process. */
const entries = Object.entries({
  ...values.services,
  ...Object.fromEntries(
    Object.entries(values.workers).map(([slug, worker]) => [`worker-${slug}`, worker]),
  ),
});

/** Names of the services that run with these profiles. */
function running(...active: readonly string[]): readonly string[] {
  return Object.entries(compose.services).flatMap(([name, { profiles = active }]) =>
    profiles.some((profile) => active.includes(profile)) ? [name] : [],
  );
}
// Docker Compose activates the profile without a name if no other one is named.
const ofOneProcess = running('');
const ofKafka = running('kafka');

function commandsOf(names: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const command = compose.services[name]?.command ?? [];
      return command.at(-1)?.startsWith('services/') ? [[name, command]] : [];
    }),
  );
}

const commandOf = (name: string, { nodeFlags = [] }: Entry): readonly string[] => [
  'node',
  '--disable-warning=ExperimentalWarning',
  ...nodeFlags,
  `services/${name}/src/main.ts`,
];

test('compose runs one process and Postgres by default, as the chart does', () => {
  expect(ofOneProcess).toEqual(['postgres', 'tidings', 'preparation']);
  expect(commandsOf(ofOneProcess)).toEqual({ tidings: commandOf(ALL, values.oneProcess) });
});

test('the profile kafka runs every service of the chart, by the same command', () => {
  expect(commandsOf(ofKafka)).toEqual(
    Object.fromEntries(entries.map(([name, entry]) => [name, commandOf(name, entry)])),
  );
});

test('no profile has services of both buses, and the prepare step is on the bus of its services', () => {
  const busesOf = (names: readonly string[]): readonly unknown[] => [
    ...new Set(
      names.flatMap((name) => {
        const { environment = {} } = compose.services[name] ?? {};
        return 'DATABASE_URL' in environment ? [environment['BUS']] : [];
      }),
    ),
  ];

  expect([busesOf(ofOneProcess), busesOf(ofKafka)]).toEqual([['postgres'], ['kafka']]);
  expect(ofOneProcess.filter((name) => ofKafka.includes(name))).toEqual(['postgres']);
});

test('the records are moved by a command of its own, beside Kafka', () => {
  expect(ofOneProcess).not.toContain('move-bus');
  expect(ofKafka).not.toContain('move-bus');
  expect(running('move')).toEqual(['postgres', 'kafka', 'move-bus']);
});

test('the compile cache is filled with the node flags of the services', () => {
  const flags = entryPoints(ROOT_DIR).flatMap(({ file, nodeFlags }) =>
    file.startsWith('services/') ? [[file.split('/')[1], nodeFlags]] : [],
  );

  expect(Object.fromEntries(flags)).toEqual(
    Object.fromEntries(
      [...entries, [ALL, values.oneProcess] as const].map(([name, { nodeFlags = [] }]) => [
        name,
        nodeFlags,
      ]),
    ),
  );
});

test('compose sets every variable that a service requires', async () => {
  const fieldsOf = new Map([
    ...(await Promise.all(entries.map(async ([name]) => [name, await readFields(name)] as const))),
    ['tidings', readOneProcessFields([{ name: 'sandbox', config: sandboxConfig }])] as const,
  ]);
  for (const [name, fields] of fieldsOf) {
    const required = fields
      .filter((field) => field.default === undefined)
      .map(({ env, fallbackEnv = env }) => fallbackEnv);

    expect(Object.keys(compose.services[name]?.environment ?? {})).toEqual(
      expect.arrayContaining(required),
    );
  }
});

test('one process has one port, and the sandbox another one: the same inside and outside', () => {
  const { environment = {}, ports = [], volumes = [] } = compose.services['tidings'] ?? {};
  const port = environment['PORT'];
  const sandboxPort = environment['SANDBOX_PORT'];

  expect(ports).toEqual([`127.0.0.1:${port}:${port}`, `127.0.0.1:${sandboxPort}:${sandboxPort}`]);
  expect(environment).toMatchObject({
    SANDBOX: '${SANDBOX:-false}',
    PUBLIC_BASE_URL: `http://localhost:${port}`,
    API_URL: `http://localhost:${port}`,
  });
  expect(volumes).toContain(`sandbox:${environment['DATA_DIR']}`);
});

test('plain HTTP is accepted', () => {
  expect(
    Object.fromEntries(
      ['tidings', 'gateway', 'api', 'client-api'].map((name) => [
        name,
        compose.services[name]?.environment?.['HTTPS_ONLY'],
      ]),
    ),
  ).toEqual({ tidings: 'false', gateway: 'false', api: 'false', 'client-api': 'false' });
});

test('another service depends on each container that exits, as `up --wait` needs', () => {
  const ending = Object.entries(compose.services).flatMap(([name, { restart }]) =>
    restart === 'unless-stopped' || name === 'move-bus' ? [] : [name],
  );
  const awaited = Object.values(compose.services).flatMap(({ depends_on = {} }) =>
    Object.entries(depends_on).flatMap(([name, { condition }]) =>
      condition === 'service_completed_successfully' ? [name] : [],
    ),
  );

  expect(ending).toEqual(['preparation', 'kafka-preparation']);
  expect([...new Set(awaited)].toSorted()).toEqual(ending.toSorted());
});

test('the image is that of this version, and the documents build it', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT_DIR, 'package.json'), 'utf8')) as {
    readonly version: string;
  };

  expect(compose.services['tidings']?.image).toBe(`\${TIDINGS_IMAGE:-tidings:${version}}`);
  for (const file of ['README.md', 'docs/operations/install.md', 'deploy/compose.yaml'])
    expect(readFileSync(join(ROOT_DIR, file), 'utf8')).toContain(
      `docker build -f deploy/image/Dockerfile -t tidings:${version} .`,
    );
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

test('its Postgres keeps values of users out of its log, as that of npm start does', () => {
  expect(compose.services['postgres']?.command).toEqual(
    expect.arrayContaining(Object.entries(POSTGRES_LOG).map(([name, value]) => `${name}=${value}`)),
  );
});

describe('the encryption key', () => {
  const KEYS = '/keys';
  const file = `${KEYS}/encryption.key`;
  const ours = Object.entries(compose.services).filter(([, { environment = {} }]) =>
    Object.hasOwn(environment, 'DATABASE_URL'),
  );
  const makes = ([name]: readonly [string, unknown]): boolean => name.endsWith('preparation');

  test('has no default, and the same file gives it to every service of both profiles', () => {
    expect(ours.length).toBeGreaterThan(15);
    for (const [, { environment }] of ours)
      expect(environment).toMatchObject({
        ENCRYPTION_KEY: '${ENCRYPTION_KEY:-}',
        ENCRYPTION_KEY_FILE: file,
        ENCRYPTION_KEY_PREVIOUS: '${ENCRYPTION_KEY_PREVIOUS:-}',
      });
  });

  test('is made by the prepare step of each profile; others only read it', () => {
    expect(ours.filter(makes).map(([name]) => name)).toEqual(['preparation', 'kafka-preparation']);
    for (const [, { environment = {}, volumes }] of ours.filter(makes))
      expect([volumes, environment['NEW_ENCRYPTION_KEY_FILE']]).toEqual([[`keys:${KEYS}`], file]);
    for (const [, { volumes }] of ours.filter((service) => !makes(service)))
      expect(volumes).toContain(`keys:${KEYS}:ro`);
  });

  test('is there before a service starts', () => {
    for (const [name, { profiles = [], depends_on = {} }] of ours.filter(
      (service) => !makes(service) && service[0] !== 'move-bus',
    )) {
      const preparation = profiles.includes('kafka') ? 'kafka-preparation' : 'preparation';
      expect([name, depends_on[preparation]]).toEqual([
        name,
        { condition: 'service_completed_successfully' },
      ]);
    }
  });

  test('has a folder in the image that belongs to the user of its processes', () => {
    const dockerfile = readFileSync(join(ROOT_DIR, 'deploy/image/Dockerfile'), 'utf8');

    expect(dockerfile).toContain(`chown 65532:65532 /data ${KEYS}`);
  });
});
