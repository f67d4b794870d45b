import type { KubernetesObject } from '../support/cluster.ts';
import type { Row } from '../row.ts';
import { underLoad } from './under-load.ts';

type Node = KubernetesObject & {
  readonly spec: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly effect: string }[];
  };
};

export const drain: Row = {
  name: 'drain',
  claim: 'draining a node loses no request and no message',
  async run(stage) {
    const { cluster, installation } = stage;
    const nodes = (await cluster.list<Node>('nodes')).filter(
      ({ spec }) =>
        spec.unschedulable !== true && !spec.taints?.some(({ effect }) => effect === 'NoSchedule'),
    );
    if (nodes.length < 2) return { leftOut: 'the cluster has one node for pods' };
    const pods = await installation.pods();
    const [node = ''] = nodes
      .map(({ metadata }) => metadata.name)
      .sort((a, b) => on(pods, b) - on(pods, a));
    try {
      return await underLoad(stage, { name: 'drain', awayFrom: node }, async () => {
        await cluster.kubectl([
          'drain',
          node,
          '--ignore-daemonsets',
          '--delete-emptydir-data',
          '--timeout=600s',
        ]);
        const left = on(await installation.pods(), node);
        return {
          notes: [`${on(pods, node)} pods moved`],
          violations: left === 0 ? [] : [`${left} pods are still there`],
        };
      });
    } finally {
      await cluster.kubectl(['uncordon', node]);
    }
  },
};

const on = (
  pods: readonly { readonly spec: { readonly nodeName: string } }[],
  node: string,
): number => pods.filter(({ spec }) => spec.nodeName === node).length;
