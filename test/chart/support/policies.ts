import type { Manifest } from '@tidings/tools/helm';
import { isSelected, listWorkloads, type Container, type Workload } from './workloads.ts';

/** A policy returns its violations by a rendered chart, as sentences. */
type Policy = (manifests: readonly Manifest[]) => readonly string[];

const HOST_NAME_MAX = 63;
const VOLUMES_ALLOWED = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
/** Time between the process's own deadline and the kill. */
const SPARE_SECONDS = 5;

const listContainers = ({ pod }: Workload): readonly Container[] => [
  ...(pod.initContainers ?? []),
  ...pod.containers,
];
const faultsOfEach =
  (check: (workload: Workload) => readonly string[]): Policy =>
  (manifests) =>
    listWorkloads(manifests).flatMap((workload) =>
      check(workload).map((fault) => `${workload.name}: ${fault}`),
    );
const faultsOfContainers = (
  check: (container: Container, workload: Workload) => readonly (string | false)[],
): Policy =>
  faultsOfEach((workload) =>
    listContainers(workload).flatMap((container) =>
      check(container, workload).flatMap((fault) =>
        fault === false ? [] : [`${container.name}: ${fault}`],
      ),
    ),
  );

const podSecurityFaults = faultsOfEach(({ pod }) => {
  const { securityContext = {} } = pod;
  const faults = [
    securityContext['runAsNonRoot'] !== true && 'may run as root',
    !(Number(securityContext['runAsUser']) > 0) && 'has no user',
    !(Number(securityContext['runAsGroup']) > 0) && 'has no group, so it is root’s',
    (securityContext['seccompProfile'] as { type?: string } | undefined)?.type !==
      'RuntimeDefault' && 'has no seccomp profile',
    (pod.hostNetwork === true || pod.hostPID === true || pod.hostIPC === true) &&
      'shares a namespace of its node',
    pod.automountServiceAccountToken !== false && 'gets a token',
    pod.enableServiceLinks !== false && 'gets variables of Services',
    ...(pod.volumes ?? []).map(
      (volume) =>
        !VOLUMES_ALLOWED.some((kind) => kind in volume) &&
        `has the volume ${JSON.stringify(volume)}`,
    ),
  ];
  return faults.filter((fault) => fault !== false);
});

const containerSecurityFaults = faultsOfContainers(({ securityContext = {}, ports = [] }) => [
  securityContext['allowPrivilegeEscalation'] !== false && 'may gain privileges',
  securityContext['privileged'] === true && 'is privileged',
  securityContext['readOnlyRootFilesystem'] !== true && 'may write to its image',
  securityContext['runAsNonRoot'] !== true && 'may run as root',
  JSON.stringify(securityContext['capabilities']) !== '{"drop":["ALL"]}' && 'keeps capabilities',
  ports.some(({ hostPort }) => hostPort !== undefined) && 'takes a port of its node',
]);

export const securityFaults: Policy = (manifests) => [
  ...podSecurityFaults(manifests),
  ...containerSecurityFaults(manifests),
];

export const probeFaults: Policy = (manifests) => {
  const lasting = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  return faultsOfContainers((container, { manifest }) => [
    container.startupProbe === undefined && 'has no startupProbe',
    container.livenessProbe === undefined && 'has no livenessProbe',
    container.readinessProbe === undefined && 'has no readinessProbe',
    manifest.kind === 'Deployment' &&
      !(container.ports ?? []).some(
        ({ name, containerPort }) => name === 'metrics' && containerPort === 9464,
      ) &&
      'has no port of metrics',
    ...[container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      (probe) =>
        manifest.kind === 'Deployment' &&
        (probe?.['httpGet'] as { port?: string } | undefined)?.port !== 'metrics' &&
        'is probed at another port',
    ),
  ])(lasting).concat(publicMetricsFaults(manifests));
};

/** Health checks and metrics must not be on a public Service. */
function publicMetricsFaults(manifests: readonly Manifest[]): readonly string[] {
  const isOpen = ({
    ports,
    clusterIP,
  }: {
    readonly ports: readonly { readonly targetPort: unknown }[];
    readonly clusterIP?: string;
  }): boolean =>
    clusterIP !== 'None' &&
    ports.some(({ targetPort }) => targetPort === 'metrics' || targetPort === 9464);
  return manifests
    .filter(({ kind, spec }) => kind === 'Service' && isOpen(spec as never))
    .map(({ metadata }) => `Service ${metadata.name}: leads to metrics`);
}

export const resourceFaults = faultsOfContainers(({ resources }) => [
  resources?.requests?.['cpu'] === undefined && 'asks for no CPU',
  resources?.requests?.['memory'] === undefined && 'asks for no memory',
  resources?.limits?.['memory'] === undefined && 'may take any memory',
  resources?.limits?.['cpu'] !== undefined && 'is throttled',
]);

export const graceFaults: Policy = (manifests) =>
  faultsOfContainers((container, { pod }) => {
    const deadlineMs = Number(
      container.env?.find(({ name }) => name === 'DRAIN_DEADLINE_MS')?.value,
    );
    const needed =
      (container.lifecycle?.preStop?.sleep?.seconds ?? 0) + deadlineMs / 1_000 + SPARE_SECONDS;
    const isHttp = (container.ports ?? []).some(({ name }) => name === 'http');
    return [
      !(Number(pod.terminationGracePeriodSeconds) >= needed) &&
        `is killed after ${pod.terminationGracePeriodSeconds} s, before ${needed} s`,
      isHttp &&
        container.lifecycle?.preStop?.sleep === undefined &&
        'goes before balancers have forgotten it',
    ];
  })(manifests.filter(({ kind }) => kind === 'Deployment'));

export const imageFaults = faultsOfContainers(({ image }) => [
  !/^[^\s@]+(:[^\s:@/]+|@sha256:[0-9a-f]{64})$/.test(image) &&
    `has the image ${image} of no version`,
  /:latest$|bitnami/.test(image) && `has the image ${image}`,
]);

export const nameFaults: Policy = (manifests) => [
  ...repeated(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)),
  ...manifests
    .filter(({ metadata }) => metadata.name.length > HOST_NAME_MAX)
    .map(({ metadata }) => `${metadata.name} is too long`),
  ...faultsOfContainers(({ env = [], ports = [] }) => [
    ...repeated(env.map(({ name }) => name)),
    ...repeated(ports.map(({ name }) => name)),
    ...repeated(ports.map(({ containerPort }) => String(containerPort))),
  ])(manifests),
  ...manifests
    .filter(({ kind }) => kind === 'Service')
    .flatMap(({ spec }) =>
      repeated((spec as { ports: readonly { name: string }[] }).ports.map(({ name }) => name)),
    ),
];

const repeated = (names: readonly string[]): readonly string[] =>
  names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name} is there twice`);

/**
 * Deployments and StatefulSets must select exactly their own pods; a Service or budget those of one
 * workload.
 */
export const selectorFaults: Policy = (manifests) => {
  const workloads = listWorkloads(manifests);
  const readSelector = (manifest: Manifest): Readonly<Record<string, string>> | undefined => {
    const spec = manifest['spec'] as {
      readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    };
    if (manifest.kind === 'Service') return spec.selector as Readonly<Record<string, string>>;
    return ['Deployment', 'StatefulSet', 'PodDisruptionBudget'].includes(manifest.kind)
      ? spec.selector?.matchLabels
      : undefined;
  };
  return manifests.flatMap((manifest) => {
    const selector = readSelector(manifest);
    // The metrics Service selects all of them.
    if (
      selector === undefined ||
      (manifest.kind === 'Service' && manifest.metadata.name.endsWith('-metrics'))
    )
      return [];
    const found = workloads.filter(({ labels }) => isSelected(labels, selector));
    const isRight =
      found.length === 1 && found[0]?.manifest.metadata.name === manifest.metadata.name;
    return isRight
      ? []
      : [
          `${manifest.kind} ${manifest.metadata.name} selects ${found.map(({ name }) => name).join(', ') || 'nothing'}`,
        ];
  });
};

/** A budget for a single pod would block every eviction. */
export const disruptionFaults: Policy = (manifests) => {
  const floors = new Map(
    manifests.flatMap(({ kind, metadata, spec }) => {
      const { replicas, minReplicas, minReplicaCount } = (spec ?? {}) as {
        readonly replicas?: number;
        readonly minReplicas?: number;
        readonly minReplicaCount?: number;
      };
      const floor =
        kind === 'Deployment'
          ? replicas
          : kind === 'HorizontalPodAutoscaler'
            ? minReplicas
            : kind === 'ScaledObject'
              ? minReplicaCount
              : undefined;
      return floor === undefined ? [] : [[metadata.name, floor] as const];
    }),
  );
  const budgets = new Set(
    manifests
      .filter(({ kind }) => kind === 'PodDisruptionBudget')
      .map(({ metadata }) => metadata.name),
  );
  return [...floors]
    .filter(([name, floor]) => budgets.has(name) !== floor > 1)
    .map(
      ([name, floor]) => `${name} has ${floor} pods and ${budgets.has(name) ? 'a' : 'no'} budget`,
    );
};
