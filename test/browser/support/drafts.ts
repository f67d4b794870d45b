import type { Answer, Answers, Call } from './answer-calls.ts';

type Content = Readonly<Record<string, unknown>>;
export type Draft = {
  readonly draftId: string;
  readonly version: number;
  readonly content: Content;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

/** The drafts of an application in memory, by the rules of the service. Several visits may share them. */
export interface FakeDrafts {
  readonly all: ReadonlyMap<string, Draft>;
  /** The answers of the service to one member. */
  answersTo(email: string): Answers;
  /** Stores one, or a version of one, as another editor does. */
  write(draftId: string, content: Content, by?: string): Draft;
  delete(draftId: string): void;
  /** Until it is called again, writes get this answer. */
  failWith(answer: Answer | null): void;
}

const problem = (status: number, code: string, detail: string): Answer => ({
  status,
  json: { type: 'about:blank', title: code, status, code, detail, requestId: '' },
});

export function fakeDrafts(): FakeDrafts {
  const all = new Map<string, Draft>();
  let failure: Answer | null = null;

  const write: FakeDrafts['write'] = (draftId, content, by = 'grace@shop.example') => {
    const before = all.get(draftId);
    const draft = {
      draftId,
      version: (before?.version ?? 0) + 1,
      content,
      createdAt: before?.createdAt ?? Date.now(),
      createdBy: before?.createdBy ?? `member:${by}`,
      updatedAt: Date.now(),
      updatedBy: by === 'deletion' ? by : `member:${by}`,
    };
    all.set(draftId, draft);
    return draft;
  };
  const find = ({ name }: Call): Draft | undefined => all.get(name.split('/').at(-1) ?? '');
  const gone = problem(404, 'not_found', 'This application has no draft with this id.');
  const contentOf = ({ body }: Call): Content => (body as { readonly content: Content }).content;

  return {
    all,
    write,
    delete: (draftId) => void all.delete(draftId),
    failWith(answer) {
      failure = answer;
    },
    answersTo: (email) => ({
      'GET drafts': () => ({
        json: { items: [...all.values()].map(listed).toReversed(), nextCursor: null },
      }),
      'POST drafts': (call) =>
        failure ?? { status: 201, json: write(crypto.randomUUID(), contentOf(call), email) },
      'GET drafts/*': (call) => {
        const json = find(call);
        return json === undefined ? gone : { json };
      },
      'PUT drafts/*': (call) => {
        const draft = find(call);
        const { expectedVersion } = call.body as { readonly expectedVersion: number };
        if (failure !== null) return failure;
        if (draft === undefined) return gone;
        if (draft.version !== expectedVersion)
          return problem(409, 'conflict', 'The draft has another version.');
        return { json: write(draft.draftId, contentOf(call), email) };
      },
      'DELETE drafts/*': (call) => {
        all.delete(find(call)?.draftId ?? '');
        return { json: null };
      },
    }),
  };
}

function listed({ content, ...state }: Draft): object {
  const { name = null, tags = [], channel = null, segment = null, recipients } = content;
  const { title = null } = (content['message'] ?? {}) as Content;
  return {
    ...state,
    name,
    tags,
    channel,
    title,
    segment,
    recipients: Array.isArray(recipients) ? recipients.length : null,
  };
}
