import type { RehearsedRun } from '@tidings/contracts/automations/rehearsals';
import type { PlainRun } from './plain.ts';

/** A run that was rehearsed, as the plain evaluator writes it down. */
export const toPlain = ({
  customUserId,
  trigger,
  key,
  status,
  lines,
}: RehearsedRun & { readonly customUserId: string }): PlainRun => ({
  customUserId,
  messageId: trigger.eventId ?? '',
  key,
  status,
  lines: lines
    .filter(({ outcome }) => outcome !== 'waiting')
    .map(({ at, node, outcome, reason, channel }) =>
      [at, node, outcome, reason, channel]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
    ),
  node: status === 'active' ? (lines.at(-1)?.node ?? null) : null,
});
