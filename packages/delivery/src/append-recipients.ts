import {
  EXPRESS_RECIPIENTS_MAX,
  type Channel,
  type Lane,
} from '@tidings/contracts/channels/channels';
import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { stringifyExactJson, systemIds } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { DISPATCH_GRACE_SECONDS, type DueChunk } from './chunks.ts';
import { counterShard } from './counting.ts';
import type { DeliveryContext } from './delivery-contexts.ts';

const statement = statementsIn(import.meta.dirname);

/** What a node of an automation sends to some of its runs. */
export type NodeSend = {
  readonly applicationId: string;
  readonly automationId: string;
  /** As callers name the automation. */
  readonly automationSlug: string | null;
  readonly version: number;
  readonly node: string;
  /** Its place among the messages that the node tries. */
  readonly messageNo: number;
  readonly channel: Channel;
  readonly purpose: Purpose;
  /** Resolved; also of a message of the node's own. */
  readonly templates: readonly CampaignTemplate[];
  /** Of the template; 0 for a message of the node's own. */
  readonly templateVersion: number;
  /** How long the message may wait for its send: `expiryMs` of it. */
  readonly expiresInMs: number;
  /** The milestones of its deliveries that automations wait for. */
  readonly heard: readonly string[];
  readonly createdBy: string;
  /** The account that it goes by; absent: one is chosen for each recipient. */
  readonly account?: string;
  /** The shard of people that the runs are of. */
  readonly shard: number;
  readonly recipients: readonly AppendedRecipient[];
};

export type AppendedRecipient = DeliveryContext & { readonly customUserId: string };

export type AppendedDelivery = { readonly campaignId: string; readonly deliveryId: string };

export type Appended = {
  /** Of each send, in the order of its recipients. */
  readonly deliveries: readonly (readonly AppendedDelivery[])[];
  /** To dispatch once the transaction is committed. The dispatcher of large campaigns finds the others. */
  readonly chunks: readonly DueChunk[];
};

/** Engines wait for each other only where their shards share a slot. */
const SLOTS = 4;

/** A recipient, and their place in the answer. */
type Waiting = AppendedRecipient & { readonly send: number; readonly place: number };

/** A campaign that takes recipients. `lastChunk`: the lowest number of its chunks. */
type OpenCampaign = { readonly id: string; readonly lastChunk: number };

/** The sends that go to one campaign after the other. */
type Node = {
  readonly send: NodeSend;
  readonly slot: number;
  readonly waiting: readonly Waiting[];
};
type LanedNode = Node & { readonly lane: Lane; readonly campaignId: string };
type OpenNode = LanedNode & { readonly campaign: OpenCampaign };

const LOCK_NODES = definePrepared(statement('lock-nodes'));
const LOCK_CAMPAIGNS = definePrepared(statement('lock-open-campaigns'));
const OPEN_CAMPAIGNS = definePrepared(statement('open-campaigns'));
const APPEND_CHUNKS = definePrepared(statement('append-chunks'));
const EXPAND_APPENDED = definePrepared(statement('expand-appended'));

/**
 * Appends recipients to the open campaigns of their nodes, in the caller's transaction: each has a
 * delivery when that commits, and none otherwise. Recipients who are unknown, or whose channel is not
 * ready, have the outcomes that they have in any campaign. A campaign has one delivery for a person:
 * a second message of a node to them goes to the next campaign. A transaction appends once, for all
 * its nodes, so that rows are locked in one order.
 * @callers automations
 */
export async function appendRecipients(sql: Sql, sends: readonly NodeSend[]): Promise<Appended> {
  const deliveries = sends.map((): AppendedDelivery[] => []);
  const chunks: DueChunk[] = [];
  const nodes = nodesOf(sends);
  if (nodes.length === 0) return { deliveries, chunks };
  let round = await findCampaigns(sql, await lockNodes(sql, nodes));
  for (let isFresh = false; ;) {
    const left: LanedNode[] = [];
    const made = await expand(sql, round);
    const hasMade = made.deliveries.size > 0;
    chunks.push(...made.chunks);
    for (const node of round) {
      const waiting = node.waiting.filter((recipient) => {
        const key = contextKey(node, recipient);
        const deliveryId = made.deliveries.get(key);
        // The first one of a person has it.
        made.deliveries.delete(key);
        const own = deliveries[recipient.send];
        if (deliveryId === undefined || own === undefined) return true;
        own[recipient.place] = { campaignId: node.campaign.id, deliveryId };
        return false;
      });
      if (waiting.length > 0) left.push({ ...node, waiting });
    }
    if (left.length === 0) return { deliveries, chunks };
    // A fresh campaign takes at least one of each node.
    if (isFresh && !hasMade) throw new Error('a message of an automation has no delivery');
    isFresh = true;
    round = await openCampaigns(sql, left);
  }
}

function nodesOf(sends: readonly NodeSend[]): Node[] {
  const nodes = new Map<string, { send: NodeSend; slot: number; waiting: Waiting[] }>();
  for (const [index, send] of sends.entries()) {
    if (send.recipients.length === 0) continue;
    const slot = send.shard % SLOTS;
    const key = keyOf({ ...send, slot });
    const node = nodes.get(key) ?? { send, slot, waiting: [] };
    nodes.set(key, node);
    for (const [place, recipient] of send.recipients.entries())
      node.waiting.push({ ...recipient, send: index, place });
  }
  return [...nodes.values()];
}

type NodeKey = Pick<
  NodeSend,
  'automationId' | 'version' | 'node' | 'messageNo' | 'templateVersion'
> & {
  readonly slot: number;
};

const keyOf = (key: NodeKey): string =>
  [key.automationId, key.version, key.messageNo, key.templateVersion, key.slot, key.node].join(' ');

async function lockNodes(sql: Sql, nodes: readonly Node[]): Promise<LanedNode[]> {
  const { rows } = await sql.query<{
    automation_id: string;
    version: number;
    node: string;
    message_no: number;
    template_version: number;
    slot: number;
    lane: Lane;
    campaign_id: string;
  }>(LOCK_NODES, [
    nodes.map(({ send }) => send.applicationId),
    nodes.map(({ send }) => send.automationId),
    nodes.map(({ send }) => send.version),
    nodes.map(({ send }) => send.node),
    nodes.map(({ send }) => send.templateVersion),
    nodes.map(({ slot }) => slot),
    nodes.map(({ waiting }) => waiting.length),
    EXPRESS_RECIPIENTS_MAX,
    nodes.map(({ send }) => send.messageNo),
  ]);
  const byKey = new Map(nodes.map((node) => [keyOf({ ...node.send, slot: node.slot }), node]));
  return rows.flatMap((row) => {
    const node = byKey.get(
      keyOf({
        ...row,
        automationId: row.automation_id,
        messageNo: row.message_no,
        templateVersion: row.template_version,
      }),
    );
    return node === undefined ? [] : [{ ...node, lane: row.lane, campaignId: row.campaign_id }];
  });
}

/** The campaigns that still take recipients; for the other nodes the next ones are opened. */
async function findCampaigns(sql: Sql, nodes: readonly LanedNode[]): Promise<OpenNode[]> {
  const { rows } = await sql.query<{ id: string; last_chunk: number }>(LOCK_CAMPAIGNS, [
    nodes.map(({ campaignId }) => campaignId),
  ]);
  const open = new Map(rows.map((row) => [row.id, row.last_chunk]));
  const taken: OpenNode[] = [];
  const closed: LanedNode[] = [];
  for (const node of nodes) {
    const { campaignId: id } = node;
    const lastChunk = open.get(id);
    if (lastChunk === undefined) closed.push(node);
    else taken.push({ ...node, campaign: { id, lastChunk } });
  }
  return [...taken, ...(await openCampaigns(sql, closed))];
}

async function openCampaigns(sql: Sql, nodes: readonly LanedNode[]): Promise<OpenNode[]> {
  if (nodes.length === 0) return [];
  const opened = nodes.map((node) => ({
    ...node,
    campaign: { id: systemIds.uuid(), lastChunk: 0 },
  }));
  const column = (of: (send: NodeSend) => unknown): unknown[] => opened.map(({ send }) => of(send));
  await sql.query(OPEN_CAMPAIGNS, [
    opened.map(({ campaign }) => campaign.id),
    column(({ applicationId }) => applicationId),
    column(({ automationId }) => automationId),
    column(({ automationSlug }) => automationSlug),
    column(({ version }) => version),
    column(({ node }) => node),
    column(({ templateVersion }) => templateVersion),
    opened.map(({ lane }) => lane),
    opened.map(({ slot }) => slot),
    column(({ channel }) => channel),
    column(({ purpose }) => purpose),
    column(({ templates }) => stringifyExactJson(templates)),
    column(({ expiresInMs }) => expiresInMs),
    column(({ createdBy }) => createdBy),
    column(({ account }) => account ?? null),
    column(({ heard }) => JSON.stringify(heard)),
    column(({ messageNo }) => messageNo),
  ]);
  return opened;
}

type Expanded = {
  /** Ids of the deliveries that were made, by campaign and recipient. */
  readonly deliveries: Map<string, string>;
  readonly chunks: readonly DueChunk[];
};

const contextKey = (
  { campaign }: Pick<OpenNode, 'campaign'>,
  { customUserId }: Pick<AppendedRecipient, 'customUserId'>,
): string => `${campaign.id} ${customUserId}`;

/** Makes the deliveries of those who are waiting, one for a person. */
async function expand(sql: Sql, nodes: readonly OpenNode[]): Promise<Expanded> {
  const contexts = new Map<string, DeliveryContext>();
  const chunks = nodes.flatMap((node) => {
    const { campaign, send, lane } = node;
    const ids: string[] = [];
    for (const recipient of node.waiting) {
      const key = contextKey(node, recipient);
      if (contexts.has(key)) continue;
      const { runId, enteredAt, event } = recipient;
      contexts.set(key, { runId, enteredAt, event });
      ids.push(recipient.customUserId);
    }
    // As those of all campaigns with templates, below zero.
    return Array.from({ length: Math.ceil(ids.length / CHUNK_ROWS_MAX) }, (_, index) => ({
      campaignId: campaign.id,
      chunkNo: campaign.lastChunk - 1 - index,
      applicationId: send.applicationId,
      channel: send.channel,
      lane,
      recipients: ids.slice(index * CHUNK_ROWS_MAX, (index + 1) * CHUNK_ROWS_MAX),
    }));
  });
  const campaignIds = chunks.map(({ campaignId }) => campaignId);
  const chunkNos = chunks.map(({ chunkNo }) => chunkNo);
  await sql.query(APPEND_CHUNKS, [
    campaignIds,
    chunkNos,
    chunks.map(({ lane }) => lane),
    JSON.stringify(chunks.map(({ recipients }) => recipients)),
  ]);
  const { rows } = await sql.query<{
    id: string;
    campaign_id: string;
    chunk_no: number;
    custom_user_id: string;
    is_sendable: boolean;
  }>(EXPAND_APPENDED, [
    campaignIds,
    chunkNos,
    counterShard,
    DISPATCH_GRACE_SECONDS,
    stringifyExactJson(Object.fromEntries(contexts)),
  ]);
  const sendable = new Set(
    rows.filter((row) => row.is_sendable).map((row) => `${row.campaign_id} ${row.chunk_no}`),
  );
  return {
    deliveries: new Map(rows.map((row) => [`${row.campaign_id} ${row.custom_user_id}`, row.id])),
    chunks: chunks
      .filter(
        ({ campaignId, chunkNo, lane }) =>
          lane === 'express' && sendable.has(`${campaignId} ${chunkNo}`),
      )
      .map(({ recipients: _recipients, ...chunk }) => chunk),
  };
}
