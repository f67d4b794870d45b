import { describeInstallation, evaluationValues, RELEASE } from '../installation.ts';
import type { Row } from '../row.ts';
import { helmTest } from './helm-test.ts';
import { leftovers } from './uninstall.ts';

export const evaluation: Row = {
  name: 'evaluation',
  claim:
    'evaluation mode: installs, passes helm test, keeps its passwords in an upgrade, and uninstalls with its data',
  async run(stage) {
    const { cluster, images, options } = stage;
    const installation = describeInstallation(cluster, {
      image: images.now,
      ...evaluationValues(options.stores),
    });
    const password = (): Promise<string> =>
      cluster.kubectl(['get', 'secret', RELEASE, '-o', 'jsonpath={.data.postgres-password}']);
    await installation.upgrade({});
    const tested = await helmTest.run(stage);
    const before = await password();
    await installation.upgrade({ logLevel: 'debug' });
    const isKept = before !== '' && before === (await password());
    await installation.uninstall();
    return {
      violations: [
        ...(tested.violations ?? []),
        ...(isKept ? [] : ['the password changed in the upgrade']),
        ...(await leftovers(cluster)),
      ],
    };
  },
};
