import {
  messagesOf,
  type AutomationMessage,
  type AwaitedOutcome,
} from '@tidings/contracts/automations/definition';
import { expiryMs } from '@tidings/contracts/push/expiry';
import { appendRecipients, type NodeSend } from '@tidings/delivery/append-recipients';
import type { DueChunk } from '@tidings/delivery/chunks';
import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';
import type { EventRow } from '@tidings/events/event-row';
import { itemAt, parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { resolveMessages, type ResolvedMessage } from './check-sends.ts';
import type { Program } from './program.ts';
import type { Run } from './run.ts';
import type { SentMessage } from './to-step.ts';
import type { VersionNow } from './version-now.ts';

const statement = statementsIn(import.meta.dirname);
const READ_TRIGGERS = definePrepared(statement('read-trigger-events'));

/** A message that a run of a version sends in this step. */
export type RunSend = {
  readonly of: VersionNow;
  readonly run: Run;
  readonly node: string;
  readonly messageNo: number;
};

/** Its template was deleted or has another channel: the runs that would send it fail. */
class MissingTemplateError extends Error {
  constructor() {
    super('the template of a message is gone');
    this.name = 'MissingTemplateError';
  }
}

/**
 * Appends the messages of runs of an application to the open campaigns of their nodes. Returns what
 * each became, by run and node, and the chunks to dispatch after the commit.
 */
export async function sendAll(
  sql: Sql,
  sends: readonly RunSend[],
): Promise<{
  readonly messages: ReadonlyMap<string, ReadonlyMap<string, SentMessage>>;
  readonly chunks: readonly DueChunk[];
}> {
  const messages = new Map<string, Map<string, SentMessage>>();
  if (sends.length === 0) return { messages, chunks: [] };
  const events = await readTriggerEvents(sql, sends);
  const kinds = [
    ...Map.groupBy(sends, ({ of: { automation, version }, node, messageNo }) =>
      JSON.stringify([automation.id, version, node, messageNo]),
    ).values(),
  ];
  const firsts = kinds.map((own) => itemAt(own, 0));
  const { context } = itemAt(firsts, 0).of;
  const resolved = await resolveMessages(sql, context, firsts.map(messageOf));
  const asked = kinds.map((own, kind): NodeSend => ({
    ...settingsOf(itemAt(own, 0), itemAt(resolved, kind)),
    recipients: own.map(({ run }) => ({
      customUserId: run.customUserId,
      runId: run.id,
      enteredAt: run.enteredAt,
      event: contextOf(run, events),
    })),
  }));
  const { deliveries, chunks } = await appendRecipients(sql, asked);
  for (const [kind, own] of kinds.entries())
    for (const [place, { run, node }] of own.entries()) {
      const ofRun = messages.get(run.id) ?? new Map<string, SentMessage>();
      messages.set(run.id, ofRun.set(node, itemAt(itemAt(deliveries, kind), place)));
    }
  return { messages, chunks };
}

function messageOf({ of: { program }, node, messageNo }: RunSend): AutomationMessage {
  const step = program.steps.get(node);
  if (step === undefined || !('send' in step.node)) throw new Error('a send of no node');
  return itemAt(messagesOf(step.node.send), messageNo);
}

function settingsOf(send: RunSend, resolved: ResolvedMessage | null): Omit<NodeSend, 'recipients'> {
  const { run, node, messageNo } = send;
  const { automation, program, version } = send.of;
  const message = messageOf(send);
  if (resolved === null) throw new MissingTemplateError();
  return {
    applicationId: run.applicationId,
    automationId: automation.id,
    automationSlug: automation.slug,
    version,
    node,
    messageNo,
    channel: message.channel,
    purpose: program.definition.purpose,
    templates: resolved.templates,
    templateVersion: resolved.templateVersion,
    expiresInMs: expiryMs(message.channel, itemAt(resolved.templates, 0).message),
    heard: heardOf(program, node),
    createdBy: `automation ${automation.slug}`,
    shard: run.shard,
  };
}

/** What becomes of the messages of a node wakes the runs that wait for it. */
function heardOf({ steps }: Program, node: string): AwaitedOutcome[] {
  const heard = [...steps.values()].flatMap((step) =>
    'waitFor' in step.node &&
    'message' in step.node.waitFor &&
    step.node.waitFor.message.node === node
      ? [step.node.waitFor.was]
      : [],
  );
  return [...new Set(heard)];
}

type EventOfRun = EventRow & { readonly run_id: string };

async function readTriggerEvents(
  sql: Sql,
  sends: readonly RunSend[],
): Promise<Map<string, EventOfRun>> {
  const ids = [...new Set(sends.map(({ run }) => run.id))];
  const { rows } = await sql.query<EventOfRun>(READ_TRIGGERS, [ids]);
  return new Map(rows.map((row) => [row.run_id, row]));
}

/** What templates see of what the run was entered by. Null: it is not kept any more. */
function contextOf(run: Run, events: ReadonlyMap<string, EventOfRun>): TriggerEvent | null {
  if (run.data !== null)
    return {
      name: '',
      time: run.enteredAt,
      attributes: run.data,
      revenue: null,
      currency: null,
    };
  const event = events.get(run.id);
  if (event === undefined) return null;
  return {
    name: event.name,
    time: Number(event.time),
    attributes: parseExactJson(event.attributes ?? '{}') as Record<string, unknown>,
    revenue: event.revenue,
    currency: event.currency,
  };
}
