import { productionSecrets } from '../installation.ts';
import type { Row } from '../row.ts';

export const install: Row = {
  name: 'install',
  claim: 'production style, in a restricted namespace: everything becomes ready',
  isAlwaysRun: true,
  async run({ cluster, external, installation }) {
    await cluster.apply(...productionSecrets(external));
    await installation.upgrade({});
    const pods = await installation.pods();
    const restarted = pods.filter(({ status }) =>
      status.containerStatuses?.some(({ restartCount }) => restartCount > 0),
    );
    return {
      notes: [
        `${pods.length} pods on ${new Set(pods.map(({ spec }) => spec.nodeName)).size} nodes`,
      ],
      violations: restarted.map(({ metadata }) => `${metadata.name} has started more than once`),
    };
  },
};
