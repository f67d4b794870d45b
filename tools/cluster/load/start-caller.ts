import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from '../application.ts';
import { RELEASE } from '../installation.ts';
import { restrictedPod } from '../support/restricted-pod.ts';
import type { Cluster, KubernetesObject, Pod } from '../support/cluster.ts';
import { until } from '../support/until.ts';
import type { CallerPlan, CallerReport } from './report.ts';

const FOLDER = '/caller';
const FILE = 'caller.ts';
const ENDS_WITHIN_MS = 60_000;

export type CallerOptions = {
  readonly application: Application;
  readonly image: string;
  readonly prefix: string;
  readonly batchesPerSecond: number;
  readonly pushesPerSecond: number;
  /** A node to avoid. */
  readonly awayFrom?: string;
};

/** A pod that sends requests to the gateway at a steady rate until stopped. */
export interface Caller {
  readonly prefix: string;
  stop(): Promise<CallerReport>;
}

export async function startCaller(
  cluster: Cluster,
  { application, image, prefix, batchesPerSecond, pushesPerSecond, awayFrom }: CallerOptions,
): Promise<Caller> {
  const plan: CallerPlan = {
    gatewayUrl: await gatewayUrl(cluster),
    headers: application.headers,
    prefix,
    users: application.users,
    batchesPerSecond,
    pushesPerSecond,
  };
  const name = `caller-${prefix}`;
  await cluster.apply(
    ...callerObjects({ name, image, plan, ...(awayFrom !== undefined && { awayFrom }) }),
  );
  await cluster.kubectl(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s']);
  return { prefix, stop: () => stopCaller(cluster, name) };
}

/** The objects of a caller: its program, its plan (with an API key), and its pod. */
export function callerObjects({
  name,
  image,
  plan,
  awayFrom,
}: {
  readonly name: string;
  readonly image: string;
  readonly plan: CallerPlan;
  readonly awayFrom?: string;
}): readonly KubernetesObject[] {
  const metadata = { name };
  const spec = restrictedPod({
    name: 'caller',
    image,
    command: ['node', '--disable-warning=ExperimentalWarning', `${FOLDER}/${FILE}`],
    env: [{ name: 'CALLER_PLAN', valueFrom: { secretKeyRef: { name, key: 'plan' } } }],
    volumes: [{ name: 'caller', configMap: { name } }],
    volumeMounts: [{ name: 'caller', mountPath: FOLDER }],
    ...(awayFrom !== undefined && { awayFrom }),
  });
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { [FILE]: readFileSync(join(import.meta.dirname, FILE), 'utf8') },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { plan: JSON.stringify(plan) } },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec },
  ];
}

/** By IP address: DNS of the cluster is not under test. */
async function gatewayUrl(cluster: Cluster): Promise<string> {
  const address = await cluster.kubectl([
    'get',
    'service',
    `${RELEASE}-gateway`,
    '-o',
    'jsonpath={.spec.clusterIP}',
  ]);
  return `http://${address.includes(':') ? `[${address}]` : address}`;
}

async function stopCaller(cluster: Cluster, name: string): Promise<CallerReport> {
  await cluster.kubectl(['exec', name, '--', 'node', '-e', "process.kill(1, 'SIGTERM')"]);
  await until({ what: `${name} ends`, withinMs: ENDS_WITHIN_MS }, async () => {
    const [pod] = (await cluster.list<Pod>('pods')).filter(
      ({ metadata }) => metadata.name === name,
    );
    if (pod?.status.phase === 'Failed')
      throw new Error(`${name} failed: ${await cluster.kubectl(['logs', name])}`);
    return pod?.status.phase === 'Succeeded' ? true : undefined;
  });
  const report = JSON.parse(await cluster.kubectl(['logs', name])) as CallerReport;
  await cluster.kubectl(['delete', 'pod,configmap,secret', name]);
  return report;
}
