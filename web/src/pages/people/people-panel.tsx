import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useMay } from '../../api/roles.ts';
import { saveCsv } from '../../lib/save.ts';
import { formatCount, humanize } from '../../lib/format.ts';
import { initialsOf } from '../../lib/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Empty, Failure } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import {
  askFor,
  conditionOf,
  nameOf,
  searchedBy,
  usePeople,
  type ListedPerson,
  type PeopleSource,
} from './people.ts';

type Props = {
  /** What the number counts: `Clicked`. */
  readonly title: ReactNode;
  /** The number as it stands on the page. */
  readonly count?: string | undefined;
  readonly source: PeopleSource;
  readonly fileName: string;
  /** Whether a campaign to them is being written on the page itself. */
  readonly isAudience?: boolean;
  /** What can be done with them; default: what the condition permits that has the same people. */
  readonly actions?: ReactNode;
  /** One of them, in the place of the list; null: the list. */
  readonly person?: ReactNode;
  /** Chooses one of them, or none. Without it, a person leads to the profile. */
  readonly onPerson?: ((customUserId: string | null) => void) | undefined;
  readonly onClose: () => void;
};

/** The people behind a number: to look through, to write to, to save as a segment or a file. */
export function PeoplePanel({
  title,
  count,
  source,
  fileName,
  isAudience = false,
  actions,
  person = null,
  onPerson,
  onClose,
}: Props) {
  const [search, setSearch] = useState('');
  const list = usePeople(source, search);
  const { people, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const searched = searchedBy(source);
  const isEmpty = people?.length === 0 && !hasNextPage;
  const [last, setLast] = useState<string | null>(null);
  return (
    <SidePanel
      title={title}
      onClose={onClose}
      head={
        <>
          {count !== undefined && (
            <p>
              <strong className="panel-figure">{count}</strong>{' '}
              <span className="soft">{count === '1' ? 'person' : 'people'}</span>
            </p>
          )}
          {person === null ? (
            <PanelActions
              {...{ source, fileName, isAudience, actions }}
              hasPeople={!isEmpty || search !== ''}
            />
          ) : (
            <div className="row">
              <Button ref={focusIt} isSmall onClick={() => onPerson?.(null)}>
                <Icon name="back" /> All of them
              </Button>
            </div>
          )}
          {searched !== null && person === null && (
            <SearchField label={searched} value={search} onChange={setSearch} />
          )}
        </>
      }
      foot={
        people !== undefined &&
        person === null && (
          <>
            {formatCount(people.length)} shown{hasNextPage && ', more below'}
          </>
        )
      }
    >
      {person !== null ? (
        person
      ) : people === undefined ? (
        list.error === null ? (
          <PeopleSkeleton />
        ) : (
          <Failure error={list.error} onRetry={() => list.refetch()} />
        )
      ) : isEmpty ? (
        <Empty
          title={search === '' ? 'No one now' : `No one here is called “${search}”`}
          icon="users"
        />
      ) : (
        <PeopleList
          people={people}
          last={last}
          onPerson={
            onPerson &&
            ((customUserId) => {
              setLast(customUserId);
              onPerson(customUserId);
            })
          }
          onEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : null}
        />
      )}
    </SidePanel>
  );
}

function PanelActions({
  source,
  fileName,
  isAudience,
  actions,
  hasPeople,
}: Pick<Props, 'source' | 'fileName' | 'isAudience' | 'actions'> & {
  /** There is no one to write to, or to list in a file, if not. */
  readonly hasPeople: boolean;
}) {
  const mayCompose = useMay('compose') && !isAudience;
  const maySave = useMay('changeSegments');
  const mayExport = useMay('exportUsers');
  const [isBusy, setBusy] = useState(false);
  const same = conditionOf(source);
  const condition = same === null ? null : JSON.stringify(same);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await saveCsv({ ...askFor(source, ''), fileName });
    } catch (error) {
      showToast(errorMessage(error), 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="row">
      {actions}
      {condition !== null && mayCompose && hasPeople && (
        <Link to="/compose" search={{ condition }} className={buttonClass('primary')}>
          <Icon name="campaigns" /> Write to them
        </Link>
      )}
      {condition !== null && maySave && (
        <Link to="/new-segment" search={{ condition }} className={buttonClass()}>
          <Icon name="segments" /> Save as segment
        </Link>
      )}
      {mayExport && hasPeople && (
        <Button isBusy={isBusy} onClick={() => void save()}>
          <Icon name="download" /> CSV
        </Button>
      )}
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Keys go on where they were: who was looked at has the focus again. */
const focusIt = (element: HTMLElement | null): void => element?.focus();

function PeopleList({
  people,
  last,
  onPerson,
  onEnd,
}: Pick<Props, 'onPerson'> & {
  readonly people: readonly ListedPerson[];
  /** Who was looked at last. */
  readonly last: string | null;
  /** Called when the last ones are seen; null: there are no more. */
  readonly onEnd: (() => void) | null;
}) {
  const list = useArrows();
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (onEnd === null || end.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && onEnd(),
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [onEnd]);
  return (
    <ul ref={list} className="people">
      {people.map((person) => (
        <li key={person.customUserId}>
          <PersonLink person={person} onPerson={onPerson} isLast={person.customUserId === last} />
        </li>
      ))}
      {onEnd !== null && <li ref={end} aria-hidden="true" />}
    </ul>
  );
}

/** Arrows move between the people of a list. */
function useArrows() {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const own = list.current;
    const move = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      const links = [...(own?.querySelectorAll<HTMLElement>('a, button') ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      if (step === undefined || at === -1) return;
      event.preventDefault();
      links[at + step]?.focus();
    };
    own?.addEventListener('keydown', move);
    return () => own?.removeEventListener('keydown', move);
  }, []);
  return list;
}

function PersonLink({
  person,
  onPerson,
  isLast,
}: Pick<Props, 'onPerson'> & { readonly person: ListedPerson; readonly isLast: boolean }) {
  const { customUserId, email, phoneNumber, reason } = person;
  const name = nameOf(person);
  const address = email ?? phoneNumber ?? (name === customUserId ? 'No name yet' : customUserId);
  const content = (
    <>
      <span className="initials" data-initials={initialsOf(name)} aria-hidden="true" />
      <span className="grow cut">
        <bdi className="cut strong">{name}</bdi>
        <bdi className="cut soft small">{address}</bdi>
      </span>
      {reason !== null && <span className="soft small">{humanize(reason)}</span>}
    </>
  );
  return onPerson === undefined ? (
    <Link to="/users/$customUserId" params={{ customUserId }}>
      {content}
    </Link>
  ) : (
    <button ref={isLast ? focusIt : null} type="button" onClick={() => onPerson(customUserId)}>
      {content}
    </button>
  );
}

const SKELETON_ROWS = 8;

function PeopleSkeleton() {
  return (
    <ul className="people" role="status" aria-label="Loading">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={row} aria-hidden="true">
          <div className="skeleton" />
        </li>
      ))}
    </ul>
  );
}
