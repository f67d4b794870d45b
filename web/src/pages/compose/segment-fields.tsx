import { Link } from '@tanstack/react-router';
import { counted } from '../../lib/format.ts';
import { Checkbox } from '../../ui/field.tsx';
import { toNamedOptions, type Option } from '../../ui/options.ts';
import { Select } from '../../ui/select.tsx';
import { useSegments } from '../segments/use-segments.ts';
import type { AudienceChoice } from './audience.ts';

type Props = {
  readonly choice: AudienceChoice;
  readonly onChange: (changes: Partial<AudienceChoice>) => void;
};

/** The saved segment that gets the message. */
export function SegmentFields({ choice: { segment }, onChange }: Props) {
  const { options, hasMore } = useSegmentOptions();
  // One from the URL may be deleted or beyond the first page.
  if (options?.length === 0 && segment === '')
    return (
      <p className="soft">
        There are no segments yet. <Link to="/new-segment">Create one</Link>, or write conditions
        here.
      </p>
    );
  return (
    <>
      <div className="grid narrow">
        <Select
          label="Segment"
          pointer="/segment"
          value={segment}
          onChange={(next) => onChange({ segment: next })}
          options={[{ value: '', label: 'Choose…' }, ...(options ?? [])]}
          hint="Its users are read when the campaign begins."
        />
      </div>
      {hasMore && (
        <p className="soft small">
          Only the first {counted(options?.length ?? 0, 'segment is', 'segments are')} offered.
        </p>
      )}
    </>
  );
}

/** Who of the audience gets none. */
export function LeftOut({ choice: { exclude, recheck, to }, onChange }: Props) {
  const { options } = useSegmentOptions();
  return (
    <div className="grid narrow">
      {(options?.length ?? 0) > 0 && (
        <Select
          label="Exclude"
          pointer="/exclude"
          value={exclude}
          onChange={(next) => onChange({ exclude: next })}
          options={[{ value: '', label: 'No one' }, ...(options ?? [])]}
        />
      )}
      {to !== 'everyone' && (
        <Checkbox
          label="Skip people who left meanwhile"
          hint="Each is asked again before their message."
          isChecked={recheck}
          onChange={(next) => onChange({ recheck: next })}
        />
      )}
    </div>
  );
}

function useSegmentOptions(): {
  readonly options: readonly Option[] | undefined;
  readonly hasMore: boolean;
} {
  const data = useSegments();
  return {
    options: data && toNamedOptions(data.items),
    hasMore: data?.nextCursor != null,
  };
}
