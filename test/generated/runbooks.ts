import { readAlerts } from '../observability/alerts.ts';

const START = '<!-- alerts: made by `npm run generate` -->';
const END = '<!-- end of alerts -->';

/** Every alert of the chart as a Markdown section: severity, duration, meaning, impact, first command, remedy. */
function alertSections(): string {
  return readAlerts()
    .map(({ alert, for: duration, labels, annotations }) =>
      [
        `### ${alert}`,
        `Severity ${labels['severity']}${duration === undefined ? '' : `, after ${duration}`}.`,
        `**Meaning.** ${readable(annotations['summary'] ?? '')}`,
        `**Impact.** ${readable(annotations['impact'] ?? '')}`,
        `**First command.**`,
        `\`\`\`sh\n${withPlaceholders(annotations['command'] ?? '')}\n\`\`\``,
        `**Remedy.** ${readable(annotations['runbook'] ?? '')}`,
      ].join('\n\n'),
    )
    .join('\n\n');
}

/** `{{ $labels.channel }}` → `<channel>`, `{{ $value | humanizeDuration }}` → `<value>`. */
function withPlaceholders(text: string): string {
  return text.replaceAll(
    /\{\{ \$(?:labels\.)?(\w+)(?: \| [^}]+)? \}\}/g,
    (_match, name: string) => `<${name}>`,
  );
}

/** With placeholders in code, so that Markdown keeps them. */
const readable = (text: string): string =>
  withPlaceholders(text).replaceAll(/<\w+>/g, (placeholder) => `\`${placeholder}\``);

/** docs/operations/runbooks.md with the current alerts between its marks. @throws when a mark is missing */
export function withAlerts(document: string): string {
  const [before, rest] = document.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/operations/runbooks.md lacks the marks of the alerts');
  return `${before}${START}\n\n${alertSections()}\n\n${END}${after}`;
}
