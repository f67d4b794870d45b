import { useMemo } from 'react';
import { Card } from '../../ui/card.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { MessagePreviewCard } from '../templates/message-preview-card.tsx';
import type { Draft, TemplateChoice } from './draft.ts';
import { buildMessage } from './message-values.ts';
import { useTemplateVersions } from './template-fields.tsx';
import { lacksUnsubscribeLink, UnsubscribeWarning } from './unsubscribe-warning.tsx';

/** What recipients get: the message, or each of the templates. */
export function ContentPreview({ draft }: { readonly draft: Draft }) {
  const { content, channel, fields, personalize, purpose, templates } = draft;
  const written = useMemo(
    () => ({ channel, message: buildMessage({ channel, fields }), variants: [] }),
    [channel, fields],
  );
  const isMarketing = purpose === 'marketing';
  if (content === 'template')
    return templates
      .filter(({ slug }) => slug !== '')
      .map((choice, index) => (
        <TemplateCard
          // oxlint-disable-next-line react/no-array-index-key
          key={`${choice.slug} ${index}`}
          choice={choice}
          purpose={purpose}
        />
      ));
  if (personalize) return <MessagePreviewCard content={written} isMarketing={isMarketing} />;
  return (
    <Card title="Preview">
      <MessagePreview channel={channel} message={written.message} isMarketing={isMarketing} />
    </Card>
  );
}

function TemplateCard({
  choice: { slug, version },
  purpose,
}: {
  readonly choice: TemplateChoice;
  readonly purpose: Draft['purpose'];
}) {
  const versions = useTemplateVersions(slug);
  const found = versions?.find((each) => version === '' || String(each.version) === version);
  const content = useMemo(
    () => found && { channel: found.channel, message: found.message, variants: found.variants },
    [found],
  );
  if (content === undefined) return null;
  return (
    <>
      <MessagePreviewCard
        title={
          <>
            Preview of <span dir="auto">{found?.name}</span>
          </>
        }
        content={content}
        isMarketing={purpose === 'marketing'}
      />
      {lacksUnsubscribeLink({ ...content, purpose }) && <UnsubscribeWarning />}
    </>
  );
}
