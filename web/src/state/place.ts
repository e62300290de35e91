/** Where one is on the page: everything that a link must say to bring somebody else to the same place. */

/** What the lower right panel shows of the chosen event. */
export type Tab = 'event' | 'tensor' | 'values' | 'graph';

/** The overview of the run, all about its tensors, a query, the run beside another, or its processes beside each other; empty for what fits: the overview of a run that is fine. */
export type View = '' | 'overview' | 'details' | 'sql' | 'diff' | 'processes';

/** Which graph is shown. */
export type GraphKind = 'whole' | 'around';

export interface Place {
  /** Name of the run, empty for the newest. */
  readonly run: string;
  /** Name of the process, empty for the first. */
  readonly process: string;
  readonly view: View;
  /** In SQL, as it was last asked; empty for none. */
  readonly query: string;
  /** Name of the run that this one is compared with; empty for none. */
  readonly against: string;
  readonly finding: number | undefined;
  /** Words that the findings shown must have. */
  readonly filter: string;
  /** Levels of the findings shown; empty for all. */
  readonly levels: readonly string[];
  readonly event: number | undefined;
  readonly execution: number | undefined;
  readonly search: string;
  readonly order: string;
  readonly descending: boolean;
  /** Columns of the table; empty for the usual ones. */
  readonly columns: readonly string[];
  readonly tab: Tab;
  /** The source that is shown; empty for that of the chosen event. */
  readonly file: string;
  readonly line: number | undefined;
  /** The source that stays while one goes from event to event, each at its line there; empty for none. */
  readonly pin: string;
  /** Range of the timeline in nanoseconds since 1970. */
  readonly range: readonly [number, number] | undefined;
  /** Which elements of the tensor are shown, as in NumPy. */
  readonly slice: string;
  /** Nodes of the graph that are opened; with `+` before it, one all of whose neighbours are shown. */
  readonly opened: readonly string[];
  /** Node of the graph that is looked at though nothing was recorded of it; empty for none. */
  readonly operation: string;
  /** The whole function, or what is around the chosen operation. */
  readonly graph: GraphKind;
  /** The function that is shown as a whole; empty for that of the chosen event. */
  readonly function: string;
  /** Boxes of it that are open, and with `-` before it closed that would be open by themselves. */
  readonly boxes: readonly string[];
  /** What is looked for in it; empty for nothing. */
  readonly find: string;
  /** What is secondary in it and is shown all the same: `backward`, `constant`. */
  readonly secondary: readonly string[];
  /** How far the graph goes around the chosen operation. */
  readonly hops: number;
  /** Other tensors whose history is drawn beside that of the chosen one, `name` or `name|function`. */
  readonly beside: readonly string[];
  /** Moments that are marked in the timeline, in nanoseconds since 1970. */
  readonly marks: readonly number[];
}

export const START: Place = {
  run: '',
  process: '',
  view: '',
  query: '',
  against: '',
  finding: undefined,
  filter: '',
  levels: [],
  event: undefined,
  execution: undefined,
  search: '',
  order: 'event',
  descending: false,
  columns: [],
  tab: 'event',
  file: '',
  line: undefined,
  pin: '',
  range: undefined,
  slice: '',
  opened: [],
  operation: '',
  graph: 'whole',
  function: '',
  boxes: [],
  find: '',
  secondary: [],
  hops: 1,
  beside: [],
  marks: [],
};

export const VIEWS: readonly View[] = ['', 'overview', 'details', 'sql', 'diff', 'processes'];

export const TABS: readonly Tab[] = ['event', 'tensor', 'values', 'graph'];

/**
 * The place after a change. What belonged to what was left goes with it: with the run nearly everything, with the
 * process the chosen event, with the event its slice, the opened nodes and the file that was looked at.
 */
export function moved(from: Place, change: Partial<Place>): Place {
  const there = withoutRest(from, change);
  const { event, finding, execution, file } = change;
  const closer = [event, finding, execution, file || undefined].some((each) => each !== undefined);
  // Whoever looks at something in particular leaves what is shown instead of it.
  return closer && change.view === undefined && ['overview', 'sql', 'processes'].includes(from.view)
    ? { ...there, view: 'details' }
    : there;
}

function withoutRest(from: Place, change: Partial<Place>): Place {
  const { search, order, descending, columns, filter, levels, tab, graph, secondary, hops, run, process } = from;
  if (change.run !== undefined && change.run !== run) {
    return { ...START, search, order, descending, columns, filter, levels, tab, graph, secondary, hops, ...change };
  }
  if (change.process !== undefined && change.process !== process) {
    const { finding } = from;
    return {
      ...START,
      run,
      finding,
      search,
      order,
      descending,
      columns,
      filter,
      levels,
      tab,
      graph,
      secondary,
      hops,
      ...change,
    };
  }
  if ('event' in change && change.event !== from.event) {
    return {
      ...from,
      slice: '',
      opened: [],
      function: '',
      boxes: [],
      operation: '',
      file: '',
      line: undefined,
      ...change,
    };
  }
  return { ...from, ...change };
}

/** The place that a link's part after `#` names; what can't be read is left out. */
export function readPlace(hash: string): Place {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const text = (name: string): string => given.get(name) ?? '';
  const number = (name: string): number | undefined => {
    const value = given.get(name);
    return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
  };
  const from = number('from');
  const to = number('to');
  return {
    run: text('run'),
    process: text('process'),
    view: VIEWS.find((each) => each === text('view')) ?? START.view,
    query: text('query'),
    against: text('against'),
    finding: number('finding'),
    filter: text('filter'),
    levels: text('levels').split(',').filter(Boolean),
    event: number('event'),
    execution: number('execution'),
    search: text('search'),
    order: given.get('order') ?? START.order,
    descending: given.has('descending'),
    columns: text('columns').split(',').filter(Boolean),
    tab: TABS.find((tab) => tab === given.get('tab')) ?? START.tab,
    file: text('file'),
    line: number('line'),
    pin: text('pin'),
    range: from !== undefined && to !== undefined && from < to ? [from, to] : undefined,
    slice: text('slice'),
    opened: given.getAll('opened'),
    operation: text('operation'),
    graph: graphOf(given),
    function: text('function'),
    boxes: given.getAll('box'),
    find: text('find'),
    secondary: text('secondary').split(',').filter(Boolean),
    hops: number('hops') ?? START.hops,
    beside: given.getAll('beside'),
    marks: text('marks')
      .split(',')
      .filter((each) => /^\d+$/.test(each))
      .map(Number),
  };
}

/** A link from when there was no whole graph shows what is around the operation. */
function graphOf(given: URLSearchParams): GraphKind {
  const named = given.get('graph');
  if (named === 'around' || named === 'whole') return named;
  return given.has('hops') || given.has('opened') ? 'around' : START.graph;
}

/** The part of a link after `#`; what is as at the start is left out. */
export function writePlace(place: Place): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | number | undefined, usual: string | number | undefined): void => {
    if (value !== undefined && value !== usual) query.append(name, String(value));
  };
  put('run', place.run, START.run);
  put('process', place.process, START.process);
  put('view', place.view, START.view);
  put('query', place.query, START.query);
  put('against', place.against, START.against);
  put('finding', place.finding, undefined);
  put('filter', place.filter, START.filter);
  put('levels', place.levels.join(','), '');
  put('event', place.event, undefined);
  put('execution', place.execution, undefined);
  put('search', place.search, START.search);
  put('order', place.order, START.order);
  if (place.descending) query.append('descending', '');
  put('columns', place.columns.join(','), '');
  put('tab', place.tab, START.tab);
  put('file', place.file, START.file);
  put('line', place.line, undefined);
  put('pin', place.pin, START.pin);
  put('from', place.range?.[0], undefined);
  put('to', place.range?.[1], undefined);
  put('slice', place.slice, START.slice);
  for (const node of place.opened) query.append('opened', node);
  put('operation', place.operation, START.operation);
  put('graph', place.graph, START.graph);
  put('function', place.function, START.function);
  for (const box of place.boxes) query.append('box', box);
  put('find', place.find, START.find);
  put('secondary', place.secondary.join(','), '');
  put('hops', place.hops, START.hops);
  for (const tensor of place.beside) query.append('beside', tensor);
  put('marks', place.marks.join(','), '');
  const text = query.toString();
  return text ? `#${text}` : '';
}
