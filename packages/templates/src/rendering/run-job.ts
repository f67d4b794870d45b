import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { checkAtOnce } from '../check-message.ts';
import { compileOnce } from '../compiled-messages.ts';
import type { CompiledMessage } from '@tidings/liquid/compile-message';
import { hashWords, shownBy, valuesOf, type Shown } from '@tidings/liquid/filling';
import { RenderFault } from '@tidings/liquid/render-fault';
import { mergeVariables, type TemplateVariable } from '@tidings/liquid/variables';
import { userScope, type TemplateUser } from '@tidings/liquid/user-scope';
import type {
  KeyedMessage,
  RenderAnswer,
  RenderedFault,
  RenderedFields,
  RenderJob,
} from './render-job.ts';

/** A thread works for one application at most this long before another's turn, but one user at least. */
const TURN_MS = 50;

export type RunOptions = {
  /** Called before each piece of work that has a time of its own: the index of the user, or -1. */
  readonly onStep: (user: number) => void;
};

/** Runs a job, or its beginning. */
export async function runJob(job: RenderJob, { onStep }: RunOptions): Promise<RenderAnswer> {
  if (job.kind === 'plain text') {
    // Few threads convert a body.
    const { toPlainText } = await import('@tidings/liquid/plain-text');
    onStep(-1);
    return { kind: 'plain text', text: toPlainText(job.html) };
  }
  if (job.kind === 'check') {
    onStep(-1);
    return { kind: 'checked', check: checkAtOnce(job) };
  }
  if (job.kind === 'variables') return { kind: 'variables', variables: listVariables(job, onStep) };
  const { channel, campaignId, users } = job;
  const endsAt = performance.now() + TURN_MS;
  onStep(-1);
  const compiled = compileOnce(channel, job.message);
  const bodies = new Map<object, number>();
  const results: (RenderedFields | RenderedFault)[] = [];
  for (const [index, user] of users.entries()) {
    if (index > 0 && performance.now() > endsAt) break;
    onStep(index);
    results.push(render(compiled, { user, campaignId, message: job.message.message, bodies }));
  }
  return {
    kind: 'rendered',
    results,
    bodies: [...bodies.keys()].map((body) => (body as { readonly body: string }).body),
  };
}

function render(
  compiled: CompiledMessage | null,
  {
    user,
    campaignId,
    message: source,
    bodies,
  }: {
    readonly user: TemplateUser;
    readonly campaignId: string;
    readonly message: PushMessage;
    /** Bodies so far, by the order in which they came. */
    readonly bodies: Map<object, number>;
  },
): RenderedFields | RenderedFault {
  if (compiled === null) return { code: 'failed', detail: 'the template cannot be read' };
  try {
    const renderedAt = user.renderedAt ?? Date.now();
    const own = compiled.renderToSend(userScope({ ...user, renderedAt }, campaignId));
    const { message, mailBody } = own;
    const values = valuesOf(user, shownIn(compiled));
    const filling = values === null ? null : { values, renderedAt, words: hashWords(own) };
    const fields = differences(message, source);
    if (mailBody === undefined) return { fields, filling };
    const no = bodies.get(mailBody.message) ?? bodies.size;
    bodies.set(mailBody.message, no);
    return { fields, filling, body: { no, html: mailBody.html, text: mailBody.text } };
  } catch (error) {
    if (error instanceof RenderFault) return { code: error.code, detail: error.detail };
    throw error;
  }
}

const shown = new WeakMap<CompiledMessage, Shown>();

function shownIn(compiled: CompiledMessage): Shown {
  const known = shown.get(compiled) ?? shownBy(compiled.variables);
  shown.set(compiled, known);
  return known;
}

function differences(message: PushMessage, source: PushMessage): Partial<PushMessage> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message))
    if (value !== source[key as keyof PushMessage]) fields[key] = value;
  return fields as Partial<PushMessage>;
}

/** Of messages that were accepted. */
function listVariables(
  { channel, messages }: { readonly channel: Channel; readonly messages: readonly KeyedMessage[] },
  onStep: RunOptions['onStep'],
): TemplateVariable[] {
  const found: TemplateVariable[] = [];
  for (const message of messages) {
    onStep(-1);
    found.push(...(compileOnce(channel, message)?.variables ?? []));
  }
  return mergeVariables(found);
}
