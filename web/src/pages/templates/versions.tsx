import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/roles.ts';
import type { TemplateVersion } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatCount } from '../../lib/format.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { campaignTitle } from '../campaigns/campaign-title.ts';

const buildColumns = (
  open: (version: TemplateVersion) => void,
): readonly Column<TemplateVersion>[] => [
  {
    name: 'Version',
    cell: (version) => (
      <>
        <Button kind="plain" isSmall className="wrap" onClick={() => open(version)}>
          Version {formatCount(version.version)}
        </Button>
        <div className="soft small">
          <LongText text={version.name} />
        </div>
      </>
    ),
  },
  { name: 'Message', isMinor: true, cell: (version) => <LongText text={campaignTitle(version)} /> },
  {
    name: 'Variants',
    isNumber: true,
    isMinor: true,
    width: '6rem',
    cell: ({ variants }) => (variants.length === 0 ? '–' : formatCount(variants.length)),
  },
  {
    name: 'By',
    isMinor: true,
    width: '12rem',
    cell: ({ createdBy }) => <LongText text={actorName(createdBy)} />,
  },
  timeColumn('At', ({ createdAt }) => createdAt),
];

/** The versions of a template, the newest first. */
export function Versions({ path, slug }: { readonly path: string; readonly slug: string }) {
  const [opened, setOpened] = useState<TemplateVersion | null>(null);
  return (
    <Card isFlush>
      <List<TemplateVersion>
        label="Versions"
        path={`${path}/versions`}
        columns={buildColumns(setOpened)}
        rowKey={({ version }) => String(version)}
        onOpen={setOpened}
        fileName={null}
        empty={<Empty title="No versions" />}
      />
      {opened !== null && (
        <VersionDialog slug={slug} version={opened} onClose={() => setOpened(null)} />
      )}
    </Card>
  );
}

function VersionDialog({
  slug,
  version: { version, channel, message, variants, createdAt, createdBy },
  onClose,
}: {
  readonly slug: string;
  readonly version: TemplateVersion;
  readonly onClose: () => void;
}) {
  const may = useMay('compose');
  return (
    <Dialog title={`Version ${formatCount(version)}`} onClose={onClose} isWide>
      <p className="soft small wrap">
        By <bdi>{actorName(createdBy)}</bdi>, <Time at={createdAt} />
      </p>
      <MessagePreview channel={channel} message={message} />
      {variants.map((variant, index) => (
        // Versions do not change.
        // oxlint-disable-next-line react/no-array-index-key
        <section key={index} className="stack tight">
          <h3 dir="auto" className="wrap">
            {variant.name}
          </h3>
          <MessagePreview channel={channel} message={variant.message} />
        </section>
      ))}
      <div className="dialog-foot">
        {may && (
          <Link
            to="/compose"
            search={{ template: `${slug}@${version}`, channel }}
            className={buttonClass()}
          >
            Send this version
          </Link>
        )}
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
