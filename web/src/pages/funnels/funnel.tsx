import type { FunnelBreakdown, FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { httpStatus, readFieldErrors } from '../../api/problem.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Funnel } from '../../api/types.ts';
import { EventsPage } from '../../analytics/events-page.tsx';
import { useRange } from '../../analytics/range-fields.tsx';
import { ScopeClauses, useZone } from '../../analytics/scope-fields.tsx';
import { Clause, Sentence } from '../../analytics/sentence.tsx';
import { useAddressed } from '../../analytics/use-addressed.ts';
import type { EventFacts } from '../../analytics/use-event-facts.ts';
import { useSame } from '../../analytics/use-same.ts';
import { isComplete } from '../../conditions/new-condition.ts';
import { Button } from '../../ui/button.tsx';
import type { Range } from '../../ui/calendar-range.ts';
import { Card } from '../../ui/card.tsx';
import { FieldErrors } from '../../ui/field.tsx';
import { useFilters, type Filters } from '../../ui/filters.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Answer } from './answer.tsx';
import { BreakdownPart } from './breakdown-part.tsx';
import {
  isSameFunnel,
  NEW_FUNNEL,
  readBreakdown,
  readDraft,
  readPlace,
  type Began,
  type FunnelQuestion,
} from './draft.ts';
import { FunnelActions } from './actions.tsx';
import { AnswerState } from './answer-note.tsx';
import { StepsPart } from './steps-part.tsx';
import { useFunnelAnswer } from './use-funnel-answer.ts';
import { useSaving } from './use-saving.ts';
import { WindowPart } from './window-part.tsx';
import { standardName } from './words.ts';

const NAMES = [
  'funnel',
  'range',
  'from',
  'to',
  'zone',
  'segment',
  'by',
  'beside',
  'people',
] as const;
type Address = Filters<(typeof NAMES)[number]>;

const FUNNELS_MAX = 500;
const NEW = 'New funnel';
/** The numbers stand beside those of the time before. */
const BEFORE = 'before';
const back = <Link to="/funnels">← Funnels</Link>;

/** A funnel that is kept under a slug. */
export function FunnelPage() {
  const { slug = '' } = useParams({ strict: false });
  const read = useRead<Funnel>(`funnels/${encodeURIComponent(slug)}`);
  if (read.data !== undefined) return <KnownEvents key={slug} stored={read.data} />;
  return (
    <Page title={slug} back={back}>
      {httpStatus(read.error) === 404 ? (
        <Card>
          <Empty title="There is no funnel with this slug" icon="search">
            It was deleted, or belongs to another application.
          </Empty>
        </Card>
      ) : read.error === null ? (
        <Loading lines={6} />
      ) : (
        <Failure error={read.error} onRetry={read.refetch} />
      )}
    </Page>
  );
}

/** A funnel that is not kept yet. */
export function NewFunnelPage() {
  return <KnownEvents stored={null} />;
}

function KnownEvents({ stored }: { readonly stored: Funnel | null }) {
  return (
    <EventsPage
      title={stored?.name ?? NEW}
      back={back}
      ofPeople
      about="See how many people go from one event to the next, and where they stop."
      isAskable={({ events }) => events.length > 0 || stored !== null}
    >
      {(facts) => <FunnelView stored={stored} facts={facts} />}
    </EventsPage>
  );
}

function FunnelView({
  stored,
  facts,
}: {
  readonly stored: Funnel | null;
  readonly facts: EventFacts;
}) {
  const navigate = useNavigate();
  const filters = useFilters(NAMES);
  const { names } = facts;
  // What this page has seen: the change of a colleague must not be overwritten.
  const [saved, setSaved] = useState(stored);
  const base = useMemo(
    (): FunnelDefinition =>
      saved === null ? NEW_FUNNEL : { steps: saved.steps, window: saved.window },
    [saved],
  );
  const [draft, setDraft] = useAddressed<FunnelDefinition>(filters.get('funnel'), {
    read: (text) => readDraft(text, base),
    write: (text) => filters.change({ funnel: text, people: '' }),
    isComplete,
  });
  const zone = useZone(filters);
  const { timeZone } = zone;
  const { range, last } = useRange(filters, { period: 'day', timeZone });
  const question = useSame(toQuestion(filters, base, range));
  const isCompared = filters.get('beside') === BEFORE;
  const answer = useFunnelAnswer(question, { last, timeZone, isCompared });
  const others = useOthers(saved === null);
  const taken = useMemo(() => others.map(({ slug }) => slug), [others]);
  const onSaved = async (funnel: Funnel): Promise<void> => {
    setSaved(funnel);
    if (saved === null)
      await navigate({
        to: '/funnels/$slug',
        params: { slug: funnel.slug },
        search: withoutFunnel(filters.values) as never,
        replace: true,
      });
    else filters.change({ funnel: '' });
  };
  const saving = useSaving({
    saved,
    draft,
    standard: standardName(draft.steps, names),
    others,
    onSaved,
  });
  const began: Began =
    last === null || last.unit === 'month'
      ? { from: question?.from ?? 0, to: question?.to ?? 0 }
      : { within: last.value };
  const place = readPlace(filters.get('people'));
  return (
    <Page
      title={saved?.name ?? NEW}
      back={back}
      actions={
        <>
          <AnswerState shown={answer.shown} />
          <Button
            aria-pressed={isCompared}
            title="Beside the time just before"
            onClick={() => filters.set('beside', isCompared ? '' : BEFORE)}
          >
            Compare
          </Button>
          <FunnelActions
            {...{ saved, draft, names, taken }}
            isChanged={saved === null || !isSameFunnel(saved, draft)}
            onSaved={(funnel) => void onSaved(funnel)}
            onUse={(funnel) => filters.change({ funnel: JSON.stringify(funnel), people: '' })}
          />
        </>
      }
      sentence={
        <FieldErrors value={readFieldErrors(answer.error)}>
          <Sentence label="Funnel">
            <StepsPart steps={draft.steps} onChange={(steps) => setDraft({ ...draft, steps })} />
            <Clause word="within">
              <WindowPart
                key={saved?.version ?? 0}
                window={draft.window}
                onChange={(window) => setDraft({ ...draft, window })}
              />
            </Clause>
            <ScopeClauses word="· started in the" {...{ filters, zone, range }} period="day" />
            <Clause word="· by">
              <BreakdownPart
                breakdown={readBreakdown(filters.get('by'))}
                first={draft.steps[0]}
                onChange={(by) => filters.change({ by, people: '' })}
              />
            </Clause>
          </Sentence>
        </FieldErrors>
      }
    >
      <Answer
        {...answer}
        {...{ names, place, saving, began }}
        isAsked={isComplete(draft.steps)}
        onSwap={(index) => {
          const moved = draft.steps[index];
          if (moved !== undefined)
            setDraft({
              ...draft,
              steps: draft.steps.toSpliced(index, 1).toSpliced(index + 1, 0, moved),
            });
        }}
        onShorten={() => filters.change({ range: '7d', from: '', to: '' })}
        onOpen={(next) => filters.set('people', next === null ? '' : JSON.stringify(next))}
      />
    </Page>
  );
}

/** The range and the rest of the question, which is not kept with the funnel. */
const withoutFunnel = ({ funnel: _funnel, ...rest }: Address['values']): object => rest;

const NONE: readonly Funnel[] = [];

/** What is stored, beside a new one. */
function useOthers(isNew: boolean): readonly Funnel[] {
  const { data } = useRead<Listed<Funnel>>('funnels', {
    query: { limit: FUNNELS_MAX },
    enabled: isNew,
  });
  return data?.items ?? NONE;
}

/** The question of the address; null until it is whole. */
function toQuestion(
  filters: Address,
  otherwise: FunnelDefinition,
  range: Range | null,
): FunnelQuestion | null {
  const { steps, window } = readDraft(filters.get('funnel'), otherwise);
  if (range === null || !isComplete(steps)) return null;
  const breakdown: FunnelBreakdown | undefined = readBreakdown(filters.get('by'));
  return {
    steps,
    window,
    ...range,
    ...(filters.get('segment') !== '' && { segment: filters.get('segment') }),
    ...(breakdown !== undefined && { breakdown }),
  };
}
