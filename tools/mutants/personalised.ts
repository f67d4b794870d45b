import type { Mutant } from './run-mutants.ts';

const INTAKE = 'packages/campaign-intake/src';
const LIQUID = 'packages/liquid/src';
const RENDERING = 'packages/templates/src';
const WORKER = 'packages/channel-worker/src';

const NOTES = { project: 'integration', pattern: `${WORKER}/rendering-notes` } as const;
const READING = { project: 'unit', pattern: `${INTAKE}/push-templates` } as const;
const RESOLVING = {
  project: 'integration',
  pattern: 'services/gateway/src/routes/push/personalised',
} as const;
const CHUNKS = { project: 'integration', pattern: 'services/campaigns/src/personalised' } as const;
const SENDING = { project: 'integration', pattern: `${WORKER}/personalised` } as const;
const MAIL = { project: 'unit', pattern: 'services/worker-email/src/personal-mail' } as const;

/**
 * Mutants of the rules that keep each recipient's own words with this recipient, from the push to
 * the provider, and templates from workers that cannot render.
 */
export const PERSONALISED_MUTANTS: readonly Mutant[] = [
  // Numbers of chunks below zero
  {
    name: 'chunks of a personalised campaign are numbered as others',
    file: 'packages/delivery/src/accept.ts',
    find: 'chunkNo: isPersonalised ? index - count : index,',
    replace: 'chunkNo: index,',
    tests: CHUNKS,
  },
  {
    name: 'chunks of a personalised campaign to a segment are numbered as others',
    file: 'packages/database/migrations/77_baseline.sql',
    find: 'set chunk_no = chunk_no - chunks.n',
    replace: 'set chunk_no = chunk_no - 0 * chunks.n',
    tests: CHUNKS,
  },
  {
    name: 'chunks of each campaign to a segment get other numbers',
    file: 'packages/database/migrations/77_baseline.sql',
    find: "when (old.lane = 'snapshot' and new.templates is not null)",
    replace: "when (old.lane = 'snapshot')",
    tests: CHUNKS,
  },
  {
    name: 'chunks of a campaign that asks its segment again are numbered as others',
    file: 'packages/database/migrations/77_baseline.sql',
    find: "(new.audience ->> 'recheck')::boolean",
    replace: 'false',
    tests: CHUNKS,
  },
  {
    name: 'older versions find the message of a personalised campaign',
    file: 'packages/delivery/src/accept.ts',
    find: "templates === null ? stringifyExactJson(message) : 'null';",
    replace: 'stringifyExactJson(message);',
    tests: CHUNKS,
  },
  {
    name: 'workers skip numbers below zero',
    file: `${WORKER}/handle-dispatch-records.ts`,
    find: 'Math.abs(chunkNo) >= 2 ** 31',
    replace: 'chunkNo < 0 || chunkNo >= 2 ** 31',
    tests: SENDING,
  },
  {
    name: 'a cancel changes no rows of chunks below zero at once',
    file: 'packages/delivery/src/chunk-actions.ts',
    find: '[index, -1 - index]',
    replace: '[index, index]',
    tests: CHUNKS,
  },
  {
    name: 'a list of deliveries begins with chunk 0',
    file: 'packages/campaign-reports/src/list-deliveries.ts',
    find: 'chunkNo: -(2 ** 31),',
    replace: 'chunkNo: 0,',
    tests: SENDING,
  },

  // What a push says
  {
    name: 'each message is a template',
    file: `${INTAKE}/read-push.ts`,
    find: 'request.personalize === true && templateNames === null',
    replace: 'templateNames === null',
    tests: READING,
  },
  {
    name: 'no message is a template',
    file: `${INTAKE}/read-push.ts`,
    find: 'request.personalize === true && templateNames === null',
    replace: 'false',
    tests: READING,
  },
  {
    name: 'a template wins over a message beside it',
    file: `${INTAKE}/push-templates.ts`,
    find: 'if (given.length > 1)',
    replace: 'if (given.length > 3)',
    tests: READING,
  },
  {
    name: 'a message that cannot be compiled is accepted',
    file: `${INTAKE}/push-templates.ts`,
    find: 'return check.ok ? [] : check.errors;',
    replace: 'return [];',
    tests: READING,
  },
  {
    name: 'a template of another channel is sent',
    file: `${RENDERING}/find-templates.ts`,
    find: 'else if (template.channel !== channel)',
    replace: "else if (template.channel !== channel && channel === 'SMS')",
    tests: RESOLVING,
  },
  {
    name: 'a variant whose segment is gone is kept',
    file: `${RENDERING}/find-templates.ts`,
    find: 'namedFunnels(condition).length > 0',
    replace: 'namedFunnels(condition).length > 1_000',
    tests: RESOLVING,
  },
  {
    name: 'a campaign keeps templates of any size',
    file: `${RENDERING}/find-templates.ts`,
    find: 'if (before <= BYTES_MAX && bytes > BYTES_MAX)',
    replace: 'if (bytes < before)',
    tests: RESOLVING,
  },
  {
    name: 'an archived template is sent',
    file: `${RENDERING}/sql/templates.sql`,
    block: 'read-template-versions',
    find: ' and t.archived_at is null',
    replace: '',
    tests: RESOLVING,
  },
  {
    name: 'a template of another application is sent',
    file: `${RENDERING}/sql/templates.sql`,
    block: 'read-template-versions',
    find: 'join templates t on t.application_id = $1',
    replace: 'join templates t on $1::uuid is not null',
    tests: RESOLVING,
  },
  {
    name: 'a push that names a version sends the current one',
    file: `${RENDERING}/sql/templates.sql`,
    block: 'read-template-versions',
    find: 'coalesce(a.version, t.version)',
    replace: 'coalesce(t.version, a.version)',
    tests: RESOLVING,
  },
  {
    name: 'a template is overwritten by who has not seen its version',
    file: `${RENDERING}/templates.ts`,
    find: "seen))) return 'moved';",
    replace: 'seen))) void 0;',
    tests: { project: 'integration', pattern: 'services/api/src/routes/templates/409' },
  },

  // Whose values, and which words
  {
    name: 'a message that was rendered is sent as its template',
    file: `${WORKER}/prepare.ts`,
    find: '...(rendered === undefined ? { message: campaign.message } : messageOf(rendered)),',
    replace: 'message: campaign.message,',
    tests: SENDING,
  },
  {
    name: 'a message that cannot be rendered is sent as its template',
    file: `${WORKER}/render-recipients.ts`,
    find: '      changes.push(changeOf(prepared, message));',
    replace: '      open.push(prepared);',
    tests: SENDING,
  },
  {
    name: 'a user who was deleted since the claim is sent to',
    file: `${RENDERING}/render-campaign.ts`,
    find: 'const users = await readUsers(db, { applicationId, customUserIds: unrecorded, attributes });',
    replace:
      'const known = await readUsers(db, { applicationId, customUserIds: unrecorded, attributes });\n  const users = new Map(customUserIds.map((id) => [id, known.get(id) ?? { customUserId: id, registeredAt: 0, fields: {}, customAttributes: {} }]));',
    tests: SENDING,
  },
  {
    name: 'profiles of another application are read',
    file: 'packages/people/src/sql/template-users.sql',
    block: 'read-template-users',
    find: 'where u.application_id = $1',
    replace: 'where $1::uuid is not null',
    tests: SENDING,
  },
  {
    name: 'attributes that only a variant shows are not read',
    file: `${RENDERING}/know-campaign.ts`,
    find: '({ condition, message: withKey(own) })',
    replace: '({ condition, message: { key: `${campaignId}:${Math.random()}`, message: own } })',
    tests: SENDING,
  },
  {
    name: 'attributes that are computed are not read',
    file: `${LIQUID}/filling.ts`,
    find: 'else if (key === undefined) isAny = true;',
    replace: 'else if (key === undefined) continue;',
    tests: SENDING,
  },
  {
    name: 'a later attempt has other words',
    file: `${WORKER}/render-recipients.ts`,
    find: 'if (again.length === 0) return new Map();',
    replace: 'if (again.length >= 0) return new Map();',
    tests: SENDING,
  },
  {
    name: 'now is another moment when a message is rendered again',
    file: `${LIQUID}/user-scope.ts`,
    find: '[NOW]: renderedAt }',
    replace: '[NOW]: Date.now() }',
    tests: SENDING,
  },
  {
    name: 'a record stays when a delivery begins anew',
    file: 'packages/delivery/src/chunk-actions.ts',
    find: "if (action === 'retry-failed')\n    await deleteDeliveryData(",
    replace: "if (action === 'cancel')\n    await deleteDeliveryData(",
    tests: SENDING,
  },
  {
    name: 'campaigns of a channel have the templates of the first',
    file: `${RENDERING}/know-campaign.ts`,
    find: 'const { campaignId, templates } = campaign;',
    replace: 'const { channel: campaignId, templates } = campaign;',
    tests: SENDING,
  },
  {
    name: 'users with a variant get the message',
    file: `${RENDERING}/render-campaign.ts`,
    find: 'variantNo === null ? template : itemAt(template.variants, variantNo);',
    replace: 'template;',
    tests: SENDING,
  },
  {
    name: 'a variant is chosen by the conditions of another template',
    file: `${RENDERING}/render-campaign.ts`,
    find: 'ids.filter((id) => templateOf(id) === index)',
    replace: 'ids.filter((id) => templateOf(id) >= 0)',
    tests: SENDING,
  },
  {
    name: 'while conditions take too long users count as deleted',
    file: `${RENDERING}/render-campaign.ts`,
    find: "if (variants === 'timed_out') return variants;",
    replace: "if (variants === 'timed_out') return new Map();",
    tests: SENDING,
  },
  {
    name: 'all recipients of a split get the first template',
    file: `${RENDERING}/render-campaign.ts`,
    find: 'const template = itemAt(templates, templateNo);',
    replace: 'const template = itemAt(templates, 0);',
    tests: SENDING,
  },
  {
    name: 'a share takes one part of the next',
    file: `${RENDERING}/choose-share.ts`,
    find: 'if (left < share) return index;',
    replace: 'if (left <= share) return index;',
    tests: { project: 'unit', pattern: `${RENDERING}/choose-share` },
  },
  {
    name: 'a daily cap counts the units of the template',
    file: `${WORKER}/policies/mark-group-sending.ts`,
    find: 'group.flatMap(({ rendered }) => rendered?.message ?? []);',
    replace: 'group.flatMap(() => []);',
    tests: SENDING,
  },

  // A message that ends its process
  {
    name: 'a chunk is rendered without a note',
    file: `${WORKER}/render-recipients.ts`,
    find: 'await noteRendering(chunk);',
    replace: '{ count: 0, rows: new Set<string>() };\n  void noteRendering;',
    tests: NOTES,
  },
  {
    name: 'what may have ended a process is rendered at once',
    file: `${WORKER}/render-recipients.ts`,
    find: 'if (notes.count > 0) await untilRenderedAgain(deps);',
    replace: 'void untilRenderedAgain;',
    tests: NOTES,
  },
  {
    name: 'a chunk that is rendered for long holds its turn',
    file: `${WORKER}/send-chunk.ts`,
    find: 'noticeLongRendering(deps, onHeldUp)',
    replace: 'noticeLongRendering(deps, () => undefined)',
    tests: { project: 'integration', pattern: `${WORKER}/put-off` },
  },
  {
    name: 'rows are rendered for longer than their lease',
    file: `${RENDERING}/rendering/render-pool.ts`,
    find: 'performance.now() < endsAt',
    replace: 'true',
    tests: { project: 'integration', pattern: `${WORKER}/put-off` },
  },
  {
    name: 'a chunk is claimed while renderings of its application wait',
    file: `${WORKER}/rendering-waits.ts`,
    find: 'waitMs > WAIT_MAX_MS ?',
    replace: 'waitMs > Infinity ?',
    tests: { project: 'integration', pattern: `${WORKER}/put-off` },
  },
  {
    name: 'the note of a chunk is not taken back',
    file: `${WORKER}/render-recipients.ts`,
    find: 'await retry(TAKE_BACK, () => takeBackRendering(chunk));',
    replace: 'void takeBackRendering;',
    tests: NOTES,
  },
  {
    name: 'a chunk that ended processes is rendered as any other',
    file: `${WORKER}/render-recipients.ts`,
    find: 'notes.count < NOTES_MAX',
    replace: 'notes.count < Infinity',
    tests: NOTES,
  },
  {
    name: 'a row that ended its process is rendered again',
    file: `${WORKER}/render-recipients.ts`,
    find: 'if (notes.rows.has(deliveryId)) {',
    replace: 'if (false) {',
    tests: NOTES,
  },
  {
    name: 'a row fails because of another failure while it was rendered',
    file: `${WORKER}/render-recipients.ts`,
    find: 'noteRow(db, chunk, { before: deliveryId, next: null })),',
    replace: 'Promise.resolve()),',
    tests: NOTES,
  },
  {
    name: 'a row of another worker fails, which renders it',
    file: `${WORKER}/render-recipients.ts`,
    find: '    if (!own.has(targetKey(prepared.delivery))) continue;\n',
    replace: '',
    tests: NOTES,
  },

  // On the way to the user
  {
    name: 'the inbox gets the template',
    file: `${WORKER}/deliver-to-inbox.ts`,
    find: '    if (rendered !== undefined)\n',
    replace: '    if (rendered === null)\n',
    tests: SENDING,
  },
  {
    name: 'a device gets the message of the campaign',
    file: 'packages/delivery/src/sql/inbox.sql',
    block: 'lease-messages',
    find: 'i.message::text as message,',
    replace: 'null::text as message,',
    tests: { project: 'integration', pattern: 'services/client-api/src/routes/messages/200' },
  },
  {
    name: 'a mail has the subject of its campaign',
    file: 'services/worker-email/src/mail.ts',
    find: "personal === undefined ? message['title'] : personal.subject;",
    replace: "message['title'];",
    tests: MAIL,
  },
  {
    name: 'a mail has the subject of the first one too',
    file: 'services/worker-email/src/providers/smtp/mail-template.ts',
    find: 'delivery.personal === undefined ? {',
    replace: 'subject !== undefined ? {',
    tests: MAIL,
  },
];
