import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';
import { unknownPlaceholders } from '@tidings/mail-body/placeholders';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import type { Draft } from './draft.ts';
import { buildMessage } from './message-values.ts';
import { withUnsubscribeLink } from './unsubscribe-link.ts';
import { lacksUnsubscribeLink, UnsubscribeWarning } from './unsubscribe-warning.tsx';
import { pointerName } from '../../labels/pointer-name.ts';

type WarningsProps = {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
};

/** Warnings about likely mistakes in a message that is written here. They do not block sending. */
export function DraftWarnings({ draft, onChange }: WarningsProps) {
  const { channel, purpose, fields, personalize } = draft;
  if (draft.content === 'template') return null;
  const message = buildMessage(draft);
  // Liquid fills them in.
  const pointers = personalize ? [] : unknownPlaceholders(channel, message);
  const isWithoutLink = lacksUnsubscribeLink({ channel, purpose, message });
  if (!isWithoutLink && pointers.length === 0) return null;
  const insert = (): void =>
    onChange({ fields: { ...fields, body: withUnsubscribeLink(message) } });
  const { summary } = EXPLANATIONS.warning.unknown_placeholder;
  return (
    <div className="stack tight" role="status">
      {isWithoutLink && <UnsubscribeWarning onInsert={insert} />}
      {pointers.length > 0 && (
        <Callout tone="warn">
          <p className="small">
            <strong>Unknown placeholder.</strong> {summary} Personalise this message to fill it in.
            Otherwise only <code>{'{{unsubscribeUrl}}'}</code> in the body of an e-mail is replaced.
          </p>
          <ul className="small">
            {pointers.map((pointer) => (
              <li key={pointer}>{pointerName(pointer)}</li>
            ))}
          </ul>
          <div className="row">
            <Button isSmall onClick={() => onChange({ personalize: true })}>
              Personalise it
            </Button>
          </div>
        </Callout>
      )}
    </div>
  );
}
