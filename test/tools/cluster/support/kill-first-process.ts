import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster, type KubernetesObject, type Pod } from './cluster.ts';

const NAMESPACE = 'tidings-test-killer';
const NAME = 'killer';

/**
 * SIGKILL to the first process of a pod's container, as the kernel sends it when memory is short. No pod can do that to
 * itself, so one that sees its node's processes does it.
 */
export async function killFirstProcess({
  pod,
  image,
  signal,
}: {
  readonly pod: Pod;
  readonly image: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const container = pod.status.containerStatuses?.[0]?.containerID?.split('//')[1];
  if (container === undefined) throw new Error(`${pod.metadata.name} has no container`);
  // A namespace of its own: that of the installation lets no such pod in.
  const cluster = openCluster(NAMESPACE, signal);
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
  });
  try {
    await cluster.apply(killerPod({ nodeName: pod.spec.nodeName, image, container }));
    await cluster.kubectl([
      'wait',
      '--for=jsonpath={.status.phase}=Succeeded',
      `pod/${NAME}`,
      '--timeout=60s',
    ]);
  } finally {
    await cluster.kubectl(['delete', 'namespace', NAMESPACE]);
  }
}

/** Sees all processes of a node, and ends the first one of a container. */
export function killerPod({
  nodeName,
  image,
  container,
}: {
  readonly nodeName: string;
  readonly image: string;
  readonly container: string;
}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME },
    spec: {
      nodeName,
      hostPID: true,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      containers: [
        {
          name: NAME,
          image,
          imagePullPolicy: 'IfNotPresent',
          command: [
            'node',
            '-e',
            readFileSync(join(import.meta.dirname, 'kill-by-container.cjs'), 'utf8'),
            container,
          ],
          securityContext: { runAsUser: 0, runAsGroup: 0, privileged: true },
        },
      ],
    },
  };
}
