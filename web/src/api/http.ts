/** Answers from the server that the page came from. */
import {
  AnswerError,
  type Answers,
  type EventList,
  type FindRequest,
  type GraphRequest,
  type ValuesRequest,
  type WholeRequest,
} from './answers';

type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

async function ask<T>(route: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  const response = await fetch(`api/${route}?${query}`, signal ? { signal } : {}).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new AnswerError('The server does not answer; is `tdbg view` still running?', 0);
  });
  const answer: unknown = await response.json().catch((error: unknown) => {
    // Given up or cut off on its way: what has come of it is no answer.
    if (signal?.aborted) throw error;
    throw new AnswerError(`The server's answer can't be read (status ${response.status}); ask again.`, response.status);
  });
  if (!response.ok) throw new AnswerError((answer as { error: string }).error, response.status);
  return answer as T;
}

/** Asks over HTTP, relative to the page's own address. */
export const httpAnswers: Answers = {
  saved: false,
  runs: (signal) => ask('runs', {}, signal),
  overview: ({ run }, signal) => ask('overview', { run }, signal),
  findings: ({ run }, signal) => ask('findings', { run }, signal),
  events: (where, list: EventList, begin, count, signal) => ask('events', { ...where, ...list, begin, count }, signal),
  place: (where, list, event, signal) => ask('events/place', { ...where, ...list, event }, signal),
  next: (where, search, event, direction, signal) => ask('events/next', { ...where, search, event, direction }, signal),
  event: (where, event, signal) => ask(`events/${event}`, { ...where }, signal),
  suggestions: (where, search, cursor, signal) => ask('suggestions', { ...where, search, cursor }, signal),
  timeline: (where, range, width, signal) =>
    ask('timeline', { ...where, begin_ns: range?.[0], end_ns: range?.[1], width }, signal),
  execution: (where, execution, signal) => ask(`executions/${execution}`, { ...where }, signal),
  tensor: (where, tensor, functionName, points, signal) =>
    ask('tensor', { ...where, tensor, function: functionName, points }, signal),
  histograms: (where, tensor, functionName, logarithmic, signal) =>
    ask('tensor/histograms', { ...where, tensor, function: functionName, logarithmic }, signal),
  progress: (where, measure, width, signal) => ask('progress', { ...where, measure, width }, signal),
  matrix: ({ run }, measure, width, signal) => ask('matrix', { run, measure, width }, signal),
  values: (where, event, request: ValuesRequest, signal) =>
    ask(
      `values/${event}`,
      {
        ...where,
        slice: request.slice,
        row_offset: request.rowOffset,
        column_offset: request.columnOffset,
        rows: request.rows,
        columns: request.columns,
      },
      signal,
    ),
  graph: (where, request: GraphRequest, signal) => ask('graph', { ...where, ...request }, signal),
  whole: (where, request: WholeRequest, signal) => ask('graph/whole', { ...where, ...request }, signal),
  find: (where, request: FindRequest, signal) => ask('graph/find', { ...where, ...request }, signal),
  sources: (where, signal) => ask('sources', { ...where }, signal),
  source: (where, file, signal) => ask('source', { ...where, file }, signal),
  sql: ({ run }, query, signal) => ask('sql', { run, query }, signal),
  comparison: (where, against, signal) => ask('comparison', { ...where, against }, signal),
  live: (where, revision, wait, signal) => ask('live', { ...where, revision, wait }, signal),
};
