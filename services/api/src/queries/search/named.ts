import type { AutomationStatus } from '@tidings/contracts/automations/runs';
import type { Channel } from '@tidings/contracts/channels/channels';
import { statementsIn } from '@tidings/postgres/statements';
import { wordsOf } from '../campaigns/find-campaigns.ts';
import type { Search, SearchQuestion } from './question.ts';

const statement = statementsIn(import.meta.dirname);

const parameters = ({ applicationId, text, limit }: SearchQuestion) => [
  applicationId,
  wordsOf(text),
  text,
  limit,
];

/** Segments by name and slug; those that begin with the text first. */
export const searchSegments: Search = (question) => {
  if (question.uuid !== null) return null;
  return async (sql) => {
    const { rows } = await sql.query<{ slug: string; name: string }>(
      statement('find-segments'),
      parameters(question),
    );
    return {
      items: rows.map(({ slug, name }) => ({
        kind: 'segment',
        id: slug,
        title: name,
        detail: slug,
      })),
    };
  };
};

/** The same of automations. */
export const searchAutomations: Search = (question) => {
  if (question.uuid !== null) return null;
  return async (sql) => {
    const { rows } = await sql.query<{ slug: string; name: string; status: string }>(
      statement('find-automations'),
      parameters(question),
    );
    return {
      items: rows.map(({ slug, name, status }) => ({
        kind: 'automation',
        id: slug,
        title: name,
        detail: slug,
        status: status as AutomationStatus,
      })),
    };
  };
};

/** The same of templates. */
export const searchTemplates: Search = (question) => {
  if (question.uuid !== null) return null;
  return async (sql) => {
    const { rows } = await sql.query<{ slug: string; name: string; channel: Channel }>(
      statement('find-templates'),
      parameters(question),
    );
    return {
      items: rows.map(({ slug, name, channel }) => ({
        kind: 'template',
        id: slug,
        title: name,
        detail: slug,
        channel,
      })),
    };
  };
};
