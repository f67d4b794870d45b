import { dirname, delimiter } from 'node:path';
import { clusterTool } from '../../helm/cluster-tool.ts';
import { CommandError, runCommand } from './command.ts';

/** The fields of a Kubernetes object that are used here. */
export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [key: string]: unknown;
};

export type Pod = KubernetesObject & {
  readonly spec: { readonly nodeName: string };
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: readonly {
      readonly containerID?: string;
      readonly restartCount: number;
      readonly ready: boolean;
    }[];
  };
};

/** The cluster of the current kubeconfig, with one namespace. */
export interface Cluster {
  readonly namespace: string;
  /** Output of kubectl. @throws CommandError */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  helm(args: readonly string[]): Promise<string>;
  /** Runs a shell line with this `kubectl` and `helm`. */
  shell(line: string): Promise<string>;
  list<T extends KubernetesObject>(kind: string, selector?: string): Promise<readonly T[]>;
  /** Creates or updates the objects. */
  apply(...objects: readonly KubernetesObject[]): Promise<void>;
  /** True if the cluster has this resource type, e.g. `scaledobjects.keda.sh`. */
  knows(resource: string): Promise<boolean>;
}

export function openCluster(namespace: string, signal: AbortSignal): Cluster {
  const [helm, kubectl] = [clusterTool('helm'), clusterTool('kubectl')];
  const env = {
    ...process.env,
    PATH: [dirname(helm), dirname(kubectl), process.env['PATH'] ?? ''].join(delimiter),
  };
  const ask = (args: readonly string[], input?: string): Promise<string> =>
    runCommand(kubectl, ['-n', namespace, ...args], {
      signal,
      env,
      ...(input !== undefined && { input }),
    });
  return {
    namespace,
    kubectl: ask,
    helm: (args) => runCommand(helm, ['-n', namespace, ...args], { signal, env }),
    shell: (line) => runCommand('sh', ['-c', line], { signal, env }),
    async list<T extends KubernetesObject>(kind: string, selector?: string) {
      const text = await ask([
        'get',
        kind,
        '-o',
        'json',
        ...(selector === undefined ? [] : ['-l', selector]),
      ]);
      return (JSON.parse(text) as { readonly items: readonly T[] }).items;
    },
    async apply(...objects) {
      await ask(
        ['apply', '-f', '-'],
        JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
      );
    },
    async knows(resource) {
      try {
        await ask(['get', 'crd', resource]);
        return true;
      } catch (error) {
        if (error instanceof CommandError && error.message.includes('NotFound')) return false;
        throw error;
      }
    },
  };
}
