import {
  SEGMENT_MOMENTS,
  type SegmentChange,
  type SegmentMoment,
} from '@tidings/contracts/automations/definition';
import { useBuilderFacts } from '../conditions/builder-context.ts';
import { toOptions } from '../ui/options.ts';
import { Select } from '../ui/select.tsx';

/** A segment, and whether people enter or leave it. */
export function SegmentMoveFields({
  pointer,
  move: { segment, when },
  onChange,
}: {
  readonly pointer: string;
  readonly move: SegmentChange;
  readonly onChange: (move: SegmentChange) => void;
}) {
  const { segments } = useBuilderFacts();
  return (
    <>
      <Select
        label="Enters or leaves"
        pointer={`${pointer}/when`}
        value={when}
        options={toOptions(SEGMENT_MOMENTS, undefined, (each) => each)}
        onChange={(next) => onChange({ segment, when: next as SegmentMoment })}
      />
      <Select
        label="Segment"
        pointer={`${pointer}/segment`}
        value={segment}
        options={[{ value: '', label: 'Choose a segment' }, ...segments]}
        onChange={(next) => onChange({ segment: next, when })}
      />
    </>
  );
}
