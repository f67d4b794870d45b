import { formatCount } from '../../lib/format.ts';
import { TextArea } from '../../ui/field.tsx';
import { readRecipients, type AudienceChoice } from './audience.ts';

/** People by their user ids. */
export function ListedPeople({
  draft: { recipients },
  onChange,
}: {
  readonly draft: Pick<AudienceChoice, 'recipients'>;
  readonly onChange: (changes: Pick<AudienceChoice, 'recipients'>) => void;
}) {
  const count = readRecipients(recipients).length;
  return (
    <TextArea
      label="Recipients"
      pointer="/recipients"
      value={recipients}
      onChange={(next) => onChange({ recipients: next })}
      hint={
        count === 0
          ? 'User IDs, one per line or separated by commas'
          : `${formatCount(count)} ${count === 1 ? 'user' : 'unique users'}`
      }
      placeholder={'ada\ngrace'}
      spellCheck={false}
    />
  );
}
