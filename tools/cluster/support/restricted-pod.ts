/** A pod of the product's image that meets the restricted standard. */
export function restrictedPod({
  name,
  image,
  command,
  env,
  volumes,
  volumeMounts,
  awayFrom,
}: {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly object[];
  readonly volumes: readonly object[];
  readonly volumeMounts: readonly object[];
  /** A node to avoid. */
  readonly awayFrom?: string;
}): object {
  const elsewhere = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'kubernetes.io/hostname', operator: 'NotIn', values: [awayFrom] },
          ],
        },
      ],
    },
  };
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 30,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(awayFrom !== undefined && { affinity: { nodeAffinity: elsewhere } }),
    containers: [
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        command,
        env,
        resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts,
      },
    ],
    volumes,
  };
}
