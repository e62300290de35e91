/** What the page asks. A server answers it, or a saved page from what was put into it. */
import type {
  AnswerTable,
  ComparisonView,
  EventPage,
  EventPlace,
  EventView,
  ExecutionView,
  Findings,
  FoundInGraph,
  GraphView,
  HistogramsView,
  Live,
  MatrixView,
  Overview,
  ProgressView,
  RunList,
  SourceList,
  SourceView,
  Suggestions,
  TensorView,
  Timeline,
  ValuesView,
  WholeView,
} from './types';

/** A run and one of its processes; empty for the newest run, and for its first process. */
export interface Where {
  readonly run: string;
  readonly process: string;
}

/** A list of tensor events: what was searched for, and the order. */
export interface EventList {
  readonly search: string;
  readonly order: string;
  readonly descending: boolean;
}

/** Part of a graph: around an event, or around an operation of a function. */
export interface GraphRequest {
  readonly event: number | undefined;
  readonly function: string;
  readonly operation: string;
  readonly hops: number;
  readonly opened: readonly string[];
}

/** A whole function: that of an event, or another; with the boxes that are open and closed. */
export interface WholeRequest {
  readonly event: number | undefined;
  readonly function: string;
  readonly opened: readonly string[];
  readonly closed: readonly string[];
}

/** A whole function; of a saved page with how many boxes it does not hold the inside of. */
export type WholeAnswer = WholeView & { readonly left_out?: number };

/** A name in the graph of a function: that of an event, or another. */
export interface FindRequest {
  readonly event: number | undefined;
  readonly function: string;
  readonly text: string;
}

/** A slice of the elements of an event. */
export interface ValuesRequest {
  readonly slice: string;
  readonly rowOffset: number;
  readonly columnOffset: number;
  readonly rows: number;
  readonly columns: number;
}

/** Each call may be given up by a signal; it throws `AnswerError` where there is no answer. */
export interface Answers {
  /** Whether there is a server behind: a saved page has no search, no other runs and does not grow. */
  readonly saved: boolean;
  runs(signal?: AbortSignal): Promise<RunList>;
  overview(where: Where, signal?: AbortSignal): Promise<Overview>;
  findings(where: Where, signal?: AbortSignal): Promise<Findings>;
  events(where: Where, list: EventList, begin: number, count: number, signal?: AbortSignal): Promise<EventPage>;
  place(where: Where, list: EventList, event: number, signal?: AbortSignal): Promise<EventPlace>;
  next(
    where: Where,
    search: string,
    event: number,
    direction: 'forward' | 'backward',
    signal?: AbortSignal,
  ): Promise<EventPlace>;
  event(where: Where, event: number, signal?: AbortSignal): Promise<EventView>;
  suggestions(where: Where, search: string, cursor: number, signal?: AbortSignal): Promise<Suggestions>;
  /** The whole time where the range is undefined; the width is that of the drawing in pixels. */
  timeline(
    where: Where,
    range: readonly [number, number] | undefined,
    width: number,
    signal?: AbortSignal,
  ): Promise<Timeline>;
  execution(where: Where, execution: number, signal?: AbortSignal): Promise<ExecutionView>;
  tensor(where: Where, tensor: string, functionName: string, points: number, signal?: AbortSignal): Promise<TensorView>;
  /** How the elements of a tensor are spread in the steps in which they were kept. */
  histograms(
    where: Where,
    tensor: string,
    functionName: string,
    logarithmic: boolean,
    signal?: AbortSignal,
  ): Promise<HistogramsView>;
  /** How a run went over its steps; an empty measure for the first of which anything is known. */
  progress(where: Where, measure: string, width: number, signal?: AbortSignal): Promise<ProgressView>;
  matrix(where: Where, measure: string, width: number, signal?: AbortSignal): Promise<MatrixView>;
  values(where: Where, event: number, request: ValuesRequest, signal?: AbortSignal): Promise<ValuesView>;
  graph(where: Where, request: GraphRequest, signal?: AbortSignal): Promise<GraphView>;
  whole(where: Where, request: WholeRequest, signal?: AbortSignal): Promise<WholeAnswer>;
  find(where: Where, request: FindRequest, signal?: AbortSignal): Promise<FoundInGraph>;
  sources(where: Where, signal?: AbortSignal): Promise<SourceList>;
  source(where: Where, file: string, signal?: AbortSignal): Promise<SourceView>;
  /** The first rows of what one SELECT gives. */
  sql(where: Where, query: string, signal?: AbortSignal): Promise<AnswerTable>;
  /** The run beside another, which is the reference. */
  comparison(where: Where, against: string, signal?: AbortSignal): Promise<ComparisonView>;
  /** Answers when there is more than at `revision`, or after `wait` seconds. */
  live(where: Where, revision: number, wait: number, signal?: AbortSignal): Promise<Live>;
}

/** Something that can't be answered, with the server's sentence. */
export class AnswerError extends Error {
  constructor(
    message: string,
    /** Of HTTP; 0 where the server can't be reached. */
    readonly status: number,
  ) {
    super(message);
  }
}
