import { Link } from '@tanstack/react-router';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { useState } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import type { AutomationUser, SearchAnswer } from '../../api/types.ts';
import { summarize } from '../../conditions/describe-condition.ts';
import { FRAME } from '../../automations/faults.ts';
import { againText, latenessText, refusalText } from '../../automations/words.ts';
import { useAutomationNames } from '../../automations/use-automation-names.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Form } from '../../ui/field.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { Time } from '../../ui/time.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { UserLink } from '../../ui/user-link.tsx';
import { RunBadge } from './run-badge.tsx';

type WhyProps = { readonly slug: string; readonly definition: AutomationDefinition };
type UserProps = {
  readonly slug: string;
  readonly definition: AutomationDefinition;
  readonly user: string;
  /** What opens the way of a run on this page. */
  readonly wayOf: (runId: string) => object;
  /** Their own page says who they are, and lists their runs. */
  readonly isOwnPage?: boolean;
};
const SETTLED_MS = 200;

/** Why one person is in it, or is not. */
export function Why({ slug, definition }: WhyProps) {
  const filters = useFilters(['user']);
  const user = filters.get('user');
  const [typed, setTyped] = useState(user);
  const q = useSettled(typed.trim(), SETTLED_MS);
  const { data } = useRead<SearchAnswer>('search', { query: { q }, enabled: q !== '' });
  const choose = (id: string): void => {
    setTyped(id);
    filters.set('user', id);
  };
  return (
    <Card
      title="Why did someone enter, or not?"
      description="The last 20 events or instants that could let them in, and what each became."
    >
      <Form onSubmit={() => choose(typed.trim())}>
        <div className="row why-person">
          <div className="grow">
            <SuggestField
              label="Person"
              placeholder="Name, e-mail, phone or ID"
              value={typed}
              onChange={setTyped}
              onChoose={({ value }) => choose(value)}
              options={(data?.items ?? [])
                .filter(({ kind }) => kind === 'user')
                .map(({ id, title, detail }) => ({ value: id, label: title, hint: detail ?? id }))}
              isFiltered={false}
            />
          </div>
          <Button type="submit">Look</Button>
        </div>
      </Form>
      {user !== '' && (
        <WhyUser
          key={user}
          {...{ slug, definition, user }}
          wayOf={(run) => ({ tab: 'people', run })}
        />
      )}
    </Card>
  );
}

/** What became of the events of one person. */
export function WhyUser({ slug, definition, user, wayOf, isOwnPage = false }: UserProps) {
  const read = useRead<AutomationUser>(
    `automations/${encodeURIComponent(slug)}/users/${encodeURIComponent(user)}`,
  );
  if (httpStatus(read.error) === 404) return <Empty title="No one has this ID" icon="search" />;
  return (
    <Loaded read={read}>
      {({ triggers, runs }) => (
        <div className="stack">
          {isOwnPage ? (
            triggers.length === 0 && <p className="soft">Nothing came that could let them in.</p>
          ) : (
            <p>
              <UserLink customUserId={user} />
              {triggers.length === 0 && ': nothing came that could let them in.'}
            </p>
          )}
          <ul className="reasons">
            {triggers.map((trigger) => (
              <li key={`${trigger.eventId ?? ''} ${String(trigger.at)}`} className="row nowrap">
                <span className="grow">
                  <Badge tone={trigger.result === 'entered' ? 'good' : 'quiet'}>
                    {RESULTS[trigger.result]}
                  </Badge>{' '}
                  {trigger.reason !== undefined && <>{refusalText(trigger.reason, definition)} </>}
                  {trigger.pointer !== undefined && (
                    <Refuser {...{ slug, definition }} pointer={trigger.pointer} />
                  )}
                  {trigger.runId !== undefined && <WayLink search={wayOf(trigger.runId)} />}
                </span>
                <Time at={trigger.at} form="clock" />
              </li>
            ))}
          </ul>
          {!isOwnPage && runs.length > 0 && (
            <>
              <h3>Every time they were in it</h3>
              <ul className="reasons">
                {runs.map((run) => (
                  <li key={run.runId} className="row nowrap">
                    <span className="grow">
                      <RunBadge run={run} /> <WayLink search={wayOf(run.runId)} />
                    </span>
                    <Time at={run.enteredAt} form="clock" />
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </Loaded>
  );
}

const RESULTS = { entered: 'Entered', skipped: 'Did not enter', pending: 'Not looked at yet' };

function WayLink({ search }: { readonly search: object }) {
  return (
    <Link to="." search={search as never}>
      See the way
    </Link>
  );
}

/** What of the automation refused, as a link to where it can be changed. */
function Refuser({
  slug,
  pointer,
  definition: { trigger, filter, ...rest },
}: Pick<UserProps, 'slug' | 'definition'> & { readonly pointer: string }) {
  const { names } = useAutomationNames();
  const at = Number(/^\/trigger\/where\/(\d+)$/.exec(pointer)?.[1]);
  const comparison = 'event' in trigger ? trigger.where?.[at] : undefined;
  const text =
    comparison !== undefined
      ? summarize(comparison, names)
      : pointer === '/filter' && filter !== undefined
        ? summarize(filter, names)
        : pointer.startsWith('/entry')
          ? againText(rest)
          : pointer === '/trigger/maxAge' && 'event' in trigger
            ? latenessText(trigger)
            : 'What starts it';
  return (
    <Link to="/automations/$slug" params={{ slug }} search={{ step: FRAME } as never} dir="auto">
      {text}
    </Link>
  );
}
