/** Asks for the graph around the chosen event, and around each node whose hidden neighbours are wanted. */
import type { Answers, Where } from '../../api/answers';
import type { GraphView } from '../../api/types';

export interface Wanted {
  readonly event: number;
  readonly hops: number;
  /** As in the place: calls that are opened, and with `+` nodes all of whose neighbours are shown. */
  readonly opened: readonly string[];
}

const MORE = '+';

/** How the place names a node all of whose neighbours are shown. */
export function moreOf(node: string): string {
  return MORE + node;
}

/** The answers, that around the event first. */
export async function loadGraph(
  answers: Answers,
  where: Where,
  { event, hops, opened }: Wanted,
  signal: AbortSignal,
): Promise<readonly GraphView[]> {
  const calls = opened.filter((node) => !node.startsWith(MORE));
  const base = await answers.graph(where, { event, function: '', operation: '', hops, opened: calls }, signal);
  const views = [base];
  for (const each of opened.filter((node) => node.startsWith(MORE))) {
    const wanted = each.slice(MORE.length);
    // It may stand in an answer that came before, as one walks further and further.
    const node = views.flatMap((view) => view.nodes).find((known) => known.node === wanted);
    if (!node) continue;
    const around =
      node.event === null
        ? { event: undefined, function: base.function, operation: node.node }
        : { event: node.event, function: '', operation: '' };
    views.push(await answers.graph(where, { ...around, hops: 1, opened: calls }, signal));
  }
  return views;
}
