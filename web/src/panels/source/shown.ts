/** Which line of which file the source panel shows. */
import type { LineView, Margin, OperationAtLine } from '../../api/types';
import type { Place } from '../../state/place';

export interface Spot {
  readonly file: string;
  readonly line: number | undefined;
}

/** What has a line and a stack: an event or a finding. */
interface Traced {
  readonly source: LineView | null;
  readonly stack: readonly LineView[];
}

/**
 * The line that the place asks for, else that of what is chosen: in the file that stays where it has a frame there,
 * else where its own line is. Undefined where nothing says.
 */
export function shownSpot(here: Place, traced: Traced | undefined): Spot | undefined {
  if (here.file) return { file: here.file, line: here.line };
  const staying = here.pin ? traced?.stack.findLast(({ file }) => file === here.pin) : undefined;
  const found = staying ?? traced?.source;
  if (found) return { file: found.file, line: found.line };
  return here.pin ? { file: here.pin, line: undefined } : undefined;
}

/** The operation at a line that one should see first: with the most that is not finite, else with an event. */
export function foremost({ operations }: Margin): OperationAtLine | undefined {
  const worst = operations.reduce<OperationAtLine | undefined>(
    (best, each) => (each.non_finite > (best?.non_finite ?? 0) ? each : best),
    undefined,
  );
  return worst ?? operations.find(({ event }) => event !== null) ?? operations[0];
}

/** What the margin says of a line: `✕ Log +3`, with all of it for the tooltip. */
export function marginWords(margin: Margin): { readonly short: string; readonly full: string; readonly bad: boolean } {
  const first = foremost(margin);
  const more = margin.operations.length - 1;
  const bad = margin.operations.some(({ non_finite }) => non_finite > 0);
  return {
    bad,
    short: `${bad ? '✕ ' : ''}${first?.op_type ?? ''}${more ? ` +${more}` : ''}`,
    full: margin.operations
      .map(
        ({ op_type, events, non_finite }) =>
          `${op_type}: ${events} events${non_finite ? `, ${non_finite} not finite` : ''}`,
      )
      .join('\n'),
  };
}

/** The nearest line with operations after (by 1) or before (by -1) a line; undefined where there is none. */
export function nextMargin(margins: readonly Margin[], line: number, by: 1 | -1): Margin | undefined {
  return by > 0 ? margins.find((each) => each.line > line) : margins.findLast((each) => each.line < line);
}

/** A link that opens a file in the editor, from the server's template; empty where there is none. */
export function editorLink(template: string, { file, line }: Spot): string {
  return template.replaceAll('{file}', encodeURI(file)).replaceAll('{line}', String(line ?? 1));
}
