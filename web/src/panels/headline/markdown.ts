/** A finding as Markdown, to be put into an issue or a message. */
import type { Finding } from '../../api/types';
import { fileName } from '../../parts/file-name';

/** Line, function, step: `train.py:53, train_step(), step 3`. */
export function whereabouts({ source, function: name, step, iteration }: Finding): string {
  return [
    source ? `${fileName(source.file)}:${source.line}` : '',
    name ? `${name}()` : '',
    step === null ? '' : `step ${step}`,
    iteration === null ? '' : `iteration ${iteration}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The finding in full, with the link to its place; a link to a file on a disk leads nobody anywhere. */
export function markdown(finding: Finding, link: string): string {
  const { title, explanation, suggestion, source, cause } = finding;
  const where = whereabouts(finding);
  const parts = [
    `**${title}**${where ? ` (${where})` : ''}`,
    `\`${cause}\`: ${explanation}`,
    source?.text ? `\`\`\`python\n${source.text.trim()}\n\`\`\`` : '',
    suggestion ? `**Fix:** ${suggestion}` : '',
    /^https?:/.test(link) ? `[In tensordbg](${link})` : '',
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
