/** What a saved page holds, as `tensordbg.report.saved_page.content` writes it: rows and stacks once each, named by number. */
import type {
  EventRow,
  EventView,
  ExecutionView,
  Findings,
  GraphView,
  HistogramsView,
  InputRow,
  LineView,
  Live,
  Overview,
  ProgressView,
  RunList,
  SourceList,
  SourceView,
  TensorView,
  Timeline,
  ValuesView,
  WholeView,
} from './types';

/** An input or consumer whose row is among those of its process. */
export type SavedInput = Omit<InputRow, 'row'> & { readonly row: number | null };

/** An event whose row is among those of its process, and whose stack is among those of the page. */
export type SavedEvent = Omit<EventView, 'row' | 'inputs' | 'consumers' | 'stack'> & {
  readonly event: number;
  readonly inputs: readonly SavedInput[];
  readonly consumers: readonly SavedInput[];
  readonly stack: number;
};

/** Part of a graph around an event. */
export interface SavedGraph {
  readonly event: number;
  readonly hops: number;
  readonly view: GraphView;
}

/** A whole function of an event, its boxes open as deep as there was room. */
export interface SavedWhole {
  readonly event: number | null;
  /** Boxes that are open where nobody opened or closed any. */
  readonly open: readonly string[];
  readonly view: WholeView;
}

/** One process. */
export interface SavedProcess {
  readonly process: string;
  readonly live: Live;
  /** By number of event. */
  readonly rows: readonly EventRow[];
  readonly events: readonly SavedEvent[];
  readonly executions: readonly ExecutionView[];
  readonly tensors: readonly TensorView[];
  /** Of the tensors whose elements were kept. */
  readonly histograms: readonly HistogramsView[];
  /** One for each measure of which anything is known. */
  readonly progresss: readonly ProgressView[];
  readonly values: readonly ValuesView[];
  readonly graphs: readonly SavedGraph[];
  readonly wholes: readonly SavedWhole[];
  readonly files: SourceList;
  readonly sources: readonly SourceView[];
  readonly timeline: Timeline | null;
}

/** All of it. */
export interface SavedContent {
  readonly runs: RunList;
  readonly overview: Overview;
  readonly findings: Findings;
  readonly lines: readonly LineView[];
  /** Outermost first, by their numbers among the lines. */
  readonly stacks: readonly (readonly number[])[];
  /** The first is the one that is shown where none is named. */
  readonly processes: readonly SavedProcess[];
}

/** The content of this document; undefined on a page that came from a server. */
export function contentOf(page: Document): SavedContent | undefined {
  const text = page.getElementById('saved-answers')?.textContent;
  return text ? (JSON.parse(text) as SavedContent) : undefined;
}
