import type { ComponentProps } from 'react';
import { errorMessage, readFieldErrors } from '../../api/problem.ts';
import type { TemplatePreview } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { InsertBlock } from '../blocks/insert-block.tsx';
import { CheckWarnings } from '../compose/check-warnings.tsx';
import { FAILS } from './rendered-message.tsx';
import { ValueChips } from './value-chips.tsx';

type Props = ComponentProps<typeof ValueChips> & {
  readonly check: { readonly data: TemplatePreview | undefined; readonly error: Error | null };
};

/** The variables of a template while it is edited, which of them every user needs, and others to insert. */
export function Variables({ check: { data, error }, ...chips }: Props) {
  const hasFaults = readFieldErrors(error).length > 0;
  return (
    <Card title="Variables" description="Filled in with the values of each user.">
      <ValueChips {...chips} />
      <InsertBlock onInsert={chips.onInsert} />
      <div role="status" className="stack tight">
        {error !== null && (
          <Callout tone="bad">
            {hasFaults ? 'The template has a fault: see the marked fields.' : errorMessage(error)}
          </Callout>
        )}
        {data !== undefined && <Found {...data} />}
      </div>
    </Card>
  );
}

/** Every user, event and run has a value for these. */
const ALWAYS: ReadonlySet<string> = new Set([
  'user.customUserId',
  'user.registeredAt',
  'campaign.id',
  'event.name',
  'event.time',
  'run.id',
  'run.enteredAt',
  'unsubscribeUrl',
]);

const OF_AUTOMATION = /^(?:event|run)\./;

function Need({ name, isRequired }: TemplatePreview['variables'][number]) {
  if (ALWAYS.has(name)) return <Badge tone="good">Always has a value</Badge>;
  return (
    <Badge tone={isRequired ? 'warn' : 'good'}>{isRequired ? 'Required' : 'Has a default'}</Badge>
  );
}

function Found({ variables, warnings }: TemplatePreview) {
  return (
    <>
      {variables.length === 0 ? (
        <p className="soft small">None so far: every user gets the same message.</p>
      ) : (
        <ul className="stack tight">
          {variables.map(({ name, isRequired }) => (
            <li key={name} className="row">
              <code className="wrap" dir="auto">
                {name}
              </code>
              <Need name={name} isRequired={isRequired} />
            </li>
          ))}
        </ul>
      )}
      {variables.some(({ name, isRequired }) => isRequired && !ALWAYS.has(name)) && (
        <p className="small">
          Some users may have no value for a required variable. {FAILS} A default avoids that.
        </p>
      )}
      {variables.some(({ name }) => OF_AUTOMATION.test(name)) && (
        <p className="small">
          Only an automation can send this template: a campaign has no event and no run.
        </p>
      )}
      <CheckWarnings warnings={warnings} />
    </>
  );
}
