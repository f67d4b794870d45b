import { LIMITS } from '@tidings/contracts/limits';
import type { Channel } from '@tidings/contracts/channels/channels';
import { Button } from '../../ui/button.tsx';
import { TextField, useFaultyParts } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PanelTabs } from '../../ui/panel-tabs.tsx';
import { moveItem, useMoves, type Direction } from '../../ui/use-moves.ts';
import { MessageInputs } from '../compose/message-inputs.tsx';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { newVariant, type TemplateDraft, type VariantDraft } from './template-draft.ts';

/** The key of the message itself, beside those of its variants. */
export const DEFAULT = 'default';

type Props = {
  readonly draft: TemplateDraft;
  /** The key of what is shown. */
  readonly shown: string;
  readonly onShow: (key: string) => void;
  readonly onChange: (changes: Partial<TemplateDraft>) => void;
};

/** The message, and its variants for users of whom a condition is true, each below a tab. */
export function VariantFields({ draft, shown, onShow, onChange }: Props) {
  const { channel, fields, variants } = draft;
  const { list, rememberMove } = useMoves<HTMLDivElement>(variants);
  const isFaulty = useFaultyParts();
  const replace = (changed: readonly VariantDraft[]): void => onChange({ variants: changed });
  const add = (): void => {
    const variant = newVariant(fields);
    replace([...variants, variant]);
    onShow(variant.key);
  };
  const remove = (index: number): void => {
    replace(variants.toSpliced(index, 1));
    onShow(variants[index - 1]?.key ?? DEFAULT);
  };
  return (
    <div className="stack" ref={list}>
      <PanelTabs
        label="Variants"
        active={shown}
        onChange={onShow}
        tabs={[
          {
            key: DEFAULT,
            label: 'Default',
            isFaulty: isFaulty('/message'),
            panel: (
              <MessageInputs
                channel={channel}
                fields={fields}
                pointer="/message"
                onChange={(changed) => onChange({ fields: changed })}
              />
            ),
          },
          ...variants.map((variant, index) => ({
            key: variant.key,
            label: <bdi className="wrap">{variant.name.trim() || `Variant ${index + 1}`}</bdi>,
            isFaulty: isFaulty(`/variants/${index}`),
            panel: (
              <Variant
                channel={channel}
                variant={variant}
                index={index}
                isLast={index === variants.length - 1}
                onChange={(changes) => replace(variants.with(index, { ...variant, ...changes }))}
                onRemove={() => remove(index)}
                onMove={(direction) => {
                  rememberMove(variant.key, direction);
                  replace(moveItem(variants, index, direction));
                }}
              />
            ),
          })),
        ]}
        beside={
          variants.length < LIMITS.templateVariantsMax && (
            <Button isSmall kind="plain" onClick={add}>
              <Icon name="add" /> Variant
            </Button>
          )
        }
      />
    </div>
  );
}

type VariantProps = {
  readonly channel: Channel;
  readonly variant: VariantDraft;
  readonly index: number;
  readonly onChange: (changes: Partial<VariantDraft>) => void;
  readonly onRemove: () => void;
  readonly isLast: boolean;
  readonly onMove: (direction: Direction) => void;
};

function Variant({ channel, variant, index, isLast, onChange, onRemove, onMove }: VariantProps) {
  const pointer = `/variants/${index}`;
  return (
    <div className="stack" data-item={variant.key}>
      <p className="soft small">
        For users of whom its condition is true, in place of the default. The first such variant
        counts.
      </p>
      <TextField
        label="Name of the variant"
        pointer={`${pointer}/name`}
        value={variant.name}
        onChange={(name) => onChange({ name })}
      />
      <ConditionBuilder
        condition={variant.condition}
        pointer={`${pointer}/condition`}
        onChange={(condition) => onChange({ condition })}
      />
      <MessageInputs
        channel={channel}
        fields={variant.fields}
        pointer={`${pointer}/message`}
        onChange={(fields) => onChange({ fields })}
      />
      <div className="row">
        {index > 0 && (
          <Button isSmall onClick={() => onMove('up')} data-move="up">
            Move up
          </Button>
        )}
        {!isLast && (
          <Button isSmall onClick={() => onMove('down')} data-move="down">
            Move down
          </Button>
        )}
        <Button isSmall kind="plain" onClick={onRemove}>
          Remove this variant
        </Button>
      </div>
    </div>
  );
}
