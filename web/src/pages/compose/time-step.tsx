import { listMissingTime, type Draft } from './draft.ts';
import { ScheduleFields } from './schedule-fields.tsx';
import type { SendTime } from './send-time.ts';
import { Step } from './step.tsx';

/** When it is sent. */
export function TimeStep({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<SendTime>) => void;
}) {
  return (
    <Step number={3} title="When" isDone={listMissingTime(draft).length === 0}>
      <ScheduleFields value={draft} onChange={onChange} />
    </Step>
  );
}
