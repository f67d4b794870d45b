import {
  CHANNEL_DESCRIPTORS,
  hasUnsubscribeLink,
  unknownPlaceholders,
  EXPLANATIONS,
  type PushMessage,
} from '@tidings/contracts';
import { toText } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import type { Draft } from './draft.ts';
import { withUnsubscribeLink } from './unsubscribe-link.ts';

type WarningsProps = {
  readonly draft: Draft;
  readonly message: PushMessage;
  readonly onChange: (changes: Partial<Draft>) => void;
};

/** Warnings about likely mistakes. They do not block sending. */
export function DraftWarnings({ draft, message, onChange }: WarningsProps) {
  const body = toText(message.body);
  const isWithoutLink =
    CHANNEL_DESCRIPTORS[draft.channel].preview === 'mail' &&
    draft.purpose === 'marketing' &&
    body !== '' &&
    !hasUnsubscribeLink(body);
  const pointers = unknownPlaceholders(draft.channel, message);
  if (!isWithoutLink && pointers.length === 0) return null;
  const { summary, remedy } = EXPLANATIONS.warning.unknown_placeholder;
  const insert = (): void =>
    onChange({ fields: { ...draft.fields, body: withUnsubscribeLink(body) } });
  return (
    <div className="stack tight" role="status">
      {isWithoutLink && (
        <Callout tone="warn">
          <p className="small">
            <strong>No unsubscribe link.</strong> This marketing e-mail has no visible unsubscribe
            link. Only some mail apps offer one, through the List-Unsubscribe header.
          </p>
          <div>
            <Button isSmall onClick={insert}>
              Insert unsubscribe link
            </Button>
          </div>
        </Callout>
      )}
      {pointers.length > 0 && (
        <Callout tone="warn">
          <p className="small">
            <strong>Unknown placeholder.</strong> {summary} {remedy}
          </p>
          <ul className="small">
            {pointers.map((pointer) => (
              <li key={pointer}>
                <code>{pointer}</code>
              </li>
            ))}
          </ul>
        </Callout>
      )}
    </div>
  );
}
