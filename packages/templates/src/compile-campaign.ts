import {
  TEMPLATE_ATTRIBUTES,
  type CampaignTemplate,
  type Channel,
  type PushMessage,
  type TemplateVariant,
} from '@tidings/contracts';
import { stringifyExactJson } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { compileMessage, type CompiledMessage } from './compile-message.ts';

/** Null: the message does not compile, which was checked when it was accepted. */
type Compiled = CompiledMessage | null;

export type CompiledTemplate = {
  readonly share: number;
  readonly message: () => Compiled;
  readonly variants: readonly (Pick<TemplateVariant, 'condition'> & {
    readonly message: () => Compiled;
  })[];
};

/** The templates of a campaign. Their messages are parsed when they are asked for. */
export type CompiledCampaign = {
  readonly templates: readonly CompiledTemplate[];
  /** The custom attributes that they show; null: any. */
  readonly attributes: readonly string[] | null;
};

export type PersonalCampaign = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly channel: Channel;
  readonly templates: readonly CampaignTemplate[];
};

/** Characters of the templates of the campaigns that are kept. */
const CONTENT_CHARS_MAX = 16 * 1024 * 1024;
/**
 * Memory for parsed messages. A campaign may have much more of them: those are parsed anew for each
 * chunk, so that none takes the memory of the worker.
 */
const PARSED_BYTES_MAX = 64 * 1024 * 1024;

/** Messages of a campaign never change, so they are parsed once. */
const messages = new LRUCache<string, { readonly compiled: Compiled }>({
  max: 1_000,
  maxSize: PARSED_BYTES_MAX,
});
const campaigns = new LRUCache<string, CompiledCampaign>({
  max: 200,
  maxSize: CONTENT_CHARS_MAX,
});

export function compileCampaign({
  campaignId,
  channel,
  templates,
}: PersonalCampaign): CompiledCampaign {
  const known = campaigns.get(campaignId);
  if (known !== undefined) return known;
  let count = 0;
  const compile = (message: PushMessage): (() => Compiled) => {
    const key = `${campaignId}:${(count += 1)}`;
    return () => {
      const parsed = messages.get(key);
      if (parsed !== undefined) return parsed.compiled;
      const result = compileMessage(channel, message, '/message');
      const compiled = result.ok ? result.compiled : null;
      messages.set(key, { compiled }, { size: Math.max(1, compiled?.bytes ?? 0) });
      return compiled;
    };
  };
  const compiled = templates.map(({ share, message, variants }): CompiledTemplate => ({
    share,
    message: compile(message),
    variants: variants.map(({ condition, message: own }) => ({ condition, message: compile(own) })),
  }));
  const campaign = { templates: compiled, attributes: listAttributes(compiled) };
  campaigns.set(campaignId, campaign, { size: stringifyExactJson(templates).length });
  return campaign;
}

function listAttributes(templates: readonly CompiledTemplate[]): string[] | null {
  const attributes = new Set<string>();
  for (const { message, variants } of templates)
    for (const each of [message, ...variants.map((variant) => variant.message)])
      for (const { path } of each()?.variables ?? []) {
        const [root, field, key] = path;
        if (root !== 'user' || field !== TEMPLATE_ATTRIBUTES) continue;
        // Computed: `user.customAttributes[user.city]`.
        if (key === undefined) return null;
        attributes.add(key);
      }
  return [...attributes];
}
