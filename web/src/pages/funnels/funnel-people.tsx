import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/roles.ts';
import type { Names } from '../../conditions/describe-condition.ts';
import { formatCount } from '../../lib/format.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PeoplePanel } from '../people/people-panel.tsx';
import {
  peopleCondition,
  peopleQuestion,
  writingCondition,
  type Began,
  type FunnelPlace,
} from './draft.ts';
import { ExplainedPerson } from './explained-person.tsx';
import type { FunnelSaving } from './use-saving.ts';
import type { ShownFunnel } from './use-funnel-answer.ts';
import { placeText } from './words.ts';

type Acting = {
  readonly shown: ShownFunnel;
  readonly saving: FunnelSaving;
  /** When people began, for a segment that stays true. */
  readonly began: Began;
};

/** The people of a number: to look through, to write to, to save as a segment or a file. */
export function FunnelPeople({
  place,
  names,
  onChange,
  ...acting
}: Acting & {
  readonly place: FunnelPlace;
  readonly names: Names;
  readonly onChange: (place: FunnelPlace | null) => void;
}) {
  const { shown } = acting;
  const { question } = shown;
  const count = countOf(shown, place);
  const { person, ...number } = place;
  return (
    <PeoplePanel
      key={JSON.stringify(number)}
      title={placeText(place, question, names)}
      count={count === undefined ? undefined : `${shown.isExact ? '' : '≈ '}${formatCount(count)}`}
      source={{
        asked: { path: 'funnels/users', body: peopleQuestion(question, place) },
        same: null,
      }}
      fileName="people.csv"
      actions={<PeopleActs {...acting} place={number} />}
      person={
        person === undefined ? null : <ExplainedPerson customUserId={person} question={question} />
      }
      onPerson={(chosen) => onChange({ ...number, ...(chosen !== null && { person: chosen }) })}
      onClose={() => onChange(null)}
    />
  );
}

/** As the page shows it. */
export function countOf({ steps, result }: ShownFunnel, place: FunnelPlace): number | undefined {
  const { state, step } = place;
  const of =
    'group' in place
      ? result?.groups?.find(({ value }) => JSON.stringify(value) === JSON.stringify(place.group))
          ?.steps
      : steps;
  const found = of?.[step - 1];
  return state === 'dropped' ? found?.dropped : state === 'open' ? found?.open : found?.users;
}

/** Writes to the people of a number, or makes a segment of them. Both name the funnel, which must be saved. */
function PeopleActs({ place, ...acting }: Acting & { readonly place: FunnelPlace }) {
  const maySave = useMay('changeSegments');
  const { saving, began, shown } = acting;
  const navigate = useNavigate();
  const { question } = shown;
  const search = (slug: string): { readonly condition: string } | null => {
    const condition = peopleCondition(slug, { question, place, began });
    return condition === null ? null : { condition: JSON.stringify(condition) };
  };
  // Of a group by the first event no condition says the same.
  if (search('') === null) return null;
  const known = saving.slug === null ? null : search(saving.slug);
  return (
    <>
      {countOf(shown, place) !== 0 && <WriteToThem {...acting} place={place} />}
      {maySave &&
        (known !== null ? (
          <Link to="/new-segment" search={known} className={buttonClass()}>
            <Icon name="segments" /> Save as segment
          </Link>
        ) : (
          saving.isAllowed && (
            <Button
              isBusy={saving.isBusy}
              onClick={() =>
                saving.save(
                  (slug) => void navigate({ to: '/new-segment', search: search(slug) ?? {} }),
                )
              }
            >
              <Icon name="segments" /> Save as segment
            </Button>
          )
        ))}
    </>
  );
}

/** Opens a campaign to the people of a number; saves the funnel before, if it is not as it is shown. */
export function WriteToThem({
  shown: { question, result },
  saving,
  place,
  label = 'Write to them',
}: Omit<Acting, 'began'> & { readonly place: FunnelPlace; readonly label?: string }) {
  const mayCompose = useMay('compose');
  const navigate = useNavigate();
  const [now] = useState(Date.now);
  const asOf = result?.asOf ?? now;
  const search = (slug: string) => ({
    condition: JSON.stringify(writingCondition(slug, { question, place, asOf })),
    recheck: 'true',
  });
  if (!mayCompose) return null;
  if (saving.slug !== null)
    return (
      <Link to="/compose" search={search(saving.slug)} className={buttonClass('primary')}>
        <Icon name="campaigns" /> {label}
      </Link>
    );
  if (!saving.isAllowed) return null;
  return (
    <Button
      kind="primary"
      isBusy={saving.isBusy}
      title="Saves the funnel first: a campaign names it"
      onClick={() => saving.save((slug) => void navigate({ to: '/compose', search: search(slug) }))}
    >
      <Icon name="campaigns" /> {label}
    </Button>
  );
}
