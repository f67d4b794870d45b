import type { PushMessage } from '@tidings/contracts/push/push';
import type { TemplateContent } from '@tidings/contracts/push/templates';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { useMay } from '../../api/roles.ts';
import { Card } from '../../ui/card.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { ChooseUser } from './choose-user.tsx';
import { Rendered } from './rendered-message.tsx';
import { useRendered } from './template-check.ts';
import { toRenderable } from './template-draft.ts';

type CardProps = {
  readonly title?: ReactNode;
  /** Changes only with the message. */
  readonly content: TemplateContent;
  /** What is shown as it is written, in place of the default. */
  readonly variant?: PushMessage | undefined;
  readonly isMarketing?: boolean;
  readonly among?: ComponentProps<typeof ChooseUser>['among'];
};

/** A message with Liquid: as it is written, or as one user gets it. */
export function MessagePreviewCard({
  title = 'Preview',
  content,
  variant,
  isMarketing = false,
  among,
}: CardProps) {
  const may = useMay('previewTemplates');
  const [customUserId, setCustomUserId] = useState<string | null>(null);
  const { channel, message } = content;
  return (
    <Card title={title}>
      {may && <ChooseUser {...{ customUserId, among }} onChoose={setCustomUserId} />}
      {customUserId === null ? (
        <MessagePreview channel={channel} message={variant ?? message} isMarketing={isMarketing} />
      ) : (
        <RenderedContent
          // The last answer stays while the message is edited, but not for another user.
          key={customUserId}
          content={content}
          isMarketing={isMarketing}
          customUserId={customUserId}
        />
      )}
    </Card>
  );
}

function RenderedContent({
  content,
  isMarketing,
  customUserId,
}: {
  readonly content: TemplateContent;
  readonly isMarketing: boolean;
  readonly customUserId: string;
}) {
  const { data, error, refetch } = useRendered(content, customUserId);
  if (toRenderable(content) === null) return <p className="soft">Write a text to preview it.</p>;
  return (
    <Rendered
      channel={content.channel}
      isMarketing={isMarketing}
      customUserId={customUserId}
      answer={data}
      error={error}
      onRetry={refetch}
      hasVariants={content.variants.length > 0}
    />
  );
}
