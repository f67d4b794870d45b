import type { RenderFaultCode } from '../../push/templates.ts';
import type { Explanation } from './explanation.ts';

/** Why a message could not be rendered for a user. */
export const RENDER_FAULT_EXPLANATIONS = {
  missing_variable: {
    summary: 'The user has no value for a variable without a default.',
    remedy: 'Give it a default: {{ user.firstName | default: "there" }}.',
  },
  not_text: {
    summary: 'The value of a variable is an object, not a text or number.',
    remedy: 'Name a field of it, or use the filter json.',
  },
  forbidden_link: {
    summary: 'The rendered link has a scheme that is not allowed.',
    remedy: 'Begin the link with https:// in the template, or correct the user’s value.',
  },
  unsafe_place: {
    summary: 'A value stands where it could change the page, or where a link leads.',
    remedy:
      'Put the output into text, or into an attribute value in quotes. Behind the host of a link, write / first.',
  },
  empty: {
    summary: 'The rendered text is empty.',
    remedy: 'Write text that every user gets.',
  },
  too_long: {
    summary: 'The rendered text is longer than the channel allows.',
    remedy: 'Shorten values with the filter truncate.',
  },
  limit: {
    summary: 'Rendering takes more time or memory than is allowed.',
    remedy: 'Shorten loops and lists.',
  },
  failed: {
    summary: 'A filter cannot be applied to the user’s value.',
    remedy: 'Check the type of the value: {% if %} and default help.',
  },
} as const satisfies Record<RenderFaultCode, Explanation>;
