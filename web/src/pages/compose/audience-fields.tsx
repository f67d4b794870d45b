import { Link } from '@tanstack/react-router';
import { counted, formatCount } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Checkbox, Select, TextArea, type Option } from '../../ui/field.tsx';
import { useSegments } from '../segments/use-segments.ts';
import { readRecipients, type Draft } from './draft.ts';

type AudienceProps = {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
};

const SOURCES: readonly Option[] = [
  { value: 'users', label: 'A list of users' },
  { value: 'segment', label: 'A segment' },
];

/** Whom the message is for: user IDs, or a segment. */
export function AudienceFields({ draft, onChange }: AudienceProps) {
  return (
    <>
      <Select
        label="Send to"
        value={draft.to}
        onChange={(to) => onChange({ to: to as Draft['to'] })}
        options={SOURCES}
      />
      {draft.to === 'users' ? (
        <Recipients draft={draft} onChange={onChange} />
      ) : (
        <SegmentFields draft={draft} onChange={onChange} />
      )}
    </>
  );
}

function Recipients({ draft, onChange }: AudienceProps) {
  const count = readRecipients(draft.recipients).length;
  return (
    <TextArea
      label="Recipients"
      pointer="/recipients"
      value={draft.recipients}
      onChange={(recipients) => onChange({ recipients })}
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

function SegmentFields({ draft, onChange }: AudienceProps) {
  const data = useSegments();
  const options = (data?.items ?? []).map(({ slug, name }) => ({
    value: slug,
    label: isolate(name),
  }));
  // It may come from the URL, and be deleted or beyond the first page.
  const isOther = draft.segment !== '' && !options.some(({ value }) => value === draft.segment);
  if (data !== undefined && options.length === 0)
    return (
      <p className="soft">
        There are no segments yet. <Link to="/new-segment">Create one</Link>, then send to it.
      </p>
    );
  return (
    <>
      <div className="grid narrow">
        <Select
          label="Segment"
          pointer="/segment"
          value={draft.segment}
          onChange={(segment) => onChange({ segment })}
          options={[
            { value: '', label: 'Choose…' },
            ...(isOther ? [{ value: draft.segment, label: draft.segment }] : []),
            ...options,
          ]}
          hint="Its users are read when the campaign begins."
        />
        <Select
          label="Without"
          pointer="/exclude"
          value={draft.exclude}
          onChange={(exclude) => onChange({ exclude })}
          options={[{ value: '', label: 'Nobody left out' }, ...options]}
          hint="Users of this segment get no message."
        />
      </div>
      {data?.nextCursor != null && (
        <p className="soft small">
          Only the first {counted(options.length, 'segment is', 'segments are')} offered.
        </p>
      )}
      <Checkbox
        label="Check again before each message"
        hint="Users who have left the segment by then get none."
        isChecked={draft.recheck}
        onChange={(recheck) => onChange({ recheck })}
      />
    </>
  );
}
