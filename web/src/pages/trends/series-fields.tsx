import type { TrendSeries } from '@tidings/contracts/analytics/trends';
import type { EventFacts } from '../../analytics/use-event-facts.ts';
import { Clause } from '../../analytics/sentence.tsx';
import { NamedEventFields, useEventSlug } from '../../conditions/event-fields.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Select } from '../../ui/select.tsx';
import { measureValue, readMeasure, useMeasures } from './measures.ts';
import { toneOf } from './tones.ts';

/** A series as words: what is counted, of which event, with which attributes. */
export function SeriesFields({
  series,
  index,
  facts,
  onChange,
  onRemove,
}: {
  readonly series: TrendSeries;
  readonly index: number;
  readonly facts: EventFacts;
  readonly onChange: (series: TrendSeries) => void;
  /** Null: the only one stays. */
  readonly onRemove: (() => void) | null;
}) {
  const slug = useEventSlug(series.event);
  const isRevenue = facts.kinds.get(slug) === 'revenue';
  const measures = useMeasures(isRevenue || typeof series.measure === 'object');
  const pointer = `/series/${index}`;
  const number = index + 1;
  return (
    <Clause word={index === 0 ? undefined : 'and'}>
      <span className={`swatch fill-c${toneOf(index)}`} aria-hidden="true" />
      <Select
        label={`What is counted of series ${number}`}
        pointer={`${pointer}/measure`}
        value={measureValue(series.measure)}
        options={measures}
        onChange={(value) => onChange({ ...series, measure: readMeasure(value) })}
      />
      <span className="word">of</span>
      <NamedEventFields<TrendSeries>
        label={`Event of series ${number}`}
        node={series}
        pointer={pointer}
        onChange={(next) =>
          // Another event may have no revenue.
          onChange(
            next.event !== series.event && typeof next.measure === 'object'
              ? { ...next, measure: 'events' }
              : next,
          )
        }
      />
      {onRemove !== null && (
        <Button
          isSmall
          kind="plain"
          className="icon"
          aria-label={`Remove series ${number}`}
          onClick={onRemove}
        >
          <Icon name="close" />
        </Button>
      )}
    </Clause>
  );
}
