import { RELEASE } from '../installation.ts';
import type { Row } from '../row.ts';

export const helmTest: Row = {
  name: 'helm-test',
  claim: 'helm test sends a batch, reads it back, and sends a message',
  async run({ cluster }) {
    const said = await cluster.helm(['test', RELEASE, '--timeout', '5m']);
    return { violations: /Phase:\s+Succeeded/.test(said) ? [] : [said.trim()] };
  },
};
