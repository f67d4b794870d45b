import type { Condition } from '@tidings/contracts/segments/conditions';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { errorMessage } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import type { SearchAnswer, SegmentPreview, User } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { nameOf } from '../people/people.ts';
import { EVERYONE } from '../../conditions/everyone.ts';

const SETTLED_MS = 200;

type Props = {
  readonly customUserId: string | null;
  readonly onChoose: (customUserId: string | null) => void;
  /** Of whom the arrows choose at random, or listed people in their order. */
  readonly among?: Condition | readonly string[] | undefined;
};

/** Chooses the user for whom a message is shown, by a search or by steps. Without one it is shown as it is written. */
export function ChooseUser({ customUserId, onChoose, among = EVERYONE }: Props) {
  const [typed, setTyped] = useState('');
  const q = useSettled(typed.trim(), SETTLED_MS);
  const { data: found } = useRead<SearchAnswer>('search', { query: { q }, enabled: q !== '' });
  const people = found?.items.filter(({ kind }) => kind === 'user') ?? [];
  const name = useName(customUserId);
  const step = useSteps(among);
  const choose = (next: string | null): void => {
    setTyped(next ?? '');
    onChoose(next);
  };
  /** What is found first, or else what is typed, as an id. */
  const find = async (): Promise<void> => {
    const text = typed.trim();
    if (text === '') return;
    const answer = await request<SearchAnswer>('search', { query: { q: text } }).catch(() => null);
    choose(answer?.items.find(({ kind }) => kind === 'user')?.id ?? text);
  };
  const move = async (by: 1 | -1): Promise<void> => {
    const next = await step(customUserId, by);
    if (next !== undefined) choose(next);
  };
  return (
    <Form className="stack tight" onSubmit={() => void find()}>
      <div className="choose-user">
        <SuggestField
          label="Preview for"
          placeholder="Name, e-mail, phone or ID"
          value={typed}
          onChange={setTyped}
          onChoose={({ value }) => choose(value)}
          options={people.map(({ id, title, detail }) => ({
            value: id,
            label: title,
            hint: detail ?? id,
          }))}
          isFiltered={false}
        />
        <Button className="icon" aria-label="Person before" onClick={() => void move(-1)}>
          <Icon name="back" />
        </Button>
        <Button className="icon" aria-label="Next person" onClick={() => void move(1)}>
          <Icon name="open" />
        </Button>
      </div>
      <div className="row">
        {customUserId === null ? (
          <span className="soft small">
            Shown as written. Search a person, or step through some.
          </span>
        ) : (
          <>
            <span className="small wrap">
              As <bdi className="strong">{name ?? customUserId}</bdi> gets it
            </span>
            <Button isSmall kind="plain" onClick={() => choose(null)}>
              Show it as written
            </Button>
          </>
        )}
      </div>
    </Form>
  );
}

function useName(customUserId: string | null): string | undefined {
  const { data } = useRead<User>(`users/${encodeURIComponent(customUserId ?? '')}`, {
    enabled: customUserId !== null,
    isKept: false,
  });
  if (data === undefined) return undefined;
  const { firstName = null, lastName = null } = data.profile;
  return nameOf({ firstName, lastName, customUserId: data.customUserId });
}

/** Steps through people: those of a condition are drawn once, at random. */
function useSteps(among: Condition | readonly string[]) {
  const draw = useChange<Condition, SegmentPreview>(
    (condition) => ({ path: 'segments/preview', method: 'POST', body: { condition } }),
    [],
  );
  const [drawn, setDrawn] = useState<{ readonly of: unknown; readonly ids: readonly string[] }>();
  const list = async (): Promise<readonly string[]> => {
    if (isList(among)) return among;
    if (drawn?.of === among) return drawn.ids;
    const { sample } = await draw.mutateAsync(among);
    setDrawn({ of: among, ids: sample });
    return sample;
  };
  return async (from: string | null, by: 1 | -1): Promise<string | undefined> => {
    try {
      const ids = await list();
      const at = from === null ? -1 : ids.indexOf(from);
      if (ids.length === 0) showToast('There is no one to choose.', 'bad');
      // The last one stands before the first, and before a person who is not among them.
      return ids.at(at < 0 && by < 0 ? -1 : (at + by) % ids.length);
    } catch (error) {
      showToast(errorMessage(error), 'bad');
      return undefined;
    }
  };
}

const isList = (among: Condition | readonly string[]): among is readonly string[] =>
  Array.isArray(among);
