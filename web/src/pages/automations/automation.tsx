import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Automation } from '../../api/types.ts';
import { formatCount } from '../../lib/format.ts';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { NamedPage } from '../../ui/named-page.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { REHEARSED } from '../../automations/use-rehearsed.ts';
import { useAutomationDraft } from '../../automations/use-automation-draft.ts';
import { AutomationActions } from './actions.tsx';
import { DraftTrouble, SavedState } from './draft-bar.tsx';
import { JsonTab } from './json-tab.tsx';
import { People } from './people.tsx';
import { RehearsalTab } from './rehearsal.tsx';
import { Steps } from './steps.tsx';
import { Versions } from './versions.tsx';
import { Why } from './why.tsx';

const TABS = [
  { id: 'steps', label: 'Steps' },
  { id: 'rehearsal', label: 'Rehearsal' },
  { id: 'people', label: 'People' },
  { id: 'why', label: 'Why' },
  { id: 'versions', label: 'Versions' },
  { id: 'json', label: 'JSON' },
] as const;
type TabId = (typeof TABS)[number]['id'];

const FRAME = { noun: 'automation', back: <Link to="/automations">← Automations</Link> };

export function AutomationPage() {
  const { slug = '' } = useParams({ strict: false });
  const path = `automations/${encodeURIComponent(slug)}`;
  const { data } = useRead<Automation>(path);
  if (data !== undefined) return <OpenedAutomation key={slug} path={path} automation={data} />;
  return (
    <NamedPage<Automation, TabId>
      {...FRAME}
      slug={slug}
      path={path}
      tabs={TABS}
      actions={() => null}
    >
      {() => null}
    </NamedPage>
  );
}

/** What is edited stays while its tabs change. */
function OpenedAutomation({
  path,
  automation,
}: {
  readonly path: string;
  readonly automation: Automation;
}) {
  const navigate = useNavigate();
  const may = useMay('changeAutomations');
  const draft = useAutomationDraft(automation);
  const { saving } = draft;
  const save = async (): Promise<boolean> => (await saving.flush()) === 'saved';
  return (
    <NamedPage<Automation, TabId>
      {...FRAME}
      slug={automation.slug}
      path={path}
      tabs={TABS}
      keeps={REHEARSED}
      describe={describe}
      actions={(named) => (
        <>
          {may && <SavedState draft={draft} />}
          <AutomationActions
            automation={named}
            draft={draft}
            onDeleted={() => {
              saving.drop();
              void navigate({ to: '/automations' });
            }}
          />
        </>
      )}
    >
      {({ named, tab }) => (
        <>
          <LeaveGuard isUnsaved={!saving.isSaved} save={save} isKeptOnPath />
          {may && (
            <DraftTrouble draft={draft} isLive={named.liveVersion !== null && !named.hasChanges} />
          )}
          {tab === 'steps' && <Steps path={path} automation={named} draft={draft} />}
          {tab === 'rehearsal' && <RehearsalTab path={path} draft={draft} />}
          {tab === 'people' && <People path={path} definition={draft.definition} />}
          {tab === 'why' && <Why slug={automation.slug} definition={named.live ?? named.draft} />}
          {tab === 'versions' && <Versions path={path} />}
          {tab === 'json' && <JsonTab draft={draft} isAllowed={may} />}
        </>
      )}
    </NamedPage>
  );
}

const describe = ({ status, liveVersion, hasChanges }: Automation) => (
  <span className="row">
    <StatusBadge status={status} />
    {liveVersion !== null && (
      <span>
        Version {formatCount(liveVersion)}
        {hasChanges && `, with a draft of version ${formatCount(liveVersion + 1)}`}
      </span>
    )}
  </span>
);
