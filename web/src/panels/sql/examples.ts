/** Queries to begin with. */

export interface Example {
  readonly title: string;
  readonly query: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    title: 'Operations by number',
    query:
      'select op_type, count(*) as n, count(*) filter (first_bad <> -1) as not_finite\nfrom events group by all order by n desc limit 40',
  },
  {
    title: 'Largest numbers',
    query:
      'select event, tensor, step, greatest(abs(min), abs(max)) as magnitude\nfrom events where max is not null order by magnitude desc limit 50',
  },
  {
    title: 'Magnitude over the steps',
    query:
      'select step, max(greatest(abs(min), abs(max))) as largest, sqrt(sum(sum_squares) / sum(size)) as rms\nfrom events where max is not null and step >= 0 group by step order by step',
  },
  {
    title: 'Bad tensors by line',
    query:
      'select file, line, count(*) as bad, min(step) as first_step, min(event) as event\nfrom events where first_bad <> -1 group by file, line order by event',
  },
  {
    title: 'Time of each function',
    query:
      'select functions.name, count(*) as calls, avg(end_ns - begin_ns) / 1e6 as mean_ms, max(end_ns - begin_ns) / 1e6 as max_ms\nfrom executions join functions using (function) group by functions.name order by calls desc',
  },
];
