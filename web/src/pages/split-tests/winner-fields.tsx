import type { Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import type { WinnerMeasure } from '@tidings/contracts/push/push-winner';
import { Checkbox, PartError, TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { describeAfter, measuresOf, newWinner, type WinnerChoice } from './winner.ts';

const AFTER = ['30m', '1h', '2h', '4h', '8h', '1d', '2d', '3d', '7d'];
const MEASURES = { opened: 'More opens', clicked: 'More clicks' } as const;
const FEWER = { opened: 'opens', clicked: 'clicks' } as const;

/** Whether a split goes to a part of the recipients first, and what decides on the rest. */
export function WinnerFields({
  channel,
  winner,
  onChange,
}: {
  readonly channel: Channel;
  readonly winner: WinnerChoice | null;
  readonly onChange: (winner: WinnerChoice | null) => void;
}) {
  const measures = measuresOf(channel);
  const [first] = measures;
  if (first === undefined) return null;
  const change = (changes: Partial<WinnerChoice>) => onChange(winner && { ...winner, ...changes });
  const by = winner !== null && measures.includes(winner.by) ? winner.by : first;
  return (
    <>
      <Checkbox
        label="Send to a share first, then the better one"
        hint={
          winner === null
            ? 'The rest waits, and gets the template with more opens or clicks.'
            : `${winner.percent || '…'} % get the templates first. After ${describeAfter(winner.after)} the rest gets the one with more ${FEWER[by]}, if the difference is certain. If it is not, they wait until you choose.`
        }
        isChecked={winner !== null}
        onChange={(isChecked) => onChange(isChecked ? newWinner(channel) : null)}
      />
      <PartError pointer="/winner" />
      {winner !== null && (
        <div className="grid narrow">
          <TextField
            label="First, in % of recipients"
            type="number"
            min={LIMITS.winnerPercentMin}
            max={LIMITS.winnerPercentMax}
            step={1}
            pointer="/winner/percent"
            value={winner.percent}
            onChange={(percent) => change({ percent })}
          />
          <Select
            label="Better is"
            pointer="/winner/by"
            value={by}
            onChange={(next) => change({ by: next as WinnerMeasure })}
            options={measures.map((value) => ({ value, label: MEASURES[value] }))}
          />
          <Select
            label="Decide after"
            pointer="/winner/after"
            value={winner.after}
            onChange={(after) => change({ after })}
            options={[...new Set([...AFTER, winner.after])].map((value) => ({
              value,
              label: describeAfter(value),
            }))}
          />
        </div>
      )}
    </>
  );
}
