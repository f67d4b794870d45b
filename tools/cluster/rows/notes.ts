import { RELEASE } from '../installation.ts';
import type { Row } from '../row.ts';

/** Note lines that users copy, identified by a word of each. */
const COPIED = ['rollout status', 'make-application.ts', 'setup-link.ts'] as const;
const EXPECTED: Readonly<Record<(typeof COPIED)[number], RegExp>> = {
  'rollout status': /successfully rolled out/,
  'make-application.ts': /"serverKey": "sk_/,
  'setup-link.ts': /^http:\/\/tidings\.invalid\/dashboard\/welcome#token=\S+$/m,
};

export const notes: Row = {
  name: 'notes',
  claim: 'the commands of the notes create an application and the setup link',
  async run({ cluster }) {
    const text = await cluster.helm(['get', 'notes', RELEASE]);
    const violations: string[] = [];
    for (const word of COPIED) {
      const line = text
        .split('\n')
        .find((candidate) => candidate.startsWith('  kubectl') && candidate.includes(word));
      const said = line === undefined ? 'no such line' : await cluster.shell(line);
      if (!EXPECTED[word].test(said)) violations.push(`${word}: ${said.trim().slice(0, 300)}`);
    }
    return { violations };
  },
};
