import { useMemo } from 'react';
import { Card } from '../../ui/card.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { MessagePreviewCard } from '../templates/message-preview-card.tsx';
import { audienceCondition, isContact, readRecipients } from './audience.ts';
import type { Draft, TemplateChoice } from './draft.ts';
import { buildMessage } from './message-values.ts';
import { useTemplateVersions } from './template-fields.tsx';
import { lacksUnsubscribeLink, UnsubscribeWarning } from './unsubscribe-warning.tsx';

/** What recipients get: the message, or each of the templates. */
export function ContentPreview({ draft }: { readonly draft: Draft }) {
  const { content, channel, fields, personalize, purpose, templates } = draft;
  const among = useAudience(draft);
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
          among={among}
        />
      ));
  if (personalize) return <MessagePreviewCard {...{ among, isMarketing }} content={written} />;
  return (
    <Card title="Preview">
      <MessagePreview channel={channel} message={written.message} isMarketing={isMarketing} />
    </Card>
  );
}

/** Those for whom the message may be shown. */
function useAudience({ to, segment, condition, exclude, recipients, recheck }: Draft) {
  return useMemo(
    () =>
      to === 'users'
        ? readRecipients(recipients).filter((each) => !isContact(each))
        : (audienceCondition({ to, segment, condition, exclude, recipients, recheck }) ??
          undefined),
    [to, segment, condition, exclude, recipients, recheck],
  );
}

function TemplateCard({
  choice: { slug, version },
  purpose,
  among,
}: {
  readonly choice: TemplateChoice;
  readonly purpose: Draft['purpose'];
  readonly among: ReturnType<typeof useAudience>;
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
        among={among}
        isMarketing={purpose === 'marketing'}
      />
      {lacksUnsubscribeLink({ ...content, purpose }) && <UnsubscribeWarning />}
    </>
  );
}
