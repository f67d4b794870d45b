import type { Mutant } from './run-mutants.ts';

const LIQUID = 'packages/templates/src/liquid';
const RENDERING = 'packages/templates/src/rendering';
const HTML = 'packages/templates/src/html';
const UNIT = { project: 'unit', pattern: 'packages/templates' } as const;
const HOSTILE = { project: 'unit', pattern: 'packages/templates/src/hostile-values' } as const;
const BAD = { project: 'unit', pattern: 'packages/templates/src/bad-templates' } as const;
const LINKS = { project: 'unit', pattern: 'packages/templates/src/html/links' } as const;
const RENDER = { project: 'unit', pattern: 'packages/templates/src/render' } as const;
const STEPS = {
  project: 'unit',
  pattern: 'packages/templates/src/liquid/step-limit',
} as const;
const BOMBS = { project: 'unit', pattern: 'packages/templates/src/bombs' } as const;
const THREADS = { project: 'unit', pattern: RENDERING } as const;
const WORKER = {
  project: 'integration',
  pattern: 'packages/channel-worker/src/personalised',
} as const;
const GATEWAY = {
  project: 'integration',
  pattern: 'services/gateway/src/routes/push/personalised',
} as const;
const MAIL = { project: 'unit', pattern: 'services/worker-email/src/personal-mail' } as const;

/** Mutants of the rules that keep templates safe, bounded and never half empty. */
export const TEMPLATES_MUTANTS: readonly Mutant[] = [
  {
    name: 'an empty text is a value',
    file: `${LIQUID}/render-context.ts`,
    find: "(value === '' && object !== this.bottom())",
    replace: 'false',
    tests: RENDER,
  },
  {
    name: 'null is a value',
    file: `${LIQUID}/render-context.ts`,
    find: 'value === null || ',
    replace: '',
    tests: RENDER,
  },
  {
    name: 'what a template assigned may not be empty',
    file: `${LIQUID}/render-context.ts`,
    find: ' && object !== this.bottom()',
    replace: '',
    tests: RENDER,
  },
  {
    name: 'a filter that leaves nothing leaves an empty text',
    file: `${LIQUID}/patch-nodes.ts`,
    find: "if (text === '' && !mayBeEmpty)",
    replace: 'if (false)',
    tests: RENDER,
  },
  {
    name: 'assign reads missing variables as nothing',
    file: `${LIQUID}/patch-nodes.ts`,
    find: 'scope[key] = read(ctx, false);',
    replace: 'scope[key] = read(ctx, true);',
    tests: RENDER,
  },
  {
    name: 'a missing variable is null',
    file: `${LIQUID}/direct-values.ts`,
    find: 'if (isLenient) return null;',
    replace: 'return null;',
    tests: RENDER,
  },
  {
    name: 'inherited properties exist',
    file: `${LIQUID}/engine.ts`,
    find: 'ownPropertyOnly: true,',
    replace: 'ownPropertyOnly: false,',
    tests: RENDER,
  },
  {
    name: 'every tag exists',
    file: `${LIQUID}/engine.ts`,
    find: 'if (!TAGS.includes(tag)) delete',
    replace: 'if (false) delete',
    tests: BAD,
  },
  {
    name: 'variables of any name exist',
    file: `${LIQUID}/variables.ts`,
    find: 'if (fields === undefined)',
    replace: 'if (fields === undefined && false)',
    tests: BAD,
  },
  {
    name: 'fields of any name exist',
    file: `${LIQUID}/variables.ts`,
    find: 'if (field === undefined || !fields.includes(field))',
    replace: 'if (field === undefined || (fields !== undefined && false))',
    tests: BAD,
  },
  {
    name: 'blocks may be nested as deep as they like',
    file: `${LIQUID}/parse-text.ts`,
    find: 'if (depth > TEXT_LIMITS.depthMax)',
    replace: 'if (depth > 1_000_000)',
    tests: BAD,
  },
  {
    name: 'steps are not bounded',
    file: `${LIQUID}/step-limit.ts`,
    find: 'if (this.steps > TEXT_LIMITS.stepsMax)',
    replace: 'if (this.steps > Infinity)',
    tests: BOMBS,
  },
  {
    name: 'any text is looked for',
    file: `${LIQUID}/step-limit.ts`,
    find: 'if (wantedChars > TEXT_LIMITS.searchCharsMax)',
    replace: 'if (wantedChars > Infinity)',
    tests: STEPS,
  },
  {
    name: 'a search is a step like any other',
    file: `${LIQUID}/step-limit.ts`,
    find: 'this.count(Math.floor((textChars * wantedChars) / COMPARISONS_PER_STEP));',
    replace: 'this.count(0);',
    tests: BOMBS,
  },
  {
    name: 'operators are no steps',
    file: `${LIQUID}/counted.ts`,
    find: "    steps.step();\n    if (name === 'contains'",
    replace: "    if (name === 'contains'",
    tests: BOMBS,
  },
  {
    name: 'time is looked at between nodes alone',
    file: `${LIQUID}/step-limit.ts`,
    find: 'if (this.unseen >= STEPS_PER_LOOK)',
    replace: 'if (this.unseen >= Infinity)',
    tests: STEPS,
  },
  {
    name: 'a rendering that never ends is not ended',
    file: `${RENDERING}/overrun-watch.ts`,
    find: 'return this.looks * LOOK_MS >= max',
    replace: 'return this.looks < 0',
    tests: THREADS,
  },
  {
    name: 'a rendering without CPU is ended',
    file: `${RENDERING}/overrun-watch.ts`,
    find: ' && cpuMs - this.cpuAtTurn >= max;',
    replace: ';',
    tests: THREADS,
  },
  {
    name: 'an application may have all threads',
    file: `${RENDERING}/job-queue.ts`,
    find: 'if (busy.has(applicationId)) continue;',
    replace: '',
    tests: THREADS,
  },
  {
    name: 'applications take no turns',
    file: `${RENDERING}/job-queue.ts`,
    find: '      this.waiting.delete(applicationId);\n',
    replace: '      if (own.length === 0) this.waiting.delete(applicationId);\n',
    tests: THREADS,
  },
  {
    name: 'captured text is not charged',
    file: `${LIQUID}/patch-nodes.ts`,
    find: 'ctx.memoryLimit.use(text.length);',
    replace: '',
    tests: BOMBS,
  },
  {
    name: 'bounds of ranges are not checked',
    file: `${LIQUID}/patch-ranges.ts`,
    find: 'if (Math.abs(bound) <= BOUND_MAX) return bound;',
    replace: 'if (bound < 1e12) return bound;',
    tests: BOMBS,
  },
  {
    name: 'a range is not charged',
    file: `${LIQUID}/patch-ranges.ts`,
    find: 'ctx.memoryLimit.use(count);',
    replace: 'if (count > 20_000_000) ctx.memoryLimit.use(count);',
    tests: BOMBS,
  },
  {
    name: 'values in HTML are not escaped',
    file: `${HTML}/skeleton.ts`,
    find: 'isHtml ? text.map(escapeHtml) : text',
    replace: 'isHtml ? text : text',
    tests: HOSTILE,
  },
  {
    name: 'quotes are not escaped',
    file: `${HTML}/escape-html.ts`,
    find: "  '\"': '&quot;',",
    replace: "  '\"': '\"',",
    tests: HOSTILE,
  },
  {
    name: 'single quotes are not escaped',
    file: `${HTML}/escape-html.ts`,
    find: "  \"'\": '&#39;',",
    replace: '  "\'": "\'",',
    tests: HOSTILE,
  },
  {
    name: 'a link of a value is not checked',
    file: `${HTML}/skeleton.ts`,
    find: 'if (!isAllowedLink(whole)) {',
    replace: 'if (whole === null) {',
    tests: HOSTILE,
  },
  {
    name: 'values inside of links are not encoded',
    file: `${HTML}/links.ts`,
    find: 'encodeURIComponent(value);',
    replace: 'value;',
    tests: LINKS,
  },
  {
    name: 'a value may follow any scheme',
    file: `${HTML}/links.ts`,
    find: "WEB_START.test(scheme) ? 'part' : 'forbidden'",
    replace: "'part'",
    tests: BAD,
  },
  {
    name: 'what browsers ignore in a link counts',
    file: `${HTML}/links.ts`,
    find: "first.replaceAll(IGNORED, '')",
    replace: 'first',
    tests: LINKS,
  },
  {
    name: 'a value may name a tag',
    file: `${HTML}/find-places.ts`,
    find: 'if (!TAG_START.test(html.slice(Math.max(0, at - 2), at)))',
    replace: 'if (at >= 0)',
    tests: BAD,
  },
  {
    name: 'a value may stand without quotes',
    file: `${HTML}/find-places.ts`,
    find: "if (rawTag !== '' || !isQuoted) return;",
    replace: "if (rawTag !== '') return;",
    tests: BAD,
  },
  {
    name: 'a value may stand in a script',
    file: `${HTML}/find-places.ts`,
    find: "if (rawTag !== '') return;",
    replace: '',
    tests: BAD,
  },
  {
    name: 'a value may stand in a handler',
    file: `${HTML}/find-places.ts`,
    find: ' || CLOSED_ATTRIBUTE.test(name)',
    replace: '',
    tests: BAD,
  },
  {
    name: 'a value ends a comment that Outlook reads',
    file: `${HTML}/skeleton.ts`,
    find: 'inComments.has(index) ? escapeInComment(escaped) : escaped',
    replace: 'escaped',
    tests: RENDER,
  },
  {
    name: 'a subject keeps line breaks',
    file: 'packages/templates/src/compile-text.ts',
    find: "text.replaceAll(CONTROLS, ' ').trim()",
    replace: 'text.trim()',
    tests: HOSTILE,
  },
  {
    name: 'a value may hold marks',
    file: `${LIQUID}/parts.ts`,
    find: "        .replaceAll(MARK, '\\uFFFD');",
    replace: '        .replaceAll(MARK, (mark) => mark);',
    tests: UNIT,
  },
  {
    name: 'a rendered field is not checked',
    file: 'packages/templates/src/compile-text.ts',
    find: '      checkRules(text);\n',
    replace: '',
    tests: HOSTILE,
  },
  {
    name: 'keys are rendered',
    file: 'packages/templates/src/compile-message.ts',
    find: 'replaceIn(copy, rest, value);',
    replace: 'replaceIn(copy, [String(value)], value);',
    tests: RENDER,
  },
  {
    name: 'a message that cannot be rendered is tried',
    file: 'packages/channel-worker/src/render-recipients.ts',
    find: '  ...failureOf(fault),\n',
    replace: "  state: 'retry_wait', delayMs: 60_000,\n",
    tests: WORKER,
  },
  {
    name: 'the last variant wins',
    file: 'packages/templates/src/choose-variants.ts',
    find: 'customUserIds.filter((id) => !chosen.has(id))',
    replace: 'customUserIds.filter(() => true)',
    tests: WORKER,
  },
  {
    name: 'users are split alike in every campaign',
    file: 'packages/templates/src/choose-share.ts',
    find: '`${campaignId}:${customUserId}`',
    replace: '`${customUserId}`',
    tests: { project: 'unit', pattern: 'packages/templates/src/choose-share' },
  },
  {
    name: 'a repeated push looks for its template again',
    file: 'packages/campaign-intake/src/accept-push.ts',
    find: ' || push.templateNames !== null)',
    replace: ')',
    tests: GATEWAY,
  },
  {
    name: 'a campaign asks the segments of variants as they are later',
    file: 'packages/campaign-intake/src/resolve-templates.ts',
    find: 'condition: inlineSegments(variant.condition, segments),',
    replace: '',
    tests: GATEWAY,
  },
  {
    name: 'a segment that a variant names may be deleted',
    file: 'packages/segments/src/segments.ts',
    find: '+ templates.length > 0',
    replace: '> 0',
    tests: { project: 'integration', pattern: 'services/api/src/routes/segments/409' },
  },
  {
    name: 'all mails have the values of the first',
    file: 'services/worker-email/src/providers/smtp/compose.ts',
    find: 'fillBody(template, links, delivery.personal)',
    replace: 'fillBody(template, links)',
    tests: MAIL,
  },
  {
    name: 'the unsubscribe placeholder of a value is filled in',
    file: 'services/worker-email/src/mail-content.ts',
    find: 'fillText(text, personal?.text ?? [], links)',
    replace:
      "fillText(text, personal?.text ?? [], links).replaceAll('{{unsubscribeUrl}}', () => links.unsubscribe ?? '')",
    tests: MAIL,
  },
];
