import { describe, expect, test } from '@jest/globals';
import { render, type Manifest } from '@tidings/tools/helm';
import { securityFaults } from './support/policies.ts';
import { findFaults } from './support/schemas.ts';
import { listWorkloads } from './support/workloads.ts';
import {
  evaluationValues,
  productionSecrets,
  productionValues,
} from '@tidings/tools/cluster/installation';
import { callerObjects } from '@tidings/tools/cluster/load/start-caller';
import type { KubernetesObject } from '@tidings/tools/cluster/support/cluster';
import { killerPod } from '@tidings/tools/cluster/support/kill-first-process';

const NO_VALUES = '/dev/null';
const IMAGE = { repository: 'tidings', tag: 'test-1' };
const OUTSIDE = {
  host: '10.9.8.7',
  databaseUrl: 'postgresql://tidings:secret@10.9.8.7:21001/tidings',
  publicDatabaseUrl: 'postgresql://tidings_public:secret@10.9.8.7:21001/tidings',
  kafkaBrokers: '10.9.8.7:21002',
  redisUrl: 'redis://10.9.8.7:21003',
  storePorts: [21001, 21002, 21003],
};
const PLAN = {
  gatewayUrl: 'http://10.96.0.7',
  headers: {},
  prefix: 'drain',
  users: ['person-0'],
  batchesPerSecond: 1,
  pushesPerSecond: 1,
};
const asManifests = (objects: readonly KubernetesObject[]): readonly Manifest[] =>
  objects as unknown as readonly Manifest[];

describe.each([true, false])('the values of the production style, with KEDA: %s', (hasKeda) => {
  const manifests = render(NO_VALUES, { image: IMAGE, ...productionValues(OUTSIDE, { hasKeda }) });

  test('are accepted and render valid manifests', () => {
    expect(manifests.flatMap(findFaults)).toEqual([]);
  });

  test('scale every worker by its lag, or none', () => {
    const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject');

    expect(scaled).toHaveLength(hasKeda ? 7 : 0);
  });

  test('name existing Secrets and keys', () => {
    const made = new Set(
      productionSecrets(OUTSIDE).flatMap(({ metadata, stringData }) =>
        Object.keys(stringData as object).map((key) => `${metadata.name} ${key}`),
      ),
    );
    const read = listWorkloads(manifests).flatMap(({ pod }) =>
      pod.containers.flatMap(({ env = [] }) =>
        env.flatMap(({ valueFrom }) =>
          valueFrom?.secretKeyRef === undefined
            ? []
            : [`${valueFrom.secretKeyRef.name} ${valueFrom.secretKeyRef.key}`],
        ),
      ),
    );

    expect(new Set(read)).toEqual(made);
  });
});

test('the evaluation values use the given images', () => {
  const images = listWorkloads(
    render(NO_VALUES, { image: IMAGE, ...evaluationValues({ kafka: 'my/kafka:1' }) }),
  )
    .filter(({ manifest }) => manifest.kind === 'StatefulSet')
    .map(({ pod }) => pod.containers[0]?.image);

  expect(images).toEqual(
    expect.arrayContaining(['my/kafka:1', expect.stringContaining('postgres:18')]),
  );
});

test('the caller runs in a restricted pod, away from the disrupted node', () => {
  const objects = callerObjects({
    name: 'caller-drain',
    image: 'tidings:test-1',
    plan: PLAN,
    awayFrom: 'node1',
  });

  expect(asManifests(objects).flatMap(findFaults)).toEqual([]);
  expect(securityFaults(asManifests(objects))).toEqual([]);
  expect(JSON.stringify(objects)).toContain(
    '{"key":"kubernetes.io/hostname","operator":"NotIn","values":["node1"]}',
  );
});

test('the killer pod runs on the disrupted node and sees its processes', () => {
  const pod = killerPod({ nodeName: 'node1', image: 'tidings:test-1', container: 'abc' });

  expect(asManifests([pod]).flatMap(findFaults)).toEqual([]);
  expect(pod['spec']).toMatchObject({ nodeName: 'node1', hostPID: true });
});
