import type { Manifest } from '@tidings/tools/helm';

export type EnvVariable = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
};

type Probe = Readonly<Record<string, unknown>>;

export type Container = {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVariable[];
  readonly ports?: readonly {
    readonly name: string;
    readonly containerPort: number;
    readonly hostPort?: number;
  }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  readonly securityContext?: Readonly<Record<string, unknown>>;
};

export type PodSpec = {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
};

export type Workload = {
  readonly manifest: Manifest;
  readonly name: string;
  readonly component: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: PodSpec;
};

type Template = {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
};

/** All workloads with pods. */
export function listWorkloads(manifests: readonly Manifest[]): readonly Workload[] {
  return manifests.flatMap((manifest) => {
    const template = readTemplate(manifest);
    if (template === undefined) return [];
    const labels = template.metadata?.labels ?? {};
    return [
      {
        manifest,
        name: `${manifest.kind} ${manifest.metadata.name}`,
        component: labels['app.kubernetes.io/component'] ?? '',
        labels,
        pod: template.spec,
      },
    ];
  });
}

function readTemplate(manifest: Manifest): Template | undefined {
  switch (manifest.kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'Job':
      return (manifest['spec'] as { readonly template: Template }).template;
    case 'Pod':
      return { metadata: manifest.metadata, spec: manifest['spec'] as PodSpec };
    default:
      return undefined;
  }
}

/** True if an object with these labels is selected. */
export function isSelected(
  labels: Readonly<Record<string, string>>,
  matchLabels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}
