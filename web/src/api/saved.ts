/** Answers from what was put into the page when it was saved; there is no server. */
import {
  AnswerError,
  type Answers,
  type EventList,
  type FindRequest,
  type GraphRequest,
  type Where,
  type WholeAnswer,
  type WholeRequest,
} from './answers';
import type { SavedContent, SavedEvent, SavedInput, SavedProcess, SavedWhole } from './content';
import { listed, matching } from './saved-rows';
import { foundIn, heldWhole, shownWhole } from './saved-whole';
import type {
  EventPlace,
  EventRow,
  EventView,
  FoundInGraph,
  GraphView,
  InputRow,
  Live,
  Timeline,
  ValuesView,
} from './types';

/** Answers about the run that a saved page holds. */
export function savedAnswers(content: SavedContent): Answers {
  const shelves = new Map(content.processes.map((each) => [each.process, new Shelf(each, content)]));
  const first = content.processes[0]?.process ?? '';
  const shelf = ({ process }: Where): Shelf => known(shelves.get(process || first), `process ${process}`);
  return {
    saved: true,
    runs: async () => content.runs,
    overview: async () => content.overview,
    findings: async () => content.findings,
    events: async (where, list, begin, count) => {
      const rows = shelf(where).list(list);
      const { revision } = shelf(where).process.live;
      return { revision, total: rows.length, begin, rows: rows.slice(begin, begin + count) };
    },
    place: async (where, list, event) => shelf(where).place(list, event),
    next: async (where, search, event, direction) => shelf(where).next(search, event, direction),
    event: async (where, event) => shelf(where).event(event),
    suggestions: async (_, __, cursor) => ({ begin: cursor, words: [] }),
    timeline: async (where, range) => within(known(shelf(where).process.timeline, 'timeline'), range),
    execution: async (where, execution) =>
      known(
        shelf(where).process.executions.find((each) => each.execution === execution),
        `execution ${execution}`,
      ),
    tensor: async (where, tensor, functionName) =>
      known(
        shelf(where).process.tensors.find(
          (each) => each.tensor === tensor && (!functionName || each.function === functionName),
        ),
        `history of ${tensor}`,
      ),
    histograms: async (where, tensor, functionName) =>
      known(
        shelf(where).process.histograms.find(
          (each) => each.tensor === tensor && (!functionName || each.function === functionName),
        ),
        `histograms of ${tensor}`,
      ),
    progress: async (where, measure) =>
      known(
        shelf(where).process.progresss.find((each) => !measure || each.measure === measure),
        'overview',
      ),
    values: async (where, event, request) => {
      const whole = known(
        shelf(where).process.values.find((each) => each.event === event),
        `elements of event ${event}`,
      );
      if (request.slice && request.slice !== whole.slice) throw absent(`slice ${request.slice}`);
      return cut(whole, request.rowOffset, request.rows, request.columnOffset, request.columns);
    },
    graph: async (where, request) => shelf(where).graph(request),
    whole: async (where, request) => shelf(where).whole(request),
    find: async (where, request) => shelf(where).find(request),
    sources: async (where) => shelf(where).process.files,
    source: async (where, file) =>
      known(
        shelf(where).process.sources.find((each) => each.file === file),
        `file ${file}`,
      ),
    matrix: async () => {
      throw new AnswerError('A saved page does not show processes beside each other; `tdbg view` does.', 404);
    },
    sql: async () => {
      throw new AnswerError('A saved page answers no queries; ask the trace with `tdbg sql`.', 404);
    },
    comparison: async () => {
      throw new AnswerError('A saved page holds one run; compare two with `tdbg diff`.', 404);
    },
    live: async (where, revision, wait, signal) => {
      const { live } = shelf(where).process;
      if (revision >= live.revision) await pause(wait, signal);
      return live satisfies Live;
    },
  };
}

/** One process, looked up by number. */
class Shelf {
  private readonly rows: Map<number, EventRow>;
  private readonly events: Map<number, SavedEvent>;

  constructor(
    readonly process: SavedProcess,
    private readonly content: SavedContent,
  ) {
    this.rows = new Map(process.rows.map((row) => [row.event, row]));
    this.events = new Map(process.events.map((event) => [event.event, event]));
  }

  list(list: EventList): EventRow[] {
    return listed(this.process.rows, list);
  }

  place(list: EventList, event: number): EventPlace {
    const row = this.list(list).findIndex((each) => each.event === event);
    return row < 0 ? { event: null, row: null } : { event, row };
  }

  next(search: string, event: number, direction: 'forward' | 'backward'): EventPlace {
    const found = matching(this.process.rows, search).map((row) => row.event);
    const row =
      direction === 'forward' ? found.findIndex((each) => each > event) : found.findLastIndex((each) => each < event);
    return row < 0 ? { event: null, row: null } : { event: found[row] ?? null, row };
  }

  event(event: number): EventView {
    const { event: number, stack, ...view } = known(this.events.get(event), `event ${event}`);
    return {
      ...view,
      row: known(this.rows.get(number), `event ${event}`),
      inputs: view.inputs.map((each) => this.input(each)),
      consumers: view.consumers.map((each) => this.input(each)),
      stack: (this.content.stacks[stack] ?? []).flatMap((line) => this.content.lines[line] ?? []),
    };
  }

  graph({ event, function: functionName, operation, hops, opened }: GraphRequest): GraphView {
    const around = this.process.graphs.filter((each) =>
      event === undefined
        ? each.view.function === functionName && each.view.centre === operation
        : each.event === event,
    );
    const wanted = opened.length ? undefined : around.find((each) => each.hops === hops);
    const centre = event === undefined ? operation : `event ${event}`;
    return known(wanted, around.length ? `graph with ${hops} hops and these calls opened` : `graph around ${centre}`)
      .view;
  }

  whole(request: WholeRequest): WholeAnswer {
    return shownWhole(this.heldWhole(request), request);
  }

  find(request: FindRequest): FoundInGraph {
    return foundIn(this.heldWhole(request).view, request.text);
  }

  private heldWhole(request: Pick<WholeRequest, 'event' | 'function'>): SavedWhole {
    const what = request.function ? `graph of function ${request.function}` : 'whole graph of this event';
    return known(heldWhole(this.process.wholes, request), what);
  }

  private input({ row, ...rest }: SavedInput): InputRow {
    return { ...rest, row: row === null ? null : (this.rows.get(row) ?? null) };
  }
}

function within(timeline: Timeline, range: readonly [number, number] | undefined): Timeline {
  if (!range) return timeline;
  const [begin, end] = range;
  const inside = (each: { readonly begin_ns: number; readonly end_ns: number }): boolean =>
    each.end_ns >= begin && each.begin_ns <= end;
  const lanes = timeline.lanes.map((lane) => ({
    ...lane,
    spans: lane.spans.filter(inside),
    bins: lane.bins.filter(inside),
  }));
  return { ...timeline, begin_ns: begin, end_ns: end, lanes };
}

function cut(view: ValuesView, row: number, rows: number, column: number, columns: number): ValuesView {
  const kept = view.rows.slice(row, row + rows).map((each) => each.slice(column, column + columns));
  return { ...view, row_offset: row, column_offset: column, rows: kept };
}

function known<T>(found: T | null | undefined, what: string): T {
  if (found === null || found === undefined) throw absent(what);
  return found;
}

function absent(what: string): AnswerError {
  return new AnswerError(`This saved page does not hold the ${what}; open the trace with \`tdbg view\`.`, 404);
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => resolve());
  });
}
