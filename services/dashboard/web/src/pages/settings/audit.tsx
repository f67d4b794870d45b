import { formatJson } from '../../lib/exact-json.ts';
import { textOf } from '../../lib/text.ts';
import { Card } from '../../ui/card.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { SettingsPage } from './settings-page.tsx';

type Entry = Readonly<Record<string, unknown>> & { readonly id?: string; readonly at?: number; readonly createdAt?: number; readonly action?: string };

/** Who did it: a text, or a member or token with a name. */
function actorOf({ actor, by, email }: Entry): string {
  const who = actor ?? by ?? email;
  if (typeof who === 'string') return who;
  const { name, email: address, id } = (who ?? {}) as Readonly<Record<string, unknown>>;
  return textOf(name) || textOf(address) || textOf(id) || '–';
}

function detailOf(entry: Entry): string {
  const detail = entry['detail'] ?? entry['details'] ?? entry['target'] ?? entry['changes'];
  return detail === undefined || detail === null ? '–' : typeof detail === 'string' ? detail : formatJson(detail);
}

export function AuditPage() {
  return (
    <SettingsPage title="Audit log" description="Who changed what, and when. Nothing is ever taken out of it.">
      <Card isFlush>
        <List<Entry>
          label="Audit log"
          path="audit"
          rowKey={(entry) => entry.id ?? `${entry.at ?? entry.createdAt} ${entry.action}`}
          fileName="audit.csv"
          columns={[
            { name: 'At', width: '10rem', cell: ({ at, createdAt }) => <Time at={at ?? createdAt} /> },
            { name: 'Who', cell: (entry) => <span className="wrap">{actorOf(entry)}</span> },
            { name: 'What', cell: ({ action }) => <code>{action ?? '–'}</code> },
            { name: 'Of', isMinor: true, cell: (entry) => <code className="wrap small">{detailOf(entry)}</code> },
          ]}
          empty={<Empty title="Nothing was changed yet" icon="settings" />}
        />
      </Card>
    </SettingsPage>
  );
}
