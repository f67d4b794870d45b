import { buildNextImage } from '../images.ts';
import { RELEASE } from '../installation.ts';
import type { Row, Stage } from '../row.ts';
import { readMigration } from '../support/schema.ts';
import { underLoad } from './under-load.ts';

export const upgrade: Row = {
  name: 'upgrade',
  claim: 'a rolling update to a version with a migration fails no request and sends nothing twice',
  async run(stage) {
    const { images, options, signal, installation, external } = stage;
    const next = await buildNextImage(images.next, { of: images.now, options, signal });
    return underLoad(stage, { name: 'upgrade' }, async () => {
      const before = await readMigration(external);
      await installation.upgrade({ image: images.next });
      const after = await readMigration(external);
      return {
        notes: [`schema ${before} to ${after}`],
        violations:
          before === next - 1 && after === next
            ? []
            : [`the schema went from ${before} to ${after}`],
      };
    });
  },
};

export const rollback: Row = {
  name: 'rollback',
  claim: 'a rollback to the previous version, on the newer schema: likewise',
  async run(stage) {
    const { installation, images, external } = stage;
    if ((await readImage(stage)) !== images.next.tag) return { leftOut: 'nothing was upgraded' };
    return underLoad(stage, { name: 'rollback' }, async () => {
      await installation.rollback();
      const tag = await readImage(stage);
      return {
        notes: [`schema ${await readMigration(external)}`],
        violations: tag === images.now.tag ? [] : [`the gateway runs ${tag}`],
      };
    });
  },
};

async function readImage({ cluster }: Stage): Promise<string> {
  return (
    (
      await cluster.kubectl([
        'get',
        `deployment/${RELEASE}-gateway`,
        '-o',
        'jsonpath={.spec.template.spec.containers[0].image}',
      ])
    )
      .split(':')
      .at(-1) ?? ''
  );
}
