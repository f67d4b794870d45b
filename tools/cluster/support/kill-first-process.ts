import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster, type KubernetesObject, type Pod } from './cluster.ts';

const NAMESPACE = 'tidings-test-killer';
const NAME = 'killer';

/**
 * Kills PID 1 of a pod's container with SIGKILL, like the kernel's OOM killer. A pod cannot do that
 * to itself, so a privileged pod on its node does it.
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
  // A separate namespace, because the installation's does not admit privileged pods.
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

/** A pod that sees all processes of a node, and kills PID 1 of a container. */
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
