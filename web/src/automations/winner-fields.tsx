import {
  hasGoal,
  SPLIT_MEASURES,
  type AutomationDefinition,
  type SplitMeasure,
  type SplitNode,
  type SplitWinner,
} from '@tidings/contracts/automations/definition';
import { LIMITS } from '@tidings/contracts/limits';
import { DurationFields } from '../conditions/duration-fields.tsx';
import { Checkbox, PartError, TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';

const MEASURES: Readonly<Record<SplitMeasure, string>> = {
  clicked: 'More clicks',
  goal: 'More goals',
};

/** Whether a split looks for its better branch, by what, and when. */
export function WinnerFields({
  node,
  definition,
  pointer,
  onChange,
}: {
  readonly node: SplitNode;
  readonly definition: AutomationDefinition;
  readonly pointer: string;
  readonly onChange: (node: SplitNode) => void;
}) {
  const { winner, ...plain } = node;
  const change = (changes: Partial<SplitWinner>): void => {
    if (winner !== undefined) onChange({ ...plain, winner: { ...winner, ...changes } });
  };
  return (
    <>
      <Checkbox
        label="Let the better way win"
        hint={
          winner === undefined
            ? 'The ways are compared once, and all who come later take the better one.'
            : 'Until then, and if no way is better with a certainty of 95 %, people go on dividing by share.'
        }
        isChecked={winner !== undefined}
        onChange={(isChecked) =>
          onChange(
            isChecked
              ? { ...plain, winner: { by: hasGoal(definition) ? 'goal' : 'clicked', after: '3d' } }
              : plain,
          )
        }
      />
      <PartError pointer={pointer} />
      {winner !== undefined && (
        <div className="grid narrow">
          <Select
            label="Better is"
            pointer={`${pointer}/by`}
            value={winner.by}
            options={SPLIT_MEASURES.map((value) => ({ value, label: MEASURES[value] }))}
            onChange={(by) => change({ by: by as SplitMeasure })}
          />
          <TextField
            label="People in each way, at least"
            type="number"
            min={LIMITS.splitWinnerMinimumMin}
            max={LIMITS.splitWinnerMinimumMax}
            step={1}
            pointer={`${pointer}/minimum`}
            value={String(winner.minimum ?? LIMITS.splitWinnerMinimum)}
            onChange={(next) => change({ minimum: Number(next) })}
          />
          <DurationFields
            label="After"
            pointer={`${pointer}/after`}
            duration={winner.after}
            onChange={(after) => change({ after })}
          />
        </div>
      )}
    </>
  );
}
