import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { QuestionError } from '../../ui/question-error.tsx';
import { TextArea } from '../../ui/field.tsx';
import { readRecipients, type AudienceChoice } from './audience.ts';
import type { ResolvedPeople } from './use-resolved.ts';

type Props = {
  readonly recipients: string;
  readonly people: ResolvedPeople;
  readonly onChange: (changes: Pick<AudienceChoice, 'recipients'>) => void;
};

/** People by their ids, e-mail addresses or phone numbers. */
export function ListedPeople({ recipients, people, onChange }: Props) {
  const texts = readRecipients(recipients);
  const { ids, unknown, several, isAsking, error, refetch } = people;
  /** `null`: leaves it out. */
  const replace = (text: string, by: string | null): void =>
    onChange({
      recipients: texts
        .flatMap((each) => (each !== text ? [each] : by === null ? [] : [by]))
        .join('\n'),
    });
  return (
    <>
      <TextArea
        label="Recipients"
        pointer="/recipients"
        value={recipients}
        onChange={(next) => onChange({ recipients: next })}
        hint={
          texts.length === 0
            ? 'User IDs, e-mail addresses or phone numbers, one per line or separated by commas'
            : isAsking
              ? 'Finding their users…'
              : `${formatCount(ids.length)} ${ids.length === 1 ? 'person' : 'people'}`
        }
        placeholder={'ada\ngrace@example.com\n+49 151 12345678'}
        spellCheck={false}
      />
      <div className="stack tight" role="status">
        {error !== null && <QuestionError error={error} onRetry={refetch} />}
        {several.map(([text, users]) => (
          <Callout key={text} tone="warn">
            <p className="small">
              <bdi className="strong">{text}</bdi> belongs to several people. Whom do you mean?
            </p>
            <div className="row">
              {users.map((user) => (
                <Button key={user} isSmall onClick={() => replace(text, user)}>
                  <bdi>{user}</bdi>
                </Button>
              ))}
              <Button isSmall kind="plain" onClick={() => replace(text, null)}>
                None of them
              </Button>
            </div>
          </Callout>
        ))}
        {unknown.length > 0 && (
          <Callout tone="warn">
            <p className="small">
              No one has {unknown.length === 1 ? 'this address' : 'these addresses'}, so they get
              nothing: <bdi>{unknown.slice(0, SHOWN_MAX).join(', ')}</bdi>
              {unknown.length > SHOWN_MAX && ` and ${formatCount(unknown.length - SHOWN_MAX)} more`}
            </p>
          </Callout>
        )}
      </div>
    </>
  );
}

const SHOWN_MAX = 10;
