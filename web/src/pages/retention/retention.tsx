import type { ComponentProps } from 'react';
import type { RetentionQuestion, RetentionResult } from '../../api/analytics.ts';
import { readFieldErrors } from '../../api/problem.ts';
import { AnswerPart, AsOf } from '../../analytics/answer-state.tsx';
import { EventsPage } from '../../analytics/events-page.tsx';
import { useRange } from '../../analytics/range-fields.tsx';
import { ScopeClauses, useZone } from '../../analytics/scope-fields.tsx';
import { Clause, Sentence } from '../../analytics/sentence.tsx';
import { useAddressed } from '../../analytics/use-addressed.ts';
import { useAnswered } from '../../analytics/use-answered.ts';
import { useSame } from '../../analytics/use-same.ts';
import { NamedEventFields } from '../../conditions/event-fields.tsx';
import { isComplete } from '../../conditions/new-condition.ts';
import { formatCount } from '../../lib/format.ts';
import { save } from '../../lib/save.ts';
import { Button } from '../../ui/button.tsx';
import type { Range } from '../../ui/calendar-range.ts';
import { FieldErrors } from '../../ui/field.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Icon } from '../../ui/icon.tsx';
import { toOptions } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Empty } from '../../ui/states.tsx';
import { Views } from '../../ui/views.tsx';
import { PeoplePanel } from '../people/people-panel.tsx';
import { Curve } from './curve.tsx';
import { cohortSentence, periodSentence } from './period-words.ts';
import { RetentionTable } from './retention-table.tsx';
import {
  COUNTS,
  peopleCondition,
  peopleQuestion,
  PERIODS,
  readCell,
  readCount,
  readPeriod,
  readSteps,
  toCsv,
  writeCell,
  type Cell,
  type Steps,
} from './retention-question.ts';

const TITLE = 'Retention';
const NAMES = [
  'events',
  'first',
  'period',
  'periods',
  'counted',
  'range',
  'from',
  'to',
  'zone',
  'segment',
  'show',
  'people',
] as const;

/** Whether people come back: of those who began in each week, how many did something in the weeks after. */
export function RetentionPage() {
  return (
    <EventsPage
      title={TITLE}
      ofPeople
      about="See how many of those who begin in a week come back in the weeks after."
    >
      {({ frequent }) => <Retention first={frequent ?? ''} />}
    </EventsPage>
  );
}

function Retention({ first }: { readonly first: string }) {
  const filters = useFilters(NAMES);
  const period = readPeriod(filters.get('period'));
  const zone = useZone(filters);
  const { timeZone } = zone;
  const { range } = useRange(filters, { period, timeZone });
  const [steps, setSteps] = useAddressed<Steps>(filters.get('events'), {
    read: (text) => readSteps(text, first),
    write: (text) => filters.change({ events: text, people: '' }),
    isComplete,
  });
  const question = useSame(toQuestion({ filters, first, timeZone, range }));
  const asked = useAnswered<RetentionQuestion, RetentionResult>('retention/result', question);
  const { answered, error } = asked;
  const cell = readCell(filters.get('people'));
  const shown = filters.get('show') === 'people' ? 'people' : 'share';
  const count = readCount(filters.get('periods'), period);
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
              { value: '', label: 'Per cent' },
              { value: 'people', label: 'People' },
            ]}
            onChange={(value) => filters.set('show', value)}
          />
          {answered !== null && (
            <Button
              onClick={() =>
                save(
                  new Blob([toCsv(answered.question, answered.answer)], { type: 'text/csv' }),
                  'retention.csv',
                )
              }
            >
              <Icon name="download" /> CSV
            </Button>
          )}
        </>
      }
      sentence={
        <FieldErrors value={readFieldErrors(error)}>
          <Sentence label="Question">
            <Clause word="People who did">
              <NamedEventFields
                label="First event"
                node={steps.start}
                pointer="/start"
                onChange={(start) => setSteps({ ...steps, start })}
              />
              <Select
                label="Which first time"
                pointer="/first"
                {...filters.field('first')}
                options={[
                  { value: '', label: 'for the first time in this range' },
                  { value: 'ever', label: 'for the first time ever' },
                ]}
              />
            </Clause>
            <Clause word="came back and did">
              <NamedEventFields
                label="Event of those who come back"
                node={steps.return}
                pointer="/return"
                onChange={(next) => setSteps({ ...steps, return: next })}
              />
            </Clause>
            <Clause word="· by">
              <Select
                label="By"
                pointer="/period"
                value={period}
                options={toOptions(PERIODS, undefined, (each) => each)}
                onChange={(next) =>
                  filters.change({ period: next, periods: '', range: '', people: '' })
                }
              />
              <Select
                label="How many"
                pointer="/periods"
                value={String(count)}
                options={COUNTS[period].map((each) => ({
                  value: String(each),
                  label: `up to ${each - 1} ${period}s later`,
                }))}
                onChange={(periods) => filters.change({ periods, people: '' })}
              />
              <Select
                label="Counted"
                pointer="/unbounded"
                {...filters.field('counted')}
                options={[
                  { value: '', label: `in that ${period}` },
                  { value: 'later', label: `in that ${period} or later` },
                ]}
              />
            </Clause>
            <ScopeClauses word="· began in the" {...{ filters, zone, range }} period={period} />
          </Sentence>
        </FieldErrors>
      }
    >
      <AnswerPart asked={asked}>
        {answered !== null && (
          <Cohorts
            {...answered}
            shown={shown}
            open={cell}
            onOpen={(next) => filters.set('people', writeCell(next))}
          />
        )}
      </AnswerPart>
      {answered !== null && cell !== null && (
        <CellPeople
          question={answered.question}
          result={answered.answer}
          cell={cell}
          onClose={() => filters.set('people', '')}
        />
      )}
    </Page>
  );
}

/** The curve of all cohorts, and each of them. */
function Cohorts({
  question,
  answer,
  ...table
}: {
  readonly question: RetentionQuestion;
  readonly answer: RetentionResult;
} & Pick<ComponentProps<typeof RetentionTable>, 'shown' | 'open' | 'onOpen'>) {
  if (answer.cohorts.every(({ users }) => users === 0))
    return (
      <Empty title="No one began in this time" icon="retention">
        Choose a longer time, or another first event.
      </Empty>
    );
  return (
    <>
      <Curve question={question} result={answer} />
      <RetentionTable question={question} result={answer} {...table} />
      <Key question={question} />
    </>
  );
}

type Asked = {
  readonly filters: ReturnType<typeof useFilters<(typeof NAMES)[number]>>;
  readonly first: string;
  readonly timeZone: string | null;
  readonly range: Range | null;
};

/** The question of the address; null until it is whole. */
function toQuestion({ filters, first, timeZone, range }: Asked): RetentionQuestion | null {
  if (timeZone === null || range === null) return null;
  const period = readPeriod(filters.get('period'));
  return {
    ...readSteps(filters.get('events'), first),
    ...range,
    period,
    periods: readCount(filters.get('periods'), period),
    timeZone,
    ...(filters.get('first') === 'ever' && { first: 'ever' as const }),
    ...(filters.get('counted') === 'later' && { unbounded: true as const }),
    ...(filters.get('segment') !== '' && { segment: filters.get('segment') }),
  };
}

/** What the shades and edges of the table mean. */
function Key({ question: { period, timeZone } }: { readonly question: RetentionQuestion }) {
  return (
    <div className="row soft small cohort-key">
      <span className="cohort-cell partial" aria-hidden="true" />
      {period} not over
      <span aria-hidden="true" className="row nowrap cohort-scale">
        less
        {[1, 2, 3, 4, 5].map((depth) => (
          <span key={depth} className="cohort-cell" data-depth={depth} />
        ))}
        more
      </span>
      <span className="grow end">
        {period === 'week' ? 'Weeks begin on Monday' : `${period === 'day' ? 'Days' : 'Months'}`},{' '}
        {timeZone}
      </span>
    </div>
  );
}

/** Who is in a cell, or in a cohort. */
function CellPeople({
  question,
  result,
  cell,
  onClose,
}: {
  readonly question: RetentionQuestion;
  readonly result: RetentionResult;
  readonly cell: Cell;
  readonly onClose: () => void;
}) {
  const cohort = result.cohorts.find(({ at }) => at === cell.at);
  const count = cell.period === null ? cohort?.users : cohort?.returned[cell.period];
  return (
    <PeoplePanel
      key={writeCell(cell)}
      title={[
        cohortSentence(question, cell.at),
        ...(cell.period === null ? [] : [periodSentence(question, cell.at, cell.period)]),
      ].join(' · ')}
      count={count == null ? undefined : formatCount(count)}
      source={{
        asked: { path: 'retention/users', body: peopleQuestion(question, cell) },
        same: peopleCondition(question, cell),
      }}
      fileName="people.csv"
      onClose={onClose}
    />
  );
}
