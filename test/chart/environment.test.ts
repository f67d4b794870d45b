import { describe, expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { listSecretSettings } from '@tidings/contracts/channels/settings/setting';
import { workerName } from '@tidings/contracts/topics';
import { installConfig, moveConfig } from '@tidings/install';
import { processConfig, type ConfigField } from '@tidings/platform';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readFields } from '../generated/configuration-table.ts';
import { readOneProcessFields } from '../generated/one-process-table.ts';
import { readCases, render, ROOT_DIR, type Manifest, type Values } from '@tidings/tools/helm';
import { listWorkloads, type Container, type Workload } from './support/workloads.ts';

/** Read by node, or by pg if the URL is empty; not declared by services. */
const OTHERS = [
  'NODE_EXTRA_CA_CERTS',
  'PGHOST',
  'PGPORT',
  'PGUSER',
  'PGPASSWORD',
  'PGDATABASE',
  'PGSSLMODE',
];
const IS_SECRET_OF_OTHERS = new Set(['PGPASSWORD']);

const cases = [...readCases()].map(([name, file]) => [name, render(file)] as const);
const ours = (manifests: readonly Manifest[]): readonly Workload[] =>
  listWorkloads(manifests).filter(
    ({ manifest }) => manifest.kind === 'Deployment' || manifest.kind === 'Job',
  );
const onlyContainer = ({ pod }: Workload): Container => {
  const [container] = pod.containers;
  if (container === undefined) throw new Error('a pod without a container');
  return container;
};
const entryPointOf = (workload: Workload): string => onlyContainer(workload).command?.at(-1) ?? '';

/** The configuration fields that a workload's entry point declares. */
async function declaredBy(workload: Workload): Promise<readonly ConfigField[]> {
  switch (workload.component) {
    case 'preparation':
      return [processConfig.logLevel, ...Object.values(installConfig)];
    case 'move-bus':
      return [processConfig.logLevel, ...Object.values(moveConfig)];
    case 'all':
      return readOneProcessFields();
    default:
      return readFields(workload.component);
  }
}

/** The variables of a setting. */
function namesOf({ env, fallbackEnv = env }: ConfigField): readonly string[] {
  return [env, fallbackEnv];
}

describe.each(cases)('the environment with the values of %s', (_name, manifests) => {
  test('every command names an existing entry point', () => {
    const files = listWorkloads(manifests)
      .filter(({ manifest }) => manifest.kind !== 'StatefulSet')
      .map(entryPointOf);

    expect(files).toContain('deploy/install/src/try-installation.ts');
    expect(files.filter((file) => file.startsWith('services/'))).not.toEqual([]);
    expect(files.filter((file) => !existsSync(join(ROOT_DIR, file)))).toEqual([]);
  });

  test('every variable is declared by its process, and all required ones are set', async () => {
    for (const workload of ours(manifests)) {
      const declared = await declaredBy(workload);
      const set = (onlyContainer(workload).env ?? []).map(({ name }) => name);

      expect({
        workload: workload.name,
        undeclared: set.filter(
          (name) =>
            !OTHERS.includes(name) && !declared.some((field) => namesOf(field).includes(name)),
        ),
      }).toEqual({ workload: workload.name, undeclared: [] });
      expect({
        workload: workload.name,
        missing: declared
          .filter(
            (field) =>
              field.default === undefined && !namesOf(field).some((name) => set.includes(name)),
          )
          .map(({ env }) => env),
      }).toEqual({ workload: workload.name, missing: [] });
    }
  });

  test('every value has the type that its process declares', async () => {
    for (const workload of ours(manifests)) {
      const declared = new Map(
        (await declaredBy(workload)).map((field) => [field.env, field.schema['type']]),
      );
      const wrong = (onlyContainer(workload).env ?? []).filter(
        ({ name, value }) =>
          value !== undefined && declared.get(name) === 'integer' && !/^\d+$/.test(value),
      );

      expect({ workload: workload.name, wrong }).toEqual({ workload: workload.name, wrong: [] });
    }
  });

  test('secrets come from Secrets', async () => {
    for (const workload of ours(manifests)) {
      const secrets = (await declaredBy(workload))
        .filter(({ secret }) => secret === true)
        .map(({ env }) => env);
      const open = (onlyContainer(workload).env ?? []).filter(
        ({ name, value }) =>
          value !== undefined &&
          value !== 'postgres://' &&
          (secrets.includes(name) || IS_SECRET_OF_OTHERS.has(name)),
      );

      expect({ workload: workload.name, open }).toEqual({ workload: workload.name, open: [] });
    }
  });
});

test('a pod gets only the secrets that it uses', () => {
  const keyHolders = ours(render(String(readCases().get('production')))).filter((workload) =>
    onlyContainer(workload).env?.some(({ name }) => name === 'ENCRYPTION_KEY'),
  );

  const channelsWithSecrets = CHANNELS.filter((channel) =>
    Object.values(CHANNEL_DESCRIPTORS[channel].providers).some(
      (form) => listSecretSettings(form).length > 0,
    ),
  );

  expect(keyHolders.map(({ component }) => component).sort()).toEqual([
    'api',
    'client-api',
    'scheduler',
    'webhooks',
    ...channelsWithSecrets.map(workerName).toSorted(),
  ]);
});

describe('a separate database role for internet-facing services', () => {
  const PUBLIC = ['client-api', 'gateway'];
  const ofOwner = /^(?:DATABASE_URL|PG.*)$/;
  const waysOf = (file: string): Readonly<Record<string, readonly string[]>> =>
    Object.fromEntries(
      ours(render(file)).map((workload) => [
        workload.component,
        (onlyContainer(workload).env ?? [])
          .map(({ name }) => name)
          .filter((name) => name === 'PUBLIC_DATABASE_URL' || ofOwner.test(name)),
      ]),
    );

  test('is used only by gateway and client-api', () => {
    const ways = waysOf(String(readCases().get('production')));

    for (const [component, names] of Object.entries(ways))
      expect({ component, names }).toEqual({
        component,
        names: [PUBLIC.includes(component) ? 'PUBLIC_DATABASE_URL' : 'DATABASE_URL'],
      });
    expect(Object.keys(ways)).toEqual(expect.arrayContaining([...PUBLIC, 'preparation', 'api']));
  });

  test('is optional: without it they use the common account', () => {
    expect(waysOf(String(readCases().get('one-channel')))).toMatchObject({
      gateway: ['DATABASE_URL'],
      'client-api': ['DATABASE_URL'],
    });
  });

  test('that is added later gets its rights: the prepare Job runs again', () => {
    const jobsWith = (name: string): readonly string[] =>
      ours(
        render(String(readCases().get('production')), {
          database: { publicExistingSecret: { name } },
        }),
      )
        .filter(({ manifest }) => manifest.kind === 'Job')
        .map((job) => job.name);

    expect(new Set([...jobsWith(''), ...jobsWith('tidings-public')]).size).toBe(2);
  });
});

test('a credential in the values is only in a Secret', () => {
  const manifests = render(String(readCases().get('one-channel')));
  const holders = manifests.filter((manifest) => JSON.stringify(manifest).includes('secret-of-'));

  expect(holders.map(({ kind }) => kind)).toEqual(['Secret']);
});

test('a credential in the values leaves no trace on pods, not even a hash', () => {
  const workloadsWith = (over: Values): unknown =>
    ours(render(String(readCases().get('one-channel')), over)).map(({ manifest }) => manifest);

  expect(
    workloadsWith({ database: { url: 'postgres://tidings:another@postgres:5432/tidings' } }),
  ).toEqual(workloadsWith({}));
});

test('numbers are written without exponents', () => {
  const gateway = ours(render(String(readCases().get('production')))).find(
    ({ component }) => component === 'gateway',
  );

  expect(gateway && onlyContainer(gateway).env).toEqual(
    expect.arrayContaining([{ name: 'PENDING_BYTES_MAX', value: '67108864' }]),
  );
});
