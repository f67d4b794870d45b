import type { ReactNode } from 'react';
import type { TrendSeries } from '@tidings/contracts/analytics/trends';
import type { TrendQuestion, TrendResult } from '../../api/analytics.ts';
import { readFieldErrors } from '../../api/problem.ts';
import { AnswerPart, AsOf } from '../../analytics/answer-state.tsx';
import { EventsPage } from '../../analytics/events-page.tsx';
import type { Period, Range } from '../../ui/calendar-range.ts';
import { useRange } from '../../analytics/range-fields.tsx';
import { ScopeClauses, useZone } from '../../analytics/scope-fields.tsx';
import { Clause, Sentence } from '../../analytics/sentence.tsx';
import { useAddressed } from '../../analytics/use-addressed.ts';
import { useAnswered } from '../../analytics/use-answered.ts';
import { beforeName, useBefore } from '../../analytics/use-before.ts';
import type { EventFacts } from '../../analytics/use-event-facts.ts';
import { useSame } from '../../analytics/use-same.ts';
import { isComplete } from '../../conditions/new-condition.ts';
import { Button } from '../../ui/button.tsx';
import { FieldErrors } from '../../ui/field.tsx';
import { useFilters } from '../../ui/filters.ts';
import { toOptions } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Empty } from '../../ui/states.tsx';
import { Views } from '../../ui/views.tsx';
import { ChartNotes } from '../events/chart-notes.tsx';
import { countingBefore } from '../events/span.ts';
import { BreakdownPart } from './breakdown-part.tsx';
import { SeriesFields } from './series-fields.tsx';
import { TrendChart } from './trend-chart.tsx';
import { TrendPeople } from './trend-people.tsx';
import { PointTable, TrendTable } from './trend-table.tsx';
import {
  readBreakdown,
  readPlace,
  readSeries,
  readStep,
  SERIES_MAX,
  STEPS,
  type TrendPlace,
} from './trend-question.ts';

const TITLE = 'Trends';
const NAMES = [
  'series',
  'step',
  'range',
  'from',
  'to',
  'zone',
  'segment',
  'by',
  'beside',
  'show',
  'people',
] as const;

/** How often events happen, and how many people do them, over time. */
export function TrendsPage() {
  return (
    <EventsPage
      title={TITLE}
      ofPeople={false}
      about="See how often each event happens, how many people do it, and what it brings in."
    >
      {(facts) => <Trends facts={facts} first={facts.frequent ?? ''} />}
    </EventsPage>
  );
}

function Trends({ facts, first }: { readonly facts: EventFacts; readonly first: string }) {
  const filters = useFilters(NAMES);
  const period = readStep(filters.get('step'));
  const zone = useZone(filters);
  const { timeZone } = zone;
  const { range, last } = useRange(filters, { period, timeZone });
  const [series, setSeries] = useAddressed<readonly TrendSeries[]>(filters.get('series'), {
    read: (text) => readSeries(text, first),
    write: (text) => filters.change({ series: text, people: '' }),
    isComplete,
  });
  const question = useSame(toQuestion({ filters, first, period, timeZone, range }));
  const asked = useAnswered<TrendQuestion, TrendResult>('trends/result', question);
  const { answered, error, isStale } = asked;
  const before = useBefore<TrendQuestion, TrendResult>(
    'trends/result',
    answered?.question ?? null,
    { last, timeZone, isAsked: filters.get('beside') !== 'nothing' && !isStale },
  );
  const place = readPlace(filters.get('people'));
  const open = (next: TrendPlace): void => filters.set('people', JSON.stringify(next));
  const shown =
    answered === null
      ? null
      : {
          question: answered.question,
          result: answered.answer,
          before,
          beforeName: beforeName(last),
          names: facts.names,
          onOpen: open,
        };
  return (
    <Page
      title={TITLE}
      actions={
        <>
          <AsOf answer={answered?.answer} />
          <Views
            label="Shown as"
            value={filters.get('show')}
            views={[
              { value: '', label: 'Chart' },
              { value: 'table', label: 'Table' },
            ]}
            onChange={(value) => filters.set('show', value)}
          />
        </>
      }
      sentence={
        <FieldErrors value={readFieldErrors(error)}>
          <Sentence label="Question">
            {series.map((each, index) => (
              <SeriesFields
                // Series have no identity of their own; all their fields are controlled.
                // oxlint-disable-next-line react/no-array-index-key
                key={index}
                series={each}
                index={index}
                facts={facts}
                onChange={(next) => setSeries(series.with(index, next))}
                onRemove={series.length === 1 ? null : () => setSeries(series.toSpliced(index, 1))}
              />
            ))}
            {series.length < SERIES_MAX && (
              <Button
                isSmall
                className="condition-add"
                onClick={() => setSeries([...series, { event: '', measure: 'events' }])}
              >
                + Series
              </Button>
            )}
            <Clause word="per">
              <Select
                label="Per"
                value={period}
                options={toOptions(STEPS, undefined, (step) => step)}
                onChange={(step) => filters.change({ step, people: '' })}
              />
            </Clause>
            <ScopeClauses word="·" {...{ filters, zone, range }} period={period} />
            <Clause word="· by">
              <BreakdownPart
                breakdown={readBreakdown(filters.get('by'))}
                event={typeof series[0]?.event === 'string' ? series[0].event : ''}
                onChange={(by) => filters.change({ by, people: '' })}
              />
            </Clause>
            <Clause word="· beside">
              <Select
                label="Beside"
                value={filters.get('beside')}
                options={[
                  { value: '', label: 'the time before' },
                  { value: 'nothing', label: 'nothing' },
                ]}
                onChange={(value) => filters.set('beside', value)}
              />
            </Clause>
          </Sentence>
        </FieldErrors>
      }
    >
      <AnswerPart asked={asked}>
        {shown !== null && (
          <>
            {filters.get('show') === 'table' ? (
              <PointTable {...shown} />
            ) : (
              <Charted isEmpty={shown.result.series.every(({ total }) => total === 0)}>
                <TrendChart {...shown} />
              </Charted>
            )}
            <TrendTable {...shown} />
            <CountedNotes result={shown.result} />
          </>
        )}
      </AnswerPart>
      {shown !== null && place !== null && (
        <TrendPeople {...shown} place={place} onClose={() => filters.set('people', '')} />
      )}
    </Page>
  );
}

/** What a chart by quarters of an hour leaves out, or has not counted yet. */
function CountedNotes({ result }: { readonly result: TrendResult }) {
  const outside = Math.max(0, ...result.series.map((each) => each.outside ?? 0));
  const byArrival = Math.max(0, ...result.series.map((each) => each.byArrival ?? 0));
  const [counted] = result.series.filter((each) => each.countedFrom != null);
  return (
    <ChartNotes
      outside={outside}
      byArrival={byArrival}
      before={
        counted === undefined ? null : countingBefore(counted.countedFrom ?? null, counted.points)
      }
    />
  );
}

/** A chart without any number says so. */
function Charted({
  isEmpty,
  children,
}: {
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}) {
  if (!isEmpty) return children;
  return (
    <Empty title="Nothing in this time" icon="trends">
      None of these events happened. Choose a longer time, or another event.
    </Empty>
  );
}

type Asked = {
  readonly filters: ReturnType<typeof useFilters<(typeof NAMES)[number]>>;
  readonly first: string;
  readonly period: Period;
  readonly timeZone: string | null;
  readonly range: Range | null;
};

/** The question of the address; null until it is whole. */
function toQuestion({ filters, first, period, timeZone, range }: Asked): TrendQuestion | null {
  if (timeZone === null || range === null) return null;
  const breakdown = readBreakdown(filters.get('by'));
  return {
    series: readSeries(filters.get('series'), first),
    ...range,
    step: period,
    timeZone,
    ...(filters.get('segment') !== '' && { segment: filters.get('segment') }),
    ...(breakdown !== undefined && { breakdown }),
  };
}
